package story

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// This file compares a run on real servers with the simulated one whose order it followed, or with another real run. No
// event is the same: times are real, random values differ, and connections are made when they are needed. Only who did
// what in which order can be compared.

// realSides returns the runs that were made on real servers.
func (d *Difference) realSides() (list []*Side) {
	for _, s := range []*Side{&d.A, &d.B} {
		if s.Trace.Real != nil {
			list = append(list, s)
		}
	}
	return list
}

// OfReal reports whether a run is a real one, so that steps are compared by their content.
func (d *Difference) OfReal() bool { return len(d.realSides()) > 0 }

// varying matches the parts of a step's text that differ from run to run: a shortened value, a value that looks random, an
// address, and a duration.
var varying = regexp.MustCompile(`[^\s"'=,:/()]{6}…|\b(?:0x)?[0-9a-fA-F]{12}\b|\b\d{1,3}(?:\.\d{1,3}){3}:\d+\b|\b(?:\d+(?:\.\d+)?(?:h|ms|m|s|µs|ns))+\b`)

// shaped returns the steps of a run without the parts that differ from run to run. A violation of the same property by the
// same cause in both runs is the same step, whatever else its text has.
func (d *Difference) shaped(s *Side, list []candidate) []candidate {
	a, b := d.A.Verdict, d.B.Verdict
	same := a != nil && b != nil && a.Property == b.Property && a.Limit == b.Limit && a.Cause == b.Cause
	values := s.recordValues()
	list = slices.Clone(list)
	for i := range list {
		c := &list[i]
		if c.Text = varying.ReplaceAllString(values.Replace(c.Text), "…"); same && c.Violating {
			c.Text = "violates it"
		}
	}
	return list
}

// recordValues replaces the values of records that are shown whole, except those so short that they are more likely counts
// than random values.
func (s *Side) recordValues() *strings.Replacer {
	const shortest, most = 6, 1000
	var pairs []string
	seen := map[string]bool{}
	for i := range s.Trace.History.Observations {
		o := &s.Trace.History.Observations[i]
		for _, value := range append([]string{o.Value}, o.Items...) {
			value = wording.Shorten(value)
			if len(value) >= shortest && !seen[value] && len(seen) < most {
				seen[value] = true
				pairs = append(pairs, value, "…")
			}
		}
	}
	return strings.NewReplacer(pairs...)
}

// endWithReal leaves out what only one run has after the last step of both: a real run ends with its violation. A real run
// that left the order of the simulated run ends there, and keeps its own last steps, which show why.
func (d *Difference) endWithReal() {
	if real := d.realSides(); len(real) != 1 || real[0].Trace.Real.Diverged != "" {
		return
	}
	last := 0
	for i, r := range d.Rows {
		if r.A != nil && r.B != nil || r.Violating() {
			last = i + 1
		}
	}
	d.later, d.Rows = len(d.Rows)-last, d.Rows[:last]
}

// inBoth returns the number of steps that both runs have.
func (d *Difference) inBoth() (n int) {
	for _, r := range d.Rows {
		if r.A != nil && r.B != nil {
			n++
		}
	}
	return n
}

// realHeadline returns a sentence with the result of a comparison with a real run.
func (d *Difference) realHeadline() string {
	if n := len(d.Rows); n > 1 && n == d.inBoth() {
		return fmt.Sprintf("All %s are in both runs.", wording.GroupedCount(n, "step"))
	}
	return fmt.Sprintf("%s of %s are in both runs.", wording.Grouped(d.inBoth()), wording.GroupedCount(len(d.Rows), "step"))
}

// realText describes how the runs are compared.
func (d *Difference) realText() string {
	real := d.realSides()
	text := real[0].Letter + " is a real run: its times and random values are its own."
	if len(real) == 2 {
		text = "Both are real runs: times and random values are those of each."
	}
	parts := []string{text, "Steps are put beside each other by who does what, in their order, with the values and lengths of time of A.", d.realHeadline()}
	for _, s := range real {
		switch {
		case s.Trace.Real.Diverged != "":
			parts = append(parts, fmt.Sprintf("%s left the order of the simulated run and ended: %s.", s.Letter, wording.Printable(s.Trace.Real.Diverged)))
		case d.later > 0:
			parts = append(parts, fmt.Sprintf("%s ends with the violation; %s behind it %s left out.", s.Letter, wording.GroupedCount(d.later, "step"), wording.Form(d.later, "is", "are")))
		}
	}
	return strings.Join(parts, " ")
}

// notJudged reports whether a real run was not judged by a property: it is judged only by that of its trace.
func (s *Side) notJudged(property string) bool {
	return s.Trace.Real != nil && !slices.ContainsFunc(s.Trace.Verdicts, func(v model.Verdict) bool { return v.Property == property })
}
