package simrun

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// reportLines is how many lines a search prints, unless it found very many causes, or runs did not
// finish: less than that. A check says besides what it has searched, in some more.
const (
	reportLines      = 60
	checkReportLines = reportLines + 20
)

// fullStories is how many causes besides the first are told, each in a few lines. Of others
// there is a count.
const fullStories = 5

// stories are what the search has found, one for each cause of faults, and then one for each
// cause of limits: the one never stands for the other.
func (h *hunt) stories() (list []*causes.Story) {
	for _, limit := range []bool{false, true} {
		f := causes.Findings{Searched: []string{h.cell.Scenario.ID}, Weight: weight, Limit: "a limit of leases, not a fault of the lock"}
		for i := range h.told {
			if one := &h.told[i]; one.trace.Limit == limit {
				f.Add([]*causes.Failure{one.failure()})
			}
		}
		list = append(list, f.Stories()...)
	}
	return list
}

// weight is how much a finding says: harm done more than harm that could have been done.
func weight(f *causes.Failure) int {
	if f.Trace != nil && f.Trace.Property == checker.NoLostUpdate {
		return 1
	}
	return 0
}

// story tells of the first cause: what happened, what that needs and what would have helped. Steps
// are left out where it would have more lines than there is room for.
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
	_ = render.Explain(&b, s.Trace, render.Style{Color: p.paint.on, Story: true, Width: p.width, Lines: lines}) // a buffer takes everything
	return b.String() + rest.String()
}

// files says where the trace of a story is, and what to do with it.
func (p *textPrinter) files(s *causes.Story) string {
	if s.Path == "" {
		return "  trace   could not be written\n\n"
	}
	return fmt.Sprintf("  trace   %[1]s\n  replay  %[2]s replay %[3]s\n  look    %[2]s view %[3]s\n\n", s.Path, p.name, wording.Shell(s.Path))
}

// others tells of all causes but the first.
func (p *textPrinter) others(list []*causes.Story) string {
	var b strings.Builder
	for i, s := range list {
		if i == fullStories {
			fmt.Fprintf(&b, "%s\n\n", p.paint.faint(fmt.Sprintf("and %s, in the traces of %s", wording.Count(len(list)-i, "other cause"), p.Out)))
			break
		}
		for j, line := range s.Short(p.cell.Lock.ID) {
			if j == 0 {
				line = p.paint.bold(line)
			}
			b.WriteString(p.hanging(line))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// hanging is a line as it stands, broken where the terminal ends. What is behind a label stays
// behind it.
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

// told is a finding of a search, with its trace as it was written.
type told struct {
	trace *traces.Trace
	path  string // empty if it could not be written
	notes []string
}

// failure is the finding as one of those that have causes: those of its own class.
func (t *told) failure() *causes.Failure {
	f := causes.Violates(t.trace, func(_ string, v model.Violation) bool { return v.Limit == t.trace.Limit })
	f.Path, f.Reduced, f.Note = t.path, t.trace.Shrunk != nil, strings.Join(t.notes, "; ")
	return f
}
