package matrix

import (
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Standing is the result of a lock in a scenario.
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

// standings are all standings, with their marks and meanings.
var standings = []struct {
	Standing
	mark, says string
}{
	{NoneFound, "✓", "nothing found, or only weak properties, which sound locks violate too"},
	{Limit, "◐", "found: limits of leases, which no lease could have prevented"},
	{Fault, "✗", "found: a fault of the lock"},
	{Undecided, "?", "undecided: runs did not finish, or what the scenario is for never happened"},
	{NotApplicable, "–", "does not apply"},
	{NotSearched, "·", "not searched"},
}

// Standings are all standings in the order of a legend.
func Standings() (list []Standing) {
	for _, k := range standings {
		list = append(list, k.Standing)
	}
	return list
}

// Mark is the standing in one character.
func (s Standing) Mark() string { mark, _ := s.words(); return mark }

// Says is the meaning of the standing.
func (s Standing) Says() string { _, says := s.words(); return says }

func (s Standing) words() (mark, says string) {
	for _, k := range standings {
		if k.Standing == s {
			return k.mark, k.says
		}
	}
	return "", ""
}

// A Letter is the short form of a property, with the meaning of its violation.
type Letter struct{ Property, Letter, Says string }

// Letters are the letters of the properties, the most important first.
func Letters() []Letter { return letters }

var letters = []Letter{
	{checker.MutualExclusion, "H", "two holders"},
	{checker.Linearizable, "L", "no order of the operations fits a mutex"},
	{checker.NoLostUpdate, "U", "updates lost"},
	{checker.OwnerOnlyRelease, "R", "removes another's live lock"},
	{checker.Fencing, "T", "a token repeats, or is out of order"},
	{checker.Progress, "S", "a waiting client never gets the lock"},
	{checker.Overrun, "O", "access after the end of the lease"},
	{checker.LeaseHonesty, "V", "a lease says that it is valid, but the store has no lock for it"},
	{checker.TruthfulAcquire, "A", "Acquire reports success for a lock that was not granted, or whose lease has ended"},
	{checker.TimelyLoss, "N", "the loss of a lease is reported late, or never"},
	{checker.TruthfulRelease, "F", "Release reports success for a lock that it no longer held"},
	{checker.TruthfulExtend, "E", "Extend reports success for a lost lock"},
	{checker.NoOrphan, "K", "leaves its key behind"},
	{checker.PromptCancel, "C", "does not return soon after its context has ended"},
	{checker.BoundedWakeup, "W", "waiters get a released lock only at its expiry"},
	{checker.FairOrder, "Q", "granted out of the order of its queue"},
	{checker.BusyWait, "b", "a waiting client asks the store without a pause"},
	{checker.VainWait, "v", "a client waits on when its record has ended with its session"},
	{checker.LateOrphan, "k", "a late request leaves its key behind"},
	{checker.ReleaseDenied, "d", "Release removes its own key and says that it was not held"},
}

// LettersOf are the marked letters of violations; for each property the fault comes first.
// L is left out beside a stronger violation of the same class.
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

// Standing is the lock's standing by its findings.
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

// StandingOf is the standing of a lock with this violation alone.
func StandingOf(v model.Violation) Standing {
	switch {
	case scenarios.Weaker(v.Property):
		return NoneFound
	case v.Limit:
		return Limit
	}
	return Fault
}

// Classes are the classes in which a property was violated or may be: as a fault, as a
// limit, or both. If there is none it is the fault, which is forbidden.
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

// Unended reports whether some runs do not finish, as expected, beside the violations.
func (c *Cell) Unended() bool {
	return c.Expected.Undecided && len(c.Violated()) > 0 && c.Summary.Undecided > 0
}

// AsExpected reports whether the cell was searched completely, without a problem.
func (c *Cell) AsExpected() bool {
	return c.Summary != nil && !c.Summary.Interrupted && len(c.Problems()) == 0
}
