package matrix

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Standing is the result of a lock in a scenario.
type Standing string

// The standings.
const (
	NoneFound     Standing = "none-found"
	Vacuous       Standing = "vacuous"
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
	{Vacuous, "○", "vacuous: what the scenario is about never happened"},
	{Limit, "◐", "found: limits of leases, which no lease could have prevented"},
	{Fault, "✗", "found: a fault of the lock"},
	{Undecided, "?", "undecided: runs did not finish"},
	{NotApplicable, "–", "does not apply"},
	{NotSearched, "·", "not searched"},
}

// Standings returns all standings in the order of a legend.
func Standings() (list []Standing) {
	for _, k := range standings {
		list = append(list, k.Standing)
	}
	return list
}

// Mark returns the standing in one character.
func (s Standing) Mark() string { mark, _ := s.words(); return mark }

// Says returns the meaning of the standing.
func (s Standing) Says() string { _, says := s.words(); return says }

func (s Standing) words() (mark, says string) {
	for _, k := range standings {
		if k.Standing == s {
			return k.mark, k.says
		}
	}
	return "", ""
}

// Usual returns the properties that are judged for every lock or, for a program, its rules and the added properties.
func (c *Cell) Usual() []checker.Property {
	if c.Lock.Noun() == "program" {
		return c.Added
	}
	return slices.DeleteFunc(c.options.properties(), func(p checker.Property) bool { return !p.Usual() })
}

// properties returns all properties in the order of their letters: those judged for every lock, those that some locks
// promise, and weak ones.
func (o *Options) properties() []checker.Property {
	list := append(checker.Properties(), o.Known.Properties...)
	rank := func(p checker.Property) int {
		switch {
		case p.Weak:
			return 2
		case p.Promised:
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b checker.Property) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// Shown returns the properties of which some cell shows a letter, in the order of the letters.
func (m *Matrix) Shown() (list []checker.Property) {
	found := map[string]bool{}
	for _, c := range m.Cells() {
		c.Letters(c.Violated(), func(v model.Violation, _ string) string { found[v.Property] = true; return "" })
	}
	return m.Among(found)
}

// Among returns the properties with the given ids, in the order of their letters.
func (m *Matrix) Among(ids map[string]bool) []checker.Property {
	return slices.DeleteFunc(m.properties(), func(p checker.Property) bool { return !ids[p.ID] })
}

// Letters returns the marked letters of violations; for each property the fault comes first. A
// violation that another one of the same class implies has no letter.
func (c *Cell) Letters(list []model.Violation, marked func(v model.Violation, letter string) string) string {
	var words []string
	for _, p := range c.options.properties() {
		for _, limit := range []bool{false, true} {
			implied := slices.ContainsFunc(p.ImpliedBy, func(id string) bool { return model.Violation{Property: id, Limit: limit}.Shown(list) })
			if v := (model.Violation{Property: p.ID, Limit: limit}); slices.Contains(list, v) && !implied {
				words = append(words, marked(v, p.Letter))
			}
		}
	}
	return strings.Join(words, "")
}

// Standing returns the lock's standing by its findings.
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
	case result == explore.NoneFound || len(found) > 0:
		return NoneFound
	case result == explore.Vacuous:
		return Vacuous
	case c.Summary.Interrupted:
		return NotSearched
	}
	return Undecided
}

// StandingOf returns the standing of a lock with this violation alone.
func StandingOf(v model.Violation) Standing {
	switch {
	case checker.Weak(v.Property):
		return NoneFound
	case v.Limit:
		return Limit
	}
	return Fault
}

// Classes returns the classes in which a property was violated or may be: as a fault, as a
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

// Unended reports whether some runs do not finish, as expected, besides the violations.
func (c *Cell) Unended() bool {
	return c.Expected.Undecided && len(c.Violated()) > 0 && c.Summary.Undecided > 0
}

// AsExpected reports whether the cell was searched completely, without a problem.
func (c *Cell) AsExpected() bool {
	return c.Summary != nil && !c.Summary.Interrupted && len(c.Problems()) == 0
}
