package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// standing is how a lock stands in a scenario.
type standing string

const (
	standsNone      standing = "none-found"
	standsLimit     standing = "limit"
	standsFault     standing = "fault"
	standsUndecided standing = "undecided"
	standsApart     standing = "not-applicable"
	standsUnknown   standing = "not-searched"
)

// standings are all of them, with the mark of each and what it says.
var standings = []struct {
	standing
	mark, says string
}{
	{standsNone, "✓", "nothing found, or weaker findings only, which sound locks have as well"},
	{standsLimit, "◐", "found: limits of leases, which no lease could have prevented"},
	{standsFault, "✗", "found: a fault of the lock"},
	{standsUndecided, "?", "not decided: runs come to no end, or what it is about never happened"},
	{standsApart, "–", "does not apply"},
	{standsUnknown, "·", "not searched"},
}

func (s standing) mark() string { mark, _ := s.words(); return mark }

func (s standing) says() string { _, says := s.words(); return says }

func (s standing) words() (mark, says string) {
	for _, k := range standings {
		if k.standing == s {
			return k.mark, k.says
		}
	}
	return "", ""
}

// letters are what the properties are called where there is no room.
var letters = []struct{ property, letter, says string }{
	{checker.MutualExclusion, "H", "two holders"},
	{checker.Linearizable, "L", "no order of the operations is a mutex's"},
	{checker.NoLostUpdate, "U", "updates lost"},
	{checker.OwnerOnlyRelease, "R", "removes another's live lock"},
	{checker.Fencing, "T", "a token repeats, or is out of order"},
	{checker.Progress, "S", "stuck for ever"},
	{checker.Overrun, "O", "access after the end of the lease"},
	{checker.LeaseHonesty, "V", "the lease says valid, and the store has no lock"},
	{checker.TruthfulAcquire, "A", "an acquisition reports success for what it was not given, or has no longer"},
	{checker.TimelyLoss, "N", "a loss is not told in time"},
	{checker.TruthfulRelease, "F", "a release of what is another's reports success"},
	{checker.TruthfulExtend, "E", "an extension of what is lost reports success"},
	{checker.NoOrphan, "K", "leaves its key behind"},
	{checker.PromptCancel, "C", "stays when its context has ended"},
	{checker.BoundedWakeup, "W", "waits for the expiry of what was released"},
	{checker.FairOrder, "Q", "given out of the order of its queue"},
	{checker.LateOrphan, "k", "a late request leaves its key behind"},
	{checker.ReleaseDenied, "d", "a release that has removed its own key says that it was not held"},
}

// lettersOf are the letters of violations, each as it is marked, of a property the
// fault first: L is left out beside what says more, and is no less than a fault
// where L is.
func lettersOf(list []model.Violation, marked func(v model.Violation, letter string) string) string {
	var words []string
	for _, l := range letters {
		for _, limit := range []bool{false, true} {
			v := model.Violation{Property: l.property, Limit: limit}
			more := model.Violation{Property: checker.MutualExclusion, Limit: limit}.Shown(list) ||
				model.Violation{Property: checker.Fencing, Limit: limit}.Shown(list)
			if slices.Contains(list, v) && !(l.property == checker.Linearizable && more) {
				words = append(words, marked(v, l.letter))
			}
		}
	}
	return strings.Join(words, "")
}

// standing is how the lock stands by what was found.
func (c *matrixCell) standing() standing {
	switch {
	case c.expected.Except != "":
		return standsApart
	case c.sum == nil || c.sum.Schedules == 0:
		return standsUnknown
	}
	found := c.violated()
	for _, s := range []standing{standsFault, standsLimit} {
		if slices.ContainsFunc(found, func(v model.Violation) bool { return standingOf(v) == s }) {
			return s
		}
	}
	switch result := c.sum.Result(); {
	case result == explore.NoneFound || result == explore.Vacuous && c.expected.Vacuous || len(found) > 0:
		return standsNone
	case c.sum.Interrupted:
		return standsUnknown
	}
	return standsUndecided
}

// standingOf is how a lock stands that has such a violation and no other.
func standingOf(v model.Violation) standing {
	switch {
	case scenarios.Weaker(v.Property):
		return standsNone
	case v.Limit:
		return standsLimit
	}
	return standsFault
}

// violated are the violations that were found.
func (c *matrixCell) violated() []model.Violation { return violationsOf(&c.sum.Tally) }

// problem is something that is not as expected, in a sentence, and the exit code
// that it calls for.
type problem struct {
	kind string
	code int
	text string
}

// problems are what is not as expected of the cell. An interrupted search has
// missed nothing.
func (c *matrixCell) problems() (list []problem) {
	if c.sum == nil {
		return nil
	}
	at := c.cell.Lock.ID + " under " + c.cell.Scenario.ID
	missed, never := c.expected.Unlike(c.violated())
	for _, v := range never {
		list = append(list, problem{"unexpected", exitViolation, fmt.Sprintf(
			"%s: %s is violated as a %s%s, which must never be: in %s of %s, first in %s.%s", at, v.Property, v.Class(), c.cause(v),
			wording.Grouped(c.sum.Violations[v]), schedules(c.sum.Schedules), wording.Grouped(c.sum.First[v].Schedule), c.evidence(v))})
	}
	for _, kind := range c.troubles() {
		list = append(list, problem{string(kind), codeOf(string(kind)), fmt.Sprintf("%s: a run came to no proper end (%s): %s", at, kind, c.reasonOf(kind))})
	}
	if c.sum.Interrupted {
		return list
	}
	for _, v := range missed {
		list = append(list, problem{"missed", exitViolation, fmt.Sprintf(
			"%s: %s was not found in %s, and must be%s. %s", at, v.Words(), schedules(c.sum.Schedules), c.instead(v), c.why())})
	}
	return append(list, c.doubts(at, missed)...)
}

// doubts are why nothing can be said, or something cannot that should.
func (c *matrixCell) doubts(at string, missed []model.Violation) (list []problem) {
	if i := slices.Index(c.sum.Happened, 0); i >= 0 && !c.expected.Vacuous && len(c.violated()) == 0 && len(missed) == 0 {
		list = append(list, problem{explore.Vacuous, exitInconclusive, fmt.Sprintf(
			"%s: it never happened in %s that %s, so they say nothing.", at, schedules(c.sum.Schedules), c.cell.Scenario.Happenings[i].Name)})
	}
	switch {
	case c.expected.Undecided && c.sum.Undecided == 0:
		list = append(list, problem{"missed", exitViolation, fmt.Sprintf(
			"%s: every run came to its end in %s, and some must not. %s", at, schedules(c.sum.Schedules), c.why())})
	case !c.expected.Undecided && c.sum.Undecided > 0 && len(c.violated()) == 0:
		list = append(list, problem{string(explore.Inconclusive), exitInconclusive, fmt.Sprintf(
			"%s: %s could not be decided: %s", at, schedules(c.sum.Undecided), c.sum.FirstUndecided.Sentence)})
	}
	return list
}

// why is the reason of what is expected.
func (c *matrixCell) why() string {
	if c.expected.Reason != "" {
		return c.reason + " " + c.expected.Reason
	}
	return c.reason
}

// cause is the cause of a violation, in parentheses, empty if none is known.
func (c *matrixCell) cause(v model.Violation) string {
	if f := c.findingOf(v); f != nil {
		if said := f.verdict(v); said.Cause != "" {
			return " (cause: " + said.Cause + ")"
		}
	}
	return ""
}

// instead says, of a violation that was not found, that the property was violated
// in the other class.
func (c *matrixCell) instead(v model.Violation) string {
	other := model.Violation{Property: v.Property, Limit: !v.Limit}
	if c.sum.Violations[other] == 0 {
		return ""
	}
	return fmt.Sprintf("; it was found as a %s%s", other.Class(), c.cause(other))
}

// evidence is what a violation came to, and where to look at it.
func (c *matrixCell) evidence(v model.Violation) string {
	f := c.findingOf(v)
	if f == nil {
		return ""
	}
	text := ""
	if sentence := f.verdict(v).Sentence; sentence != "" {
		text = " " + sentence
	}
	if f.path != "" {
		return text + " Look: " + c.matrix.name + " view " + wording.Shell(f.path)
	}
	return text + " Look: " + c.again()
}

func (c *matrixCell) reasonOf(kind explore.TroubleKind) string {
	for i := range c.sum.Troubles {
		if t := &c.sum.Troubles[i]; t.Kind == kind {
			return fmt.Sprintf("schedule %s: %s", wording.Grouped(t.Schedule), t.Reason)
		}
	}
	return ""
}

// totals are what the cells came to in all.
type totals struct{ cells, searched, asExpected, schedules int }

func (m *matrix) totals() (t totals) {
	for _, c := range m.all() {
		if c.expected.Except != "" {
			continue
		}
		t.cells++
		if c.sum == nil {
			continue
		}
		t.schedules += c.sum.Schedules
		if !c.sum.Interrupted {
			t.searched++
		}
		if !c.sum.Interrupted && len(c.problems()) == 0 {
			t.asExpected++
		}
	}
	return t
}

// verdict is the last sentence: whether all is as expected.
func (m *matrix) verdict() string {
	t := m.totals()
	switch {
	case m.interrupted:
		return fmt.Sprintf("interrupted: %s of %s searched, %s as expected", wording.Grouped(t.searched), wording.GroupedCount(t.cells, "cell"), wording.Grouped(t.asExpected))
	case t.asExpected == t.cells:
		return fmt.Sprintf("as expected: %s, %s", wording.GroupedCount(t.cells, "cell"), schedules(t.schedules))
	}
	return fmt.Sprintf("not as expected: %s of %s, in %s", wording.Grouped(t.cells-t.asExpected), wording.GroupedCount(t.cells, "cell"), schedules(t.schedules))
}
