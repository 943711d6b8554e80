package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// cause is a story of one lock: all findings of one rank that have the same cause, or causes that show in one run. The
// first finding represents it.
type cause struct {
	lock     string
	home     string // the package of the test that is the lock, empty for another lock
	id       string // of the verdict, or the property
	rank     int
	findings []Finding
}

// The ranks of causes, the worst first.
const (
	unfinishedRank = iota
	faultRank
	limitRank
)

// leak reports whether it is about runs that only left goroutines behind.
func (c *cause) leak() bool {
	t := c.findings[0].Trace
	return t.Trouble != nil && t.Trouble.Leaked
}

// of reports whether the cause shows in a search's lock and scenario.
func (c *cause) of(s *Search) bool {
	return c.lock == s.Lock && slices.ContainsFunc(c.findings, func(f Finding) bool { return f.Trace.Scenario == s.Scenario })
}

// causesOf groups the findings: runs that did not finish first, then faults, then limits, and last runs that only left
// goroutines behind. Package causes decides which have a cause in common, as for simrun run and for Check.
func causesOf(all []Finding) (list []*cause) {
	var groups []*cause // by lock and rank
	for _, f := range all {
		lock, home := lockOf(f.Trace)
		rank := rankOf(f.Trace)
		i := slices.IndexFunc(groups, func(c *cause) bool { return c.lock == lock && c.home == home && c.rank == rank })
		if i < 0 {
			i = len(groups)
			groups = append(groups, &cause{lock: lock, home: home, rank: rank})
		}
		groups[i].findings = append(groups[i].findings, f)
	}
	for _, g := range groups {
		slices.SortStableFunc(g.findings, func(a, b Finding) int { return compare(a.Trace, b.Trace) })
		g.findings = distinct(g.findings)
		list = append(list, g.split()...)
	}
	slices.SortStableFunc(list, func(a, b *cause) int {
		return cmp.Or(causes.FalseFirst(a.leak(), b.leak()), cmp.Compare(a.rank, b.rank), cmp.Compare(a.lock, b.lock), cmp.Compare(a.home, b.home), compare(a.findings[0].Trace, b.findings[0].Trace))
	})
	return list
}

// split makes causes of the findings of one lock and rank.
func (c *cause) split() (list []*cause) {
	var found causes.Findings
	var failures []*causes.Failure
	for _, f := range c.findings {
		failures = append(failures, c.failure(f.Trace))
	}
	found.Add(failures)
	stories := found.Stories()
	for _, s := range stories {
		first := c.findings[slices.Index(failures, s.Found)]
		first.Trace = s.Trace
		list = append(list, &cause{lock: c.lock, home: c.home, rank: c.rank, id: causeOf(s.Trace), findings: []Finding{first}})
	}
	for i, f := range failures {
		at := slices.IndexFunc(stories, func(s *causes.Story) bool { return s.Explains(f) })
		if stories[at].Found != f {
			list[at].findings = append(list[at].findings, c.findings[i])
		}
	}
	return list
}

// failure returns a finding in the form of package causes.
func (c *cause) failure(t *traces.Trace) *causes.Failure {
	if t.Trouble != nil {
		return causes.Unfinished(t.Scenario, t, &explore.Trouble{Kind: explore.TroubleKind(t.Trouble.Kind), Reason: t.Trouble.Reason, Leaked: t.Trouble.Leaked})
	}
	f := causes.Violates(t, func(_ string, v model.Violation) bool { return v.Limit == (c.rank == limitRank) })
	f.Reduced = t.Shrunk != nil
	return f
}

// lockOf names the lock of a trace: a test and its package, if only a test knows it.
func lockOf(t *traces.Trace) (lock, home string) {
	if t.Test != nil {
		return t.Test.Name, t.Test.Package
	}
	return t.Lock, ""
}

// causeOf returns the cause of a trace's violation, or its property if no cause is known.
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
		return unfinishedRank
	case !t.Limit:
		return faultRank
	}
	return limitRank
}

// compare orders two traces, the simpler one first: the plainer one, then the one with fewer clients and rounds, then with
// fewer events.
func compare(a, b *traces.Trace) int {
	return cmp.Or(
		causes.Plainer(a, b),
		cmp.Compare(len(a.Actors), len(b.Actors)),
		cmp.Compare(a.LastSeq(), b.LastSeq()),
		strings.Compare(a.Scenario, b.Scenario),
		strings.Compare(a.Property, b.Property),
		strings.Compare(a.Hash, b.Hash),
	)
}

// distinct drops traces of the same counterexample as a simpler one: a shrunk trace may be beside its original.
func distinct(list []Finding) (once []Finding) {
	for _, f := range list {
		if f.Trace.Trouble != nil || !slices.ContainsFunc(once, func(o Finding) bool { return sameOrigin(o.Trace, f.Trace) }) {
			once = append(once, f)
		}
	}
	return once
}

// sameOrigin reports whether two traces of one lock come from the same counterexample: from the
// same schedule of the same search. Rapid's have no schedule; their size distinguishes them.
func sameOrigin(a, b *traces.Trace) bool {
	with, from := origin(a)
	others, fromOther := origin(b)
	numbered := a.Strategy != "rapid" && a.Schedule >= 0
	return a.Scenario == b.Scenario && a.Violation() == b.Violation() && call(a) == call(b) && slices.Equal(with, others) &&
		a.Seed == b.Seed && a.Schedule == b.Schedule && a.Strategy == b.Strategy && (numbered || from == fromOther)
}

// origin has the parameters and the number of deviations of the counterexample as it was found.
func origin(t *traces.Trace) (with []traces.Parameter, deviations int) {
	if s := t.Shrunk; s != nil {
		return s.Parameters, s.From
	}
	return t.Parameters, explore.CountDeviations(t.Tape)
}

// call returns the number of the call in its test, 0 without a test.
func call(t *traces.Trace) int {
	if t.Test != nil {
		return t.Test.Call
	}
	return 0
}

// title describes the cause.
func (c *cause) title() string {
	t := c.findings[0].Trace
	switch text := model.CauseOf(c.id).Text; {
	case c.leak():
		return "a run left goroutines behind"
	case t.Trouble != nil:
		return "a run did not finish: " + wording.Printable(t.Trouble.Kind)
	case text != "":
		return text
	}
	return t.Broken(c.id)
}

// class returns the class of the cause.
func (c *cause) class() string {
	return [...]string{"unfinished", "fault", "limit of leases"}[c.rank]
}

// where describes what is violated by that cause, and in which scenarios.
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

// found describes the schedule and the search that showed it, and how it was shrunk.
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

// sentence describes what went wrong in a run.
func sentence(t *traces.Trace) string {
	switch v := t.Verdict(); {
	case t.Trouble != nil:
		return wording.Printable(t.Trouble.Reason)
	case v != nil && v.Sentence != "":
		return wording.Printable(v.Sentence)
	}
	if lines := story.Outline(t); len(lines) > 0 {
		return strings.TrimSpace(lines[0])
	}
	return ""
}
