package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// cause is all findings of one lock that have the same cause, the simplest first.
type cause struct {
	lock     string
	id       string // of the verdict, or the property
	rank     int    // runs that did not finish, faults, limits
	findings []Finding
}

// causesOf groups the findings: runs that did not finish first, then faults, then limits.
func causesOf(all []Finding) (list []*cause) {
	for _, f := range all {
		lock, id, rank := lockOf(f.Trace), causeOf(f.Trace), rankOf(f.Trace)
		i := slices.IndexFunc(list, func(c *cause) bool { return c.lock == lock && c.id == id && c.rank == rank })
		if i < 0 {
			i = len(list)
			list = append(list, &cause{lock: lock, id: id, rank: rank})
		}
		list[i].findings = append(list[i].findings, f)
	}
	for _, c := range list {
		slices.SortStableFunc(c.findings, func(a, b Finding) int { return compare(a.Trace, b.Trace) })
		c.findings = distinct(c.findings)
	}
	slices.SortStableFunc(list, func(a, b *cause) int {
		return cmp.Or(cmp.Compare(a.rank, b.rank), cmp.Compare(a.lock, b.lock), compare(a.findings[0].Trace, b.findings[0].Trace))
	})
	return list
}

// lockOf names the lock of a trace: a test, if only a test knows it.
func lockOf(t *traces.Trace) string {
	if t.Test != nil {
		return t.Test.Name
	}
	return t.Lock
}

// causeOf is the cause of a trace's violation, or its property if no cause is known.
func causeOf(t *traces.Trace) string {
	if t.Trouble != nil {
		return t.Trouble.Kind
	}
	if v := t.Verdict(); v != nil && v.Cause != "" {
		return v.Cause
	}
	return t.Property
}

func rankOf(t *traces.Trace) int {
	switch {
	case t.Trouble != nil:
		return 0
	case !t.Limit:
		return 1
	}
	return 2
}

// compare puts the simpler of two traces first: the one with fewer deviations, fewer
// clients and rounds, fewer events.
func compare(a, b *traces.Trace) int {
	return cmp.Or(
		cmp.Compare(explore.CountDeviations(a.Tape), explore.CountDeviations(b.Tape)),
		cmp.Compare(len(a.Actors), len(b.Actors)),
		cmp.Compare(a.LastSeq(), b.LastSeq()),
		strings.Compare(a.Scenario, b.Scenario),
		strings.Compare(a.Property, b.Property),
		strings.Compare(a.Hash, b.Hash),
	)
}

// distinct drops what is the same finding of the same search as a simpler one: a trace
// that was shrunk later is beside the one that it comes from.
func distinct(list []Finding) (once []Finding) {
	for _, f := range list {
		same := func(o Finding) bool {
			return o.Trace.Scenario == f.Trace.Scenario && o.Trace.Violation() == f.Trace.Violation() && o.Trace.Seed == f.Trace.Seed &&
				o.Trace.Schedule == f.Trace.Schedule && o.Trace.Strategy == f.Trace.Strategy && f.Trace.Trouble == nil
		}
		if !slices.ContainsFunc(once, same) {
			once = append(once, f)
		}
	}
	return once
}

// title says what the cause is.
func (c *cause) title() string {
	t := c.findings[0].Trace
	switch text := model.CauseOf(c.id).Text; {
	case t.Trouble != nil:
		return "a run did not finish: " + wording.Printable(t.Trouble.Kind)
	case text != "":
		return text
	}
	return wording.Printable(c.id) + " is violated"
}

// class is how it counts.
func (c *cause) class() string {
	return [...]string{"unfinished", "fault", "limit of leases"}[c.rank]
}

// where says what is violated for that cause, and in which scenarios.
func (c *cause) where() string {
	var properties, in []string
	for _, f := range c.findings {
		if p := wording.Printable(f.Trace.Property); p != "" && !slices.Contains(properties, p) {
			properties = append(properties, p)
		}
		if s := wording.Printable(f.Trace.Scenario); !slices.Contains(in, s) {
			in = append(in, s)
		}
	}
	text := "under " + wording.And(in)
	if len(properties) > 0 {
		text = wording.And(properties) + " " + text
	}
	return text
}

// found says which schedule of which search showed it, and how small it was made.
func found(t *traces.Trace) string {
	text := fmt.Sprintf("schedule %s of the search with seed %d", wording.Grouped(t.Schedule), t.Seed)
	switch {
	case t.Schedule < 0:
		text = "found by no search"
	case t.Strategy == "rapid":
		text = "found by rapid"
	case t.Strategy != "":
		text += ", strategy " + wording.Printable(t.Strategy)
	default:
		text += ", exhaustive"
	}
	if s := t.Shrunk; s != nil {
		text += fmt.Sprintf("; shrunk from %s to %s in %s", wording.GroupedCount(s.From, "deviation"), wording.Grouped(s.To), wording.GroupedCount(s.Runs, "run"))
	} else if t.Trouble == nil {
		text += "; not shrunk: " + wording.GroupedCount(explore.CountDeviations(t.Tape), "deviation")
	}
	return text
}

// sentence is what went wrong in a run.
func sentence(t *traces.Trace) string {
	switch v := t.Verdict(); {
	case t.Trouble != nil:
		return wording.Printable(t.Trouble.Reason)
	case v != nil && v.Sentence != "":
		return wording.Printable(v.Sentence)
	}
	if lines := render.Outline(t); len(lines) > 0 {
		return strings.TrimSpace(lines[0])
	}
	return ""
}
