package export

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// wrap breaks text into lines of a comment.
func wrap(text string, line func(string)) { wrapAt("", text, line) }

// wrapAt breaks text into lines, of which the first begins with begin.
func wrapAt(begin, text string, line func(string)) {
	hang := strings.Repeat(" ", len(begin))
	for i, part := range wording.Wrap(text, 100-len(begin)) {
		if i == 0 {
			line(begin + part)
		} else {
			line(hang + part)
		}
	}
}

// readme returns a report in the form of an issue for the library's tracker.
func (j *Job) readme(r *Result) []byte {
	t := j.Trace
	var out bytes.Buffer
	line := func(format string, args ...any) { fmt.Fprintf(&out, format+"\n", args...) }
	v := t.Verdict()
	line("# %s\n", wording.Markdown(strings.TrimSuffix(v.Sentence, ".")))
	line("%s\n", wording.Markdown(t.Description(v.Property).Asks))
	line("## Versions\n")
	var list []string
	for m, version := range j.Versions { // unordered: sorted below
		if slices.Contains(j.used, m) {
			list = append(list, fmt.Sprintf("- %s %s", m, version))
		}
	}
	slices.Sort(list)
	line("%s\n- %s\n", strings.Join(list, "\n"), r.Server)
	line("## Run\n\n[x_test.go](x_test.go) shows it on a real server, without a simulator. It needs %s, and is skipped without.\n", j.needs)
	line("```\ngo test .\n```\n")
	line("It failed in %d of %s here:\n", r.Failed, wording.Count(r.Runs, "run"))
	line("%s", wording.Fenced("", plain(r.Log)))
	if j.Repaired != "" {
		line("With %s it failed in %d of %d:\n\n```\ngo get %s && go mod tidy && go test .\n```\n", strings.ReplaceAll(j.Repaired, ",", ", "), r.Repaired, r.Runs, strings.ReplaceAll(j.Repaired, ",", " "))
	}
	line("## Steps\n\nAs [Lockpick](https://%s) found them in a simulation:\n", modulePath)
	var story bytes.Buffer
	if err := render.Markdown(&story, t, "", 3); err == nil {
		out.Write(story.Bytes())
	}
	if j.Command != "" {
		fmt.Fprintf(&out, "Written from the trace by:\n\n%s", wording.Fenced("", j.Command))
	}
	return out.Bytes()
}

// plain returns the output of a run, without the parts that differ from run to run.
func plain(log string) string {
	var out strings.Builder
	for l := range strings.Lines(log) {
		if strings.HasPrefix(l, "=== ") || strings.HasPrefix(l, "redis: 20") || // the client library's log, with times and ports
			strings.HasPrefix(l, "FAIL") || strings.HasPrefix(l, "exit ") {
			continue
		}
		out.WriteString(l)
	}
	return out.String()
}
