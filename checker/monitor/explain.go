package monitor

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/model"
)

// Explanation says why a history is illegal.
type Explanation struct {
	Violation Violation
	// Shortest is a history that is illegal by itself, and from which nothing can
	// be taken away: without any of its holds or other calls it is legal, or
	// says something else. Calls are as they were, in the order of their
	// calls.
	Shortest []model.Call
}

// Explain reduces a history that [Judge] found illegal to what makes it so. A
// hold is taken away whole, with what ended or extended it, so that what is left
// is still a history. What overlaps a try that failed, or comes next to it,
// is left: without it the try would fail for another reason.
//
// It judges the history again and again, each time for at most so long where a
// search is needed: about as many times as the calls that remain, and a few
// dozen times more while it halves a long one.
func Explain(spec model.Spec, calls []model.Call, r Result, limit time.Duration) Explanation {
	e := Explanation{Shortest: slices.Clone(calls)}
	if r.Violation == nil {
		return e
	}
	e.Violation = *r.Violation
	slices.SortStableFunc(e.Shortest, inOrder)
	x := explainer{spec: spec, rule: r.Violation.Rule, limit: limit, needed: r.Violation.Calls}
	if x.rule == Search {
		x.needed = nil
	}
	if units := x.reduce(groups(x.before(e.Shortest, r.Violation.At))); x.illegal(units) {
		e.Shortest = flat(units)
	}
	if again, err := Judge(spec, e.Shortest, limit); err == nil && again.Violation != nil && x.rule != Search {
		e.Violation = *again.Violation
	}
	return e
}

// explainer reduces one history.
type explainer struct {
	spec   model.Spec
	rule   Rule
	limit  time.Duration
	needed []int // the calls that decided it
	// from and to are between which nothing is taken away.
	from, to int64
}

// before is what was called up to an event. What had not returned then has an
// unknown outcome, unless the violation names it.
func (x *explainer) before(calls []model.Call, at int64) []model.Call {
	for i := range calls {
		if c := &calls[i]; x.rule == Try && c.Try && slices.Contains(x.needed, c.ID) && (x.to == 0 || c.Outcome == model.Failed) {
			x.from, x.to = c.Call, c.Return
		}
	}
	if x.rule == Search {
		return calls
	}
	return slices.DeleteFunc(slices.Clone(calls), func(c model.Call) bool { return c.Call > at })
}

// groups are the calls that can be taken away together: an acquire with all that
// names it, or that its owner does until it has given everything back.
func groups(calls []model.Call) [][]model.Call {
	var units [][]model.Call
	of := make(map[int]int)      // the unit of an acquire
	open := make(map[string]int) // the unit that an owner is in, and
	depth := make(map[string]int64)
	for _, c := range calls {
		owner := c.Holder()
		unit, inside := open[owner]
		named, known := of[c.Of]
		switch opens := strings.HasPrefix(string(c.Op), string(model.Acquire)); {
		case opens && c.Outcome == model.Failed, c.Op == model.Crash:
			inside = false
		case opens:
			depth[owner] += c.Amount()
		case known:
			unit, inside = named, true
			fallthrough
		default:
			if depth[owner] -= c.Amount(); depth[owner] <= 0 || c.Outcome != model.OK {
				delete(depth, owner)
				delete(open, owner)
			}
		}
		if !inside {
			unit = len(units)
			units = append(units, nil)
		}
		units[unit] = append(units[unit], c)
		if depth[owner] > 0 {
			open[owner] = unit
		}
		of[c.ID] = unit
	}
	return units
}

// flat is the history of some groups.
func flat(units [][]model.Call) []model.Call {
	calls := slices.Concat(units...)
	slices.SortStableFunc(calls, inOrder)
	return calls
}

// illegal reports whether the groups are illegal by the same rule.
func (x *explainer) illegal(units [][]model.Call) bool {
	calls := flat(units)
	if x.rule == Search {
		ops := model.Operations(x.spec, calls)
		return porcupine.CheckOperationsTimeout(x.spec.Model(), ops, x.limit) == porcupine.Illegal
	}
	m, err := New(x.spec)
	if err != nil {
		return false
	}
	r := Feed(m, calls)
	return r.Violation != nil && r.Violation.Rule == x.rule
}

// reduce takes away groups: first all that decided nothing, and if that is too
// much smaller and smaller parts of the history (Zeller and Hildebrandt,
// "Simplifying and isolating failure-inducing input", 2002).
func (x *explainer) reduce(units [][]model.Call) [][]model.Call {
	if few := slices.DeleteFunc(slices.Clone(units), func(u []model.Call) bool { return !x.keeps(u) }); len(few) > 0 && x.illegal(few) {
		units = few
	}
	for size := max(1, len(units)/2); ; size /= 2 {
		for i := 0; i < len(units); {
			cut := slices.Clone(units[i:min(i+size, len(units))])
			rest := slices.DeleteFunc(cut, func(u []model.Call) bool { return !x.fixed(u) })
			less := slices.Concat(units[:i], rest, units[min(i+size, len(units)):])
			if len(less) < len(units) && x.illegal(less) {
				units = less
				i += len(rest)
			} else {
				i += size
			}
		}
		if size <= 1 {
			return units
		}
	}
}

// keeps reports whether the group is named by the violation, or fixed.
func (x *explainer) keeps(unit []model.Call) bool {
	return x.fixed(unit) || slices.ContainsFunc(unit, func(c model.Call) bool { return slices.Contains(x.needed, c.ID) })
}

// fixed reports whether the group may have been there during the try.
func (x *explainer) fixed(unit []model.Call) bool {
	if x.to == 0 {
		return false
	}
	end := int64(0)
	for _, c := range unit {
		if c.Pending() {
			return unit[0].Call <= x.to
		}
		end = max(end, c.Return)
	}
	last := unit[len(unit)-1]
	if strings.HasPrefix(string(last.Op), string(model.Acquire)) && last.Outcome == model.OK {
		return unit[0].Call <= x.to // never ended
	}
	return unit[0].Call <= x.to && end >= x.from
}

// String is the explanation in words: what is wrong, and the calls of the
// shortest history, one a line.
func (e Explanation) String() string {
	var w strings.Builder
	w.WriteString(capital(e.Violation.Sentence) + "\n")
	for i := range e.Shortest {
		w.WriteString("  " + line(&e.Shortest[i]) + "\n")
	}
	return w.String()
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// line is a call in words.
func line(c *model.Call) string {
	switch {
	case c.Op == model.Crash:
		return fmt.Sprintf("event %d: %s crashes", c.Call, c.Client)
	case c.Op == model.Expire:
		return fmt.Sprintf("event %d: the hold #%d may end", c.Call, c.Of)
	}
	s := fmt.Sprintf("%s: %s #%d %s", interval(c), c.Holder(), c.ID, c.Op)
	if c.N != 0 {
		s += fmt.Sprintf(" %d", c.N)
	}
	if c.Try {
		s += ", as a try"
	}
	s += ": " + string(c.Outcome)
	if c.Fenced {
		s += fmt.Sprintf(", token %d", c.Token)
	}
	if c.Until != 0 {
		s += fmt.Sprintf(", valid until event %d", c.Until)
	}
	if c.Valued {
		s += fmt.Sprintf(", value %d", c.Value)
	}
	return s
}
