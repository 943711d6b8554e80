package story

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// Alike describes what is the same in equal runs.
func (d *Difference) Alike() string {
	if len(d.First.unknown) > 0 {
		return wording.GroupedCount(d.First.compared, "event") + " that both traces have, the hash of all, the history and the verdicts are the same"
	}
	return wording.GroupedCount(len(d.A.Trace.Events), "event") + ", the history and the verdicts are the same"
}

// FirstTitle returns the title of FirstText.
func (d *Difference) FirstTitle() string {
	if d.OfReal() {
		return "How the runs are compared"
	}
	return "Where the runs begin to differ"
}

// FirstText describes up to where the runs are alike, and which events cannot be compared.
func (d *Difference) FirstText() string {
	if d.OfReal() {
		return d.realText()
	}
	f, all, first := &d.First, "All events are", "The first event that differs is"
	unknown := f.incomparable()
	if unknown != "" {
		all, first, unknown = "All events that both traces have are", "The first event that is seen to differ is", unknown+" "
	}
	switch {
	case d.beyond:
		return unknown + "Their hashes differ, and nothing that the traces have: they differ in events that are left out."
	case f.Number == 0 && len(d.Verdicts) > 0:
		return unknown + all + " the same. What was judged of them differs."
	case f.Number == 0:
		return unknown + all + " the same. What was observed at them differs."
	case f.alike == nil && unknown == "":
		return "The first event differs:"
	case f.alike == nil:
		return fmt.Sprintf("%s%s %s:", unknown, first, wording.Grouped(f.Number))
	case unknown == "":
		all = "All is"
	}
	return fmt.Sprintf("%s the same up to event %s, at %s. %s%s %s:",
		all, wording.Grouped(f.alike.Seq), traces.Moment(f.alike.At), unknown, first, wording.Grouped(f.Number))
}

// EventOf returns the first event that differs, in the words of one of the runs.
func (d *Difference) EventOf(s *Side) string {
	e := d.First.a
	if s.Letter == "B" {
		e = d.First.b
	}
	if e == nil {
		return "the run has ended"
	}
	return s.firstEventText(e)
}

// Decimals returns the number of decimals that distinguish the times of the steps of either run.
func (d *Difference) Decimals() (n int) {
	var a, b []Step
	for _, r := range d.Rows {
		if r.A != nil {
			a = append(a, *r.A)
		}
		if r.B != nil {
			b = append(b, *r.B)
		}
	}
	return max(StepDecimals(a), StepDecimals(b))
}

func (s *Side) firstEventText(e *sim.Event) string {
	return traces.Moment(e.At) + "  " + wording.Fit(wording.Printable(e.Actor), 40) + " " + s.EventText(e)
}

// Shown returns the step of the run that has it.
func (r Row) Shown() *Step {
	if r.A != nil {
		return r.A
	}
	return r.B
}

// Violating reports whether a property is broken with the step.
func (r Row) Violating() bool {
	return r.A != nil && r.A.Violating || r.B != nil && r.B.Violating
}

// Words returns the choice, with whether the violation needs it.
func (c OtherChoice) Words() string {
	if c.Needed {
		return c.Text + " (the violation needs it)"
	}
	return c.Text
}

// MoreChoices describes how many choices are not listed.
func MoreChoices(n int) string {
	return "and " + wording.GroupedCount(n, "more decision") + " that the other did not make"
}

// Headline returns a sentence with the result of the comparison.
func (d *Difference) Headline() string {
	switch {
	case d.Equal():
		return "The runs are equal: " + d.Alike() + "."
	case d.OfReal():
		return d.realHeadline()
	case d.From < len(d.Rows):
		r := d.Rows[d.From]
		s := r.Shown()
		return fmt.Sprintf("The first step that differs: at %s in %s, %s %s", traces.Moment(s.At), r.In(), StepActor(*s), s.Text)
	case d.First.Number != 0 && len(d.First.unknown) > 0:
		return fmt.Sprintf("The runs differ at event %s, at %s, if not before.", wording.Grouped(d.First.Number), traces.Moment(d.First.at))
	case d.First.Number != 0:
		return fmt.Sprintf("The runs differ from event %s on, at %s.", wording.Grouped(d.First.Number), traces.Moment(d.First.at))
	}
	return d.FirstText()
}

// In names the runs that have a step.
func (r Row) In() string {
	switch {
	case r.B == nil:
		return "A alone"
	case r.A == nil:
		return "B alone"
	}
	return "A, and at " + traces.Moment(r.B.At) + " in B"
}
