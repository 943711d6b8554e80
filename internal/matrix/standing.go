package matrix

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Standing is how a lock stands in a scenario.
type Standing string

// The standings.
const (
	NoneFound     Standing = "none-found"
	Limit         Standing = "limit"
	Fault         Standing = "fault"
	Undecided     Standing = "undecided"
	NotApplicable Standing = "not-applicable"
	NotSearched   Standing = "not-searched"
)

// standings are all of them, with the mark of each and what it says.
var standings = []struct {
	Standing
	mark, says string
}{
	{NoneFound, "✓", "nothing found, or weaker findings only, which sound locks have as well"},
	{Limit, "◐", "found: limits of leases, which no lease could have prevented"},
	{Fault, "✗", "found: a fault of the lock"},
	{Undecided, "?", "not decided: runs come to no end, or what it is about never happened"},
	{NotApplicable, "–", "does not apply"},
	{NotSearched, "·", "not searched"},
}

// Standings are all of them, in the order in which a legend explains them.
func Standings() (list []Standing) {
	for _, k := range standings {
		list = append(list, k.Standing)
	}
	return list
}

// Mark is the standing in one character.
func (s Standing) Mark() string { mark, _ := s.words(); return mark }

// Says is what the standing means.
func (s Standing) Says() string { _, says := s.words(); return says }

func (s Standing) words() (mark, says string) {
	for _, k := range standings {
		if k.Standing == s {
			return k.mark, k.says
		}
	}
	return "", ""
}

// A Letter is what a property is called where there is no room, and what it says
// if it is found.
type Letter struct{ Property, Letter, Says string }

// Letters are the letters of the properties, what says most first.
func Letters() []Letter { return letters }

var letters = []Letter{
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

// LettersOf are the letters of violations, each as it is marked, of a property the
// fault first: L is left out beside what says more, and is no less than a fault
// where L is.
func LettersOf(list []model.Violation, marked func(v model.Violation, letter string) string) string {
	var words []string
	for _, l := range letters {
		for _, limit := range []bool{false, true} {
			v := model.Violation{Property: l.Property, Limit: limit}
			more := model.Violation{Property: checker.MutualExclusion, Limit: limit}.Shown(list) ||
				model.Violation{Property: checker.Fencing, Limit: limit}.Shown(list)
			if slices.Contains(list, v) && !(l.Property == checker.Linearizable && more) {
				words = append(words, marked(v, l.Letter))
			}
		}
	}
	return strings.Join(words, "")
}

// Standing is how the lock stands by what was found.
func (c *Cell) Standing() Standing {
	switch {
	case c.Expected.Except != "":
		return NotApplicable
	case c.Summary == nil || c.Summary.Schedules == 0:
		return NotSearched
	}
	found := c.Violated()
	for _, s := range []Standing{Fault, Limit} {
		if slices.ContainsFunc(found, func(v model.Violation) bool { return StandingOf(v) == s }) {
			return s
		}
	}
	switch result := c.Summary.Result(); {
	case result == explore.NoneFound || result == explore.Vacuous && c.Expected.Vacuous || len(found) > 0:
		return NoneFound
	case c.Summary.Interrupted:
		return NotSearched
	}
	return Undecided
}

// StandingOf is how a lock stands that has such a violation and no other.
func StandingOf(v model.Violation) Standing {
	switch {
	case scenarios.Weaker(v.Property):
		return NoneFound
	case v.Limit:
		return Limit
	}
	return Fault
}

// Classes are the classes in which a property was violated or is expected to be:
// as a fault, as a limit, or both. Where there is neither, it is that it must never
// be violated as a fault.
func (c *Cell) Classes(id string) (list []model.Violation) {
	fault, limit := model.Violation{Property: id}, model.Violation{Property: id, Limit: true}
	for _, v := range []model.Violation{fault, limit} {
		if c.Summary.Violations[v] > 0 || c.Expected.Allows(v) {
			list = append(list, v)
		}
	}
	if len(list) == 0 {
		list = append(list, fault)
	}
	return list
}

// Unended reports whether there are runs that come to no end, as expected, beside
// what was found.
func (c *Cell) Unended() bool {
	return c.Expected.Undecided && len(c.Violated()) > 0 && c.Summary.Undecided > 0
}

// AsExpected reports whether the cell was searched to its end, and nothing is
// otherwise than expected.
func (c *Cell) AsExpected() bool {
	return c.Summary != nil && !c.Summary.Interrupted && len(c.Problems()) == 0
}
