package simrun

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// reportLines is the maximum number of lines that a search prints, unless it found very many causes, or runs did not
// finish. A check prints some more about its extent.
const (
	reportLines      = 60
	checkReportLines = reportLines + 20
)

// fullStories is the number of causes, besides the first, that are explained in a few lines each. Others are only counted.
const fullStories = 5

// stories returns the findings of the search, one for each cause of faults, and then one for each cause of limits: neither
// replaces the other.
func (h *session) stories() []*causes.Story {
	f := causes.Findings{Searched: []string{h.cell.Scenario.ID}, Limit: "a limit of leases, not a fault of the lock"}
	f.Add(h.reports)
	return f.Stories()
}

// story explains the first cause: what happened, what that needs and what would have helped. Steps are left out if it
// would have more lines than room.
func (p *textPrinter) story(s *causes.Story, room int) string {
	var rest strings.Builder
	for _, line := range s.About() {
		rest.WriteString(p.hanging(line))
	}
	if s.Trace.Shrunk != nil {
		rest.WriteString(p.hanging("  shrunk  " + strings.TrimPrefix(shrinkText(s.Trace), "shrunk  ")))
	}
	rest.WriteString(p.files(s))
	var b bytes.Buffer
	lines := max(room-strings.Count(rest.String(), "\n"), 1)
	_ = render.Explain(&b, s.Trace, render.Style{Color: p.paint.On, Story: true, Width: p.width, Lines: lines}) // a buffer takes everything
	return b.String() + rest.String()
}

// files returns where the trace of a story is, and what to do with it.
func (p *textPrinter) files(s *causes.Story) string {
	if s.Path == "" {
		return "  trace   could not be written\n\n"
	}
	return fmt.Sprintf("  trace   %[1]s\n  replay  %[2]s replay %[3]s\n  look    %[2]s view %[3]s\n\n", s.Path, p.name, wording.ShellPath(s.Path))
}

// others explains all causes but the first.
func (p *textPrinter) others(list []*causes.Story) string {
	var b strings.Builder
	for i, s := range list {
		if i == fullStories {
			fmt.Fprintf(&b, "%s\n\n", p.paint.Faint(fmt.Sprintf("and %s, in the traces of %s", wording.Count(len(list)-i, "other cause"), p.Out)))
			break
		}
		for j, line := range s.Short(p.cell.Lock.ID) {
			if j == 0 {
				line = p.paint.Bold(line)
			}
			b.WriteString(p.hanging(line))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// hanging breaks a line at the terminal's width. Text behind a label is indented to stay behind it.
func (p *textPrinter) hanging(line string) string {
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	const label = 10 // "  needs   "
	hang := indent
	if indent == 2 && len(line) > label && line[label-1] == ' ' && line[label] != ' ' && strings.Contains(line[:label], "  ") && line[label-2] == ' ' {
		hang, text = label, line[label:]
	}
	lines := wording.Wrap(text, p.width-hang)
	for i := range lines {
		if i > 0 || hang == indent {
			lines[i] = strings.Repeat(" ", hang) + lines[i]
		}
	}
	if hang != indent {
		lines[0] = line[:label] + lines[0]
	}
	return strings.Join(lines, "\n") + "\n"
}

// shrinkText describes the shrinking of a trace.
func shrinkText(t *traces.Trace) string {
	s := t.Shrunk
	var with []string
	for _, p := range t.Parameters {
		if !slices.Contains(s.Parameters, p) {
			with = append(with, p.Name+"="+p.Value)
		}
	}
	text := fmt.Sprintf("shrunk  from %s to %s, in %s", wording.GroupedCount(s.From, "deviation"), wording.Grouped(s.To), wording.GroupedCount(s.Runs, "run"))
	if len(with) > 0 {
		text += ", with " + strings.Join(with, " ")
	}
	if s.Exhausted {
		text += "; the budget ended it, and there was more to try: simrun shrink goes on"
	}
	return text
}
