package diff

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render/internal/term"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Text writes how the runs differ: the decisions, the first event that differs, the steps of both side by side, and the
// verdicts.
func Text(w io.Writer, difference *story.Difference, color bool) error {
	d := comparison{difference}
	var out bytes.Buffer
	e := term.Writer{Out: &out, Color: color, Actors: d.A.Trace.Actors}
	for _, s := range []*story.Side{&d.A, &d.B} {
		fmt.Fprintf(&out, "%s  %s\n", e.Paint(term.Bold, s.Letter), wording.Printable(s.Name))
		e.Paragraph("   ", s.Title(), term.TextWidth, "")
		if text := s.Trace.LeftOut(); text != "" {
			e.Paragraph("   ", text, term.TextWidth, "")
		}
	}
	out.WriteByte('\n')
	d.textOfSettings(&e)
	if d.Equal() {
		fmt.Fprintf(&out, "%s: %s\n", e.Paint(term.Good, "the runs are equal"), d.Alike())
		_, err := w.Write(out.Bytes())
		return err
	}
	d.textOfChoices(&e)
	d.textOfFirst(&e)
	d.textOfSteps(&e)
	d.textOfVerdicts(&e)
	_, err := w.Write(bytes.TrimSuffix(out.Bytes(), []byte("\n")))
	return err
}

func (d comparison) textOfSettings(e *term.Writer) {
	if len(d.Settings) == 0 {
		return
	}
	fmt.Fprintf(e.Out, "%s\n", e.Paint(term.Bold, settingsTitle))
	width := 0
	for _, s := range d.Settings {
		width = max(width, utf8.RuneCountInString(s.Name))
	}
	for _, s := range d.Settings {
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(s.Name))
		fmt.Fprintf(e.Out, "  %s%s  A %s\n  %s  B %s\n", s.Name, pad, s.A, strings.Repeat(" ", width), s.B)
	}
	e.Out.WriteByte('\n')
}

// The titles of the parts of a comparison.
const (
	settingsTitle = "What was run otherwise"
	choicesTitle  = "What was decided otherwise"
	stepsTitle    = "What happened"
	verdictsTitle = "What was judged otherwise"
)

func (d comparison) textOfChoices(e *term.Writer) {
	if len(d.Choices) == 0 {
		return
	}
	fmt.Fprintf(e.Out, "%s\n", e.Paint(term.Bold, choicesTitle))
	for i, letter := range []string{"A", "B"} {
		for _, c := range d.Choices {
			if c.Letter == letter {
				e.Hanging("  "+letter+"  ", c.Words())
			}
		}
		if n := d.More[i]; n > 0 {
			fmt.Fprintf(e.Out, "  %s  %s\n", letter, story.MoreChoices(n))
		}
	}
	e.Out.WriteByte('\n')
}

func (d comparison) textOfFirst(e *term.Writer) {
	fmt.Fprintf(e.Out, "%s\n", e.Paint(term.Bold, d.FirstTitle()))
	e.Paragraph("  ", d.FirstText(), term.TextWidth, "")
	for _, s := range []*story.Side{&d.A, &d.B} {
		if d.First.Number != 0 {
			e.Hanging("  "+s.Letter+"  ", d.EventOf(s))
		}
	}
	e.Out.WriteByte('\n')
}

// textOfSteps writes the steps with a column of times for each run.
func (d comparison) textOfSteps(e *term.Writer) {
	if len(d.Rows) == 0 {
		return
	}
	fmt.Fprintf(e.Out, "%s\n", e.Paint(term.Bold, stepsTitle))
	decimals := d.Decimals()
	width, names := 1, 0
	for _, r := range d.Rows {
		for _, s := range []*story.Step{r.A, r.B} {
			if s != nil {
				width = max(width, len(traces.Seconds(s.At, decimals)))
				names = max(names, utf8.RuneCountInString(story.StepActor(*s)))
			}
		}
	}
	at := func(s *story.Step) string {
		if s == nil {
			return "·"
		}
		return traces.Seconds(s.At, decimals)
	}
	fmt.Fprintf(e.Out, "  %*s  %*s\n", width, "A", width, "B")
	for i, r := range d.Rows {
		if i == d.From && i > 0 {
			fmt.Fprintf(e.Out, "  %s\n", e.Paint(term.Faint, strings.Repeat("-", 2*width+2)+"  the runs differ from here on"))
		}
		s, color, mark := r.Shown(), "", " "
		if r.Violating() {
			mark, color = "✗", term.Bad
		}
		name := story.StepActor(*s)
		head := fmt.Sprintf("%s %*s  %*s  ", mark, width, at(r.A), width, at(r.B))
		hang := strings.Repeat(" ", utf8.RuneCountInString(head)+names+2)
		lines := wording.Wrap(s.Text, term.TextWidth-len(hang))
		fmt.Fprintf(e.Out, "%s%s%s  %s\n", e.Paint(color, head), e.Paint(e.ColorOf(s.Actor), name), strings.Repeat(" ", names-utf8.RuneCountInString(name)), e.Paint(color, lines[0]))
		for _, line := range lines[1:] {
			fmt.Fprintf(e.Out, "%s%s\n", hang, e.Paint(color, line))
		}
	}
	e.Out.WriteByte('\n')
}

func (d comparison) textOfVerdicts(e *term.Writer) {
	if len(d.Verdicts) == 0 {
		return
	}
	fmt.Fprintf(e.Out, "%s\n", e.Paint(term.Bold, verdictsTitle))
	width := 0
	for _, v := range d.Verdicts {
		width = max(width, utf8.RuneCountInString(v.Property))
	}
	for _, v := range d.Verdicts {
		fmt.Fprintf(e.Out, "  %s%s  A %s, B %s\n", v.Property, strings.Repeat(" ", width-utf8.RuneCountInString(v.Property)), v.A, v.B)
	}
	e.Out.WriteByte('\n')
	for _, s := range []*story.Side{&d.A, &d.B} {
		if v := s.Trace.Verdict(); v != nil && v.Sentence != "" {
			e.Hanging("  "+s.Letter+"  ", wording.Printable(v.Sentence))
		}
	}
	e.Out.WriteByte('\n')
}
