package locktest

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/report"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
)

// selectScenarios selects the scenarios to search by go test's flags, once: go test numbers subtests of one name.
func (x *session) selectScenarios() {
	x.selected = map[string]bool{}
	for _, s := range x.scenarios() {
		x.selected[s.ID] = testbinary.Selects(x.call, s.ID)
	}
}

// examineAll searches the scenarios whose subtests go test's flags select.
func (x *session) examineAll(ctx context.Context, t *testing.T) map[string]*outcome {
	t.Helper()
	outcomes, ended := map[string]*outcome{}, false
	for _, s := range x.scenarios() {
		if !x.selected[s.ID] || ended {
			continue
		}
		if c, err := x.cell(s); testing.Verbose() && err == nil && c.Lacks() == "" {
			t.Log(x.beginning(c))
		}
		o := x.examine(ctx, s)
		outcomes[s.ID], ended = o, o.failed && testbinary.FailFast()
	}
	return outcomes
}

// examine tries the kept cases of a scenario and searches it.
func (x *session) examine(ctx context.Context, s *cell.Scenario) *outcome {
	o := &outcome{}
	if c, err := x.cell(s); err == nil && c.Lacks() != "" {
		x.searches = append(x.searches, report.Search{Lock: x.call.Name, Scenario: s.ID, Result: report.NotApplicable, Meaning: c.Lacks()})
		o.skip = s.ID + " does not apply: " + c.Lacks()
		return o
	}
	x.findings.Searched = append(x.findings.Searched, s.ID)
	met := map[string]bool{}
	if x.tryKept(ctx, o, s, met); o.ended {
		return o // the kept case must be fixed first
	}
	r, err := x.hunt(ctx, s)
	x.searches = append(x.searches, x.searched(s, r))
	for i, h := range r.Happenings {
		if r.somewhere[i] {
			x.reached[h.Name] += h.Schedules
		}
	}
	x.note(o, r)
	if err != nil {
		x.problemf(o, "%s: after %s: %s", s.ID, wording.Count(r.Schedules, "schedule"), x.why(err))
	} else {
		o.detailf("%s", r)
		x.demand(o, r, met)
	}
	x.failPanicked(o, r)
	x.fail(o, x.against(s, r))
	if r.Cut {
		x.cut = append(x.cut, r)
		if !o.failed {
			o.skip = x.cutText(r)
		}
	}
	x.noteAbsent(s, o, r.absent)
	if reason := r.vacuity(); reason != "" && !o.failed {
		x.vacuous = append(x.vacuous, s.ID+": "+reason)
		o.skip = reason
	}
	return o
}

// show runs in the subtest of a scenario, and reports its outcome.
func (x *session) show(t *testing.T, o *outcome) {
	t.Helper()
	if o == nil {
		t.Fatalf("lockpick: the scenario was not searched: another subtest of %s has the same name. Give Check a subtest of its own.", x.call.Name)
	}
	for _, tr := range o.shown {
		x.exhibit(t, tr)
	}
	for _, s := range o.messages {
		if s.fails {
			t.Error(s.text)
		} else {
			t.Log(s.text)
		}
	}
	for _, f := range o.failures {
		t.Error(x.failureText(f))
	}
	switch {
	case o.failed:
		t.Fail() // the summary has the cause
	case o.skip != "":
		t.Skip(o.skip)
	}
}

// failPanicked fails for each property whose judging panicked, once.
func (x *session) failPanicked(o *outcome, r *Result) {
	for _, id := range slices.Sorted(maps.Keys(r.Panicked)) {
		if !slices.Contains(x.panicked, id) {
			x.panicked = append(x.panicked, id)
			x.problemf(o, "%s: %s", r.Scenario, r.Panicked[id])
		}
	}
}

// note adds the findings that do not fail to the outcome.
func (x *session) note(o *outcome, r *Result) {
	for i := range r.Findings {
		f := r.Findings[i].Trace
		o.shown = append(o.shown, f)
		switch {
		case x.fails(f.Scenario, f.Violation()):
			continue
		case x.expects(f.Scenario, f.Property):
			x.findings.Expected = append(x.findings.Expected, f)
		default:
			x.findings.Limits = append(x.findings.Limits, f)
		}
		o.detailf("%s", x.findingText(f, x.standing(f), testbinary.OutPath(x.call, f)))
	}
}

// demand fails for expected violations that neither a kept case nor the search has shown, unless the search's time has
// ended or a part of it is missing.
func (x *session) demand(o *outcome, r *Result, met map[string]bool) {
	for i := range r.Findings {
		met[r.Findings[i].Property] = true
	}
	for _, e := range x.expected {
		if e.scenario == r.Scenario && !met[e.property] && !r.Cut && len(r.absent) == 0 {
			x.problemf(o, "expected %s to be violated under %s; none found in %s (%s)", e.property, e.scenario, wording.Count(r.Schedules, "schedule"), r.Result)
		}
	}
}

// against lists the findings of a search that fail the test. Leaks, and runs that differ, come last: they hide nothing.
// Reported findings are shrunk.
func (x *session) against(s *cell.Scenario, r *Result) []*causes.Failure {
	var unfinished, last []*causes.Failure
	for i := range r.Troubles {
		trouble := &r.Troubles[i]
		one := causes.Unfinished(s.ID, x.troubleTrace(s, trouble), trouble)
		if trouble.HidesNothing() {
			last = append(last, one)
		} else {
			unfinished = append(unfinished, one)
		}
	}
	return slices.Concat(unfinished, r.failures, last)
}
