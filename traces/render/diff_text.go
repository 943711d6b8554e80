package render

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// Text writes how the runs differ: what was decided otherwise, the first event that differs, the
// steps of both beside each other, and what was judged otherwise.
func (d *Difference) Text(w io.Writer, c Style) error {
	var out bytes.Buffer
	e := explainer{out: &out, t: d.a.Trace, style: c, width: textWidth}
	for _, s := range []*side{&d.a, &d.b} {
		fmt.Fprintf(&out, "%s  %s\n", e.paint(ansiBold, s.letter), wording.Printable(s.Name))
		e.paragraph("   ", s.title(), textWidth, "")
		if text := s.Trace.LeftOut(); text != "" {
			e.paragraph("   ", text, textWidth, "")
		}
	}
	out.WriteByte('\n')
	d.textOfSettings(&e)
	if d.Equal() {
		fmt.Fprintf(&out, "%s: %s\n", e.paint(ansiGood, "the runs are equal"), d.alike())
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

// alike says what is the same in runs that are equal.
func (d *Difference) alike() string {
	if len(d.first.unknown) > 0 {
		return wording.GroupedCount(d.first.compared, "event") + " that both traces have, the hash of all, the history and the verdicts are the same"
	}
	return wording.GroupedCount(len(d.a.Trace.Events), "event") + ", the history and the verdicts are the same"
}

func (d *Difference) textOfSettings(e *explainer) {
	if len(d.settings) == 0 {
		return
	}
	fmt.Fprintf(e.out, "%s\n", e.paint(ansiBold, settingsTitle))
	width := 0
	for _, s := range d.settings {
		width = max(width, utf8.RuneCountInString(s.name))
	}
	for _, s := range d.settings {
		pad := strings.Repeat(" ", width-utf8.RuneCountInString(s.name))
		fmt.Fprintf(e.out, "  %s%s  A %s\n  %s  B %s\n", s.name, pad, s.a, strings.Repeat(" ", width), s.b)
	}
	e.out.WriteByte('\n')
}

// The titles of the parts of a comparison.
const (
	settingsTitle = "What was run otherwise"
	choicesTitle  = "What was decided otherwise"
	firstTitle    = "Where the runs begin to differ"
	realTitle     = "How the runs are compared"
	stepsTitle    = "What happened"
	verdictsTitle = "What was judged otherwise"
)

func (d *Difference) textOfChoices(e *explainer) {
	if len(d.choices) == 0 {
		return
	}
	fmt.Fprintf(e.out, "%s\n", e.paint(ansiBold, choicesTitle))
	for i, letter := range []string{"A", "B"} {
		for _, c := range d.choices {
			if c.letter == letter {
				e.hanging("  "+letter+"  ", c.known())
			}
		}
		if n := d.more[i]; n > 0 {
			fmt.Fprintf(e.out, "  %s  %s\n", letter, moreChoices(n))
		}
	}
	e.out.WriteByte('\n')
}

// known is the choice with what is known of it.
func (c otherChoice) known() string {
	if c.needed {
		return c.text + " (the violation needs it)"
	}
	return c.text
}

func moreChoices(n int) string {
	return "and " + wording.GroupedCount(n, "more decision") + " that the other did not make"
}

// hanging writes text behind a head, broken into lines.
func (e *explainer) hanging(head, text string) {
	indent := strings.Repeat(" ", utf8.RuneCountInString(head))
	for i, line := range wording.Wrap(text, textWidth-len(indent)) {
		if i == 0 {
			fmt.Fprintf(e.out, "%s%s\n", head, line)
			continue
		}
		fmt.Fprintf(e.out, "%s%s\n", indent, line)
	}
}

func (d *Difference) textOfFirst(e *explainer) {
	fmt.Fprintf(e.out, "%s\n", e.paint(ansiBold, d.firstTitle()))
	e.paragraph("  ", d.firstText(), textWidth, "")
	for _, s := range []*side{&d.a, &d.b} {
		if d.first.number != 0 {
			e.hanging("  "+s.letter+"  ", d.eventOf(s))
		}
	}
	e.out.WriteByte('\n')
}

// firstTitle is the title of what firstText says.
func (d *Difference) firstTitle() string {
	if d.ofReal() {
		return realTitle
	}
	return firstTitle
}

// firstText says up to where the runs are alike, and which events cannot be compared.
func (d *Difference) firstText() string {
	if d.ofReal() {
		return d.realText()
	}
	f, all, first := &d.first, "All events are", "The first event that differs is"
	unknown := f.incomparable()
	if unknown != "" {
		all, first, unknown = "All events that both traces have are", "The first event that is seen to differ is", unknown+" "
	}
	switch {
	case d.beyond:
		return unknown + "Their hashes differ, and nothing that the traces have: they differ in events that are left out."
	case f.number == 0 && len(d.verdicts) > 0:
		return unknown + all + " the same. What was judged of them differs."
	case f.number == 0:
		return unknown + all + " the same. What was observed at them differs."
	case f.alike == nil && unknown == "":
		return "The first event differs:"
	case f.alike == nil:
		return fmt.Sprintf("%s%s %s:", unknown, first, wording.Grouped(f.number))
	case unknown == "":
		all = "All is"
	}
	return fmt.Sprintf("%s the same up to event %s, at %s. %s%s %s:",
		all, wording.Grouped(f.alike.Seq), traces.Moment(f.alike.At), unknown, first, wording.Grouped(f.number))
}

// eventOf is the first event that differs, as it is in one of the runs.
func (d *Difference) eventOf(s *side) string {
	e := d.first.a
	if s.letter == "B" {
		e = d.first.b
	}
	if e == nil {
		return "the run has ended"
	}
	return s.firstEventText(e)
}

func (s *side) firstEventText(e *sim.Event) string {
	return traces.Moment(e.At) + "  " + wording.Fit(wording.Printable(e.Actor), 40) + " " + s.eventText(e)
}

// textOfSteps writes the steps with a column of times for each run.
func (d *Difference) textOfSteps(e *explainer) {
	if len(d.rows) == 0 {
		return
	}
	fmt.Fprintf(e.out, "%s\n", e.paint(ansiBold, stepsTitle))
	decimals := d.decimals()
	width, names := 1, 0
	for _, r := range d.rows {
		for _, s := range []*Step{r.a, r.b} {
			if s != nil {
				width = max(width, len(traces.Seconds(s.At, decimals)))
				names = max(names, utf8.RuneCountInString(stepActor(*s)))
			}
		}
	}
	at := func(s *Step) string {
		if s == nil {
			return "·"
		}
		return traces.Seconds(s.At, decimals)
	}
	fmt.Fprintf(e.out, "  %*s  %*s\n", width, "A", width, "B")
	for i, r := range d.rows {
		if i == d.from && i > 0 {
			fmt.Fprintf(e.out, "  %s\n", e.paint(ansiFaint, strings.Repeat("-", 2*width+2)+"  the runs differ from here on"))
		}
		s, color, mark := r.step(), "", " "
		if r.violating() {
			mark, color = "✗", ansiBad
		}
		name := stepActor(*s)
		head := fmt.Sprintf("%s %*s  %*s  ", mark, width, at(r.a), width, at(r.b))
		hang := strings.Repeat(" ", utf8.RuneCountInString(head)+names+2)
		lines := wording.Wrap(s.Text, textWidth-len(hang))
		fmt.Fprintf(e.out, "%s%s%s  %s\n", e.paint(color, head), e.paint(e.colorOf(s.Actor), name), strings.Repeat(" ", names-utf8.RuneCountInString(name)), e.paint(color, lines[0]))
		for _, line := range lines[1:] {
			fmt.Fprintf(e.out, "%s%s\n", hang, e.paint(color, line))
		}
	}
	e.out.WriteByte('\n')
}

// step is the step of the run that has it.
func (r diffRow) step() *Step {
	if r.a != nil {
		return r.a
	}
	return r.b
}

// violating reports whether a property is broken with the step.
func (r diffRow) violating() bool {
	return r.a != nil && r.a.Violating || r.b != nil && r.b.Violating
}

// decimals are those that tell the times of the steps of either run apart.
func (d *Difference) decimals() (n int) {
	var a, b []Step
	for _, r := range d.rows {
		if r.a != nil {
			a = append(a, *r.a)
		}
		if r.b != nil {
			b = append(b, *r.b)
		}
	}
	return max(stepDecimals(a), stepDecimals(b))
}

func (d *Difference) textOfVerdicts(e *explainer) {
	if len(d.verdicts) == 0 {
		return
	}
	fmt.Fprintf(e.out, "%s\n", e.paint(ansiBold, verdictsTitle))
	width := 0
	for _, v := range d.verdicts {
		width = max(width, utf8.RuneCountInString(v.property))
	}
	for _, v := range d.verdicts {
		fmt.Fprintf(e.out, "  %s%s  A %s, B %s\n", v.property, strings.Repeat(" ", width-utf8.RuneCountInString(v.property)), v.a, v.b)
	}
	e.out.WriteByte('\n')
	for _, s := range []*side{&d.a, &d.b} {
		if v := s.Trace.Verdict(); v != nil && v.Sentence != "" {
			e.hanging("  "+s.letter+"  ", wording.Printable(v.Sentence))
		}
	}
	e.out.WriteByte('\n')
}
