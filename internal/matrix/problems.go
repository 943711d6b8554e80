package matrix

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Problem is a difference from the expectations, as a sentence.
type Problem struct {
	// Kind is unexpected or missed, or the search's result if it allows no statement: a
	// kind of trouble, vacuous or inconclusive.
	Kind string
	Text string
}

// The kinds of problems that are not results of a search.
const (
	kindUnexpected = "unexpected" // a forbidden violation was found
	kindMissed     = "missed"     // a required violation was not found
)

// Unlike reports whether findings differ from the expectation. Otherwise the problem is that no statement can be made.
func (p Problem) Unlike() bool { return p.Kind == kindUnexpected || p.Kind == kindMissed }

// Problems returns the cell's differences from its expectation. An interrupted search misses
// nothing.
func (c *Cell) Problems() (list []Problem) {
	if c.Summary == nil {
		return nil
	}
	at := c.Lock.ID + " under " + c.Scenario.ID
	missed, never := c.Expected.Unlike(c.Violated())
	for _, v := range never {
		list = append(list, Problem{kindUnexpected, fmt.Sprintf(
			"%s: %s is violated as a %s%s, which is unexpected: in %s of %s, first in %s.%s", at, v.Property, v.Class(), c.CauseOf(v),
			wording.Grouped(c.Summary.Violations[v]), wording.GroupedCount(c.Summary.Schedules, "schedule"), wording.Grouped(c.Summary.First[v].Schedule), c.evidence(v))})
	}
	for _, kind := range c.troubles() {
		list = append(list, Problem{string(kind), fmt.Sprintf("%s: a run did not finish (%s): %s", at, kind, c.reasonOf(kind))})
	}
	if c.Summary.Interrupted {
		return list
	}
	for _, v := range missed {
		list = append(list, Problem{kindMissed, fmt.Sprintf(
			"%s: %s was not found in %s, but is expected%s. %s", at, v.Words(), wording.GroupedCount(c.Summary.Schedules, "schedule"), c.instead(v), c.Why())})
	}
	return append(list, c.doubts(at, missed)...)
}

// doubts returns the reasons why no statement can be made, or why an expected one cannot.
func (c *Cell) doubts(at string, missed []model.Violation) (list []Problem) {
	if i := slices.Index(c.Summary.Happened, 0); i >= 0 && !c.Expected.Vacuous && len(c.Violated()) == 0 && len(missed) == 0 {
		list = append(list, Problem{explore.Vacuous, fmt.Sprintf(
			"%s: it never happened in %s that %s, so they say nothing about the lock.", at, wording.GroupedCount(c.Summary.Schedules, "schedule"), c.Happenings()[i].Name)})
	}
	switch {
	case c.Expected.Undecided && c.Summary.Undecided == 0:
		list = append(list, Problem{kindMissed, fmt.Sprintf(
			"%s: every run finished in %s, but some are expected not to. %s", at, wording.GroupedCount(c.Summary.Schedules, "schedule"), c.Why())})
	case !c.Expected.Undecided && !c.Expected.MayBeUndecided && c.Summary.Undecided > 0 && len(c.Violated()) == 0:
		list = append(list, Problem{string(explore.Inconclusive), fmt.Sprintf(
			"%s: %s could not be decided: %s", at, wording.GroupedCount(c.Summary.Undecided, "schedule"), c.Summary.FirstUndecided.Sentence)})
	}
	return list
}

// Why returns the reason of the expectation.
func (c *Cell) Why() string {
	if c.Expected.Reason != "" {
		return c.reason + " " + c.Expected.Reason
	}
	return c.reason
}

// CauseOf returns the cause of a violation, in parentheses, empty if none is known.
func (c *Cell) CauseOf(v model.Violation) string {
	if f := c.FindingOf(v); f != nil {
		if said := f.Verdict(v); said.Cause != "" {
			return " (cause: " + said.Cause + ")"
		}
	}
	return ""
}

// instead returns a clause if a missed violation was found in the other class.
func (c *Cell) instead(v model.Violation) string {
	other := model.Violation{Property: v.Property, Limit: !v.Limit}
	if c.Summary.Violations[other] == 0 {
		return ""
	}
	return fmt.Sprintf("; it was found as a %s%s", other.Class(), c.CauseOf(other))
}

// evidence describes a violation, with the command that shows it.
func (c *Cell) evidence(v model.Violation) string {
	f := c.FindingOf(v)
	if f == nil {
		return ""
	}
	text := ""
	if sentence := f.Verdict(v).Sentence; sentence != "" {
		text = " " + sentence
	}
	if f.Path != "" {
		return text + " Look: " + c.options.Program + " view " + wording.ShellPath(f.Path)
	}
	return text + " Look: " + c.Again()
}

func (c *Cell) reasonOf(kind explore.TroubleKind) string {
	for i := range c.Summary.Troubles {
		if t := &c.Summary.Troubles[i]; t.Kind == kind {
			return fmt.Sprintf("schedule %s: %s", wording.Grouped(t.Schedule), t.Reason)
		}
	}
	return ""
}
