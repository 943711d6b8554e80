package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/report"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios/internal/testbinary"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Check runs every scenario against a lock, each as a subtest, and fails for faults of the
// lock.
//
//	func TestMyLock(t *testing.T) {
//		scenarios.Check(t, func(c *scenarios.Client) lock.Locker {
//			rdb := redis.NewClient(c.Redis())
//			c.Cleanup(func() { _ = rdb.Close() })
//			return myAdapter{mylock.New(rdb), c.LockName(), c.TTL()}
//		})
//	}
//
// Before the search, Check logs warnings about what no schedule can show: see [Warnings].
//
// A violation fails the test unless it is a limit of leases: its own history shows a cause
// that no lease could have prevented (see the package documentation). Limits fail only
// with [Strict]. A limit does not hide a fault of the same property. Runs that do not
// finish fail too: the lock panicked, spun, stalled, left goroutines behind, or was not
// deterministic. A search is vacuous, and skipped, if one of the scenario's happenings
// never occurred: it says nothing about the lock.
//
// After all scenarios, Check reports each cause once. First comes one line per cause: what
// is wrong, in how many scenarios, and which is the simplest. Then follows one
// counterexample per cause, faults before limits, the simplest first. A line for each
// cause of limits comes next. The last line is the command that replays the first
// counterexample. With -v each scenario reports all of its findings as well.
//
// Check keeps the reported counterexample of each failing cause under testdata/simrun in
// the package's directory, and tries it first next time. As long as it fails, its scenario
// is not searched. Check reports a case that no longer fails and leaves the file. With the
// flag -simrun.seed no kept case is tried.
//
// # Workers
//
// Searches run in worker processes: the test binary, started again with -test.run for this
// test alone. A worker runs the test up to this call, serves its parent there, and exits.
// So everything before the call (TestMain, too) runs in each worker as well, with the
// test's own flags and the same environment plus [WorkerVariable]. It must lead to the
// same call. A worker writes no profiles and no coverage.
//
// # Flags
//
// The flags override the options. Each is also an environment variable, for go test ./...
// :
//
//	-simrun.seed=N       SIMRUN_SEED     the seed of the searches
//	-simrun.runs=N       SIMRUN_RUNS     schedules per scenario
//	-simrun.replay=FILE  SIMRUN_REPLAY   run this trace and nothing else
//	-simrun.diff=FILE    SIMRUN_DIFF     compare that trace with its nearest passing run
//	-simrun.shrink=FILE  SIMRUN_SHRINK   shrink this trace and run nothing else
//	-simrun.out=DIR      SIMRUN_OUT      write traces and pictures of all findings
//	-simrun.report=FILE  SIMRUN_REPORT   write all that was searched and found as one page
//
// Paths are relative to the package's directory. In a step of GitHub Actions, Check also
// prints an annotation at its call for each cause, and adds the counterexamples to the step's
// summary. With -short fewer schedules run. With
// -artifacts traces, pictures and the report also go to the test's artifact directory.
//
// The report is one HTML file to send to somebody: the findings by cause, each with its
// picture, a table of what was searched, seeds and budgets, and what was vacuous. It has all
// calls of Check in the package's tests. It has no script and no external references. Each
// package has a page of its own: with go test ./... name a relative path. The page of another
// package is not replaced; the test fails instead.
func Check(t *testing.T, newLock NewLock, opts ...Option) {
	t.Helper()
	a := begin(t, newLock, opts)
	if a == nil {
		return
	}
	defer a.announce(t, calledAt())
	ctx, cancel := within(t)
	defer cancel()
	switch {
	case testbinary.Replay() != "":
		a.replayFlag(ctx, t)
		return
	case testbinary.Shrink() != "":
		a.shrinkFlag(ctx, t)
		return
	}
	a.findings = &causes.Findings{
		Warnings: a.requirePreflight(ctx, t),
		Limit:    "a limit of leases, not a fault of the lock: it fails because of scenarios.Strict",
	}
	for _, s := range a.scenarios() {
		t.Run(s.ID, func(t *testing.T) {
			t.Helper()
			a.check(ctx, t, s)
		})
	}
	a.summarize(t)
	a.report(t)
}

// Explore searches like [Check] and returns its findings instead of failing. It makes no
// subtests, keeps no cases and tries none. With the flag -simrun.replay it runs that trace
// alone, and with -simrun.shrink it shrinks one. It fails only if the search itself cannot run. Its workers run the test up to
// this call, as those of Check do; earlier calls return an empty report there. So give
// each call a test or subtest of its own.
func Explore(t *testing.T, newLock NewLock, opts ...Option) Report {
	t.Helper()
	var report Report
	a := begin(t, newLock, opts)
	if a == nil {
		return report
	}
	ctx, cancel := within(t)
	defer cancel()
	if testbinary.Shrink() != "" {
		a.shrinkFlag(ctx, t)
		return report
	}
	if testbinary.Replay() != "" {
		if came := a.replayFlag(ctx, t); came != nil && came.fails && came.trouble == nil {
			tr := came.trace
			report.Findings = []Finding{{Scenario: tr.Scenario, Property: tr.Property, Limit: tr.Limit, Seed: tr.Seed, Trace: tr}}
		}
		return report
	}
	report.Warnings = a.requirePreflight(ctx, t)
	for _, w := range report.Warnings {
		t.Logf("lockpick: warning: %s", w)
	}
	for _, s := range a.scenarios() {
		r, err := a.search(ctx, s)
		if err != nil {
			t.Fatalf("lockpick: %s: %s", s.ID, a.why(err))
		}
		for i := range r.Findings {
			a.exhibit(t, r.Findings[i].Trace)
		}
		report.Results = append(report.Results, *r)
		report.Findings = append(report.Findings, r.Findings...)
	}
	return report
}

// requirePreflight ends the test if the lock fails before the search. It returns the warnings.
func (a *attack) requirePreflight(ctx context.Context, t *testing.T) (warnings []string) {
	t.Helper()
	reason, finished, err := a.preflight(ctx)
	if err != nil {
		reason = a.why(err)
	}
	if reason != "" {
		a.errorf(t, "lockpick: %s", reason)
		t.FailNow()
	}
	c, err := a.cell(contention)
	if err != nil || !finished {
		return nil // the searches report a run that does not finish
	}
	return Warnings(ctx, a.worker, c)
}

// why describes an error that ends a search, with advice.
func (a *attack) why(err error) string {
	var unreached *explore.Unreached
	switch {
	case errors.As(err, &unreached):
		return fmt.Sprintf("a worker process did not reach call %d of Check or Explore in %s: %s.\n"+
			"Workers run this test binary again with %s. The test must reach that call there as it does here, "+
			"without a skip or a failure before it (the variable %s is set in workers).\nIt printed:\n%s",
			a.call.Call, a.call.Name, unreached.Reason, "-test.run="+wording.Shell(testbinary.Pattern(a.call.Name)), WorkerVariable, wording.Indent(unreached.Words))
	case errors.Is(err, context.DeadlineExceeded):
		return "interrupted shortly before go test's time-out: raise it (-timeout), or run fewer schedules (-simrun.runs, -short)"
	}
	return err.Error()
}

// check is the subtest of one scenario.
func (a *attack) check(ctx context.Context, t *testing.T, s *Scenario) {
	t.Helper()
	if c, err := a.cell(s); err == nil && c.Lacks() != "" {
		a.searches = append(a.searches, report.Search{Lock: a.call.Name, Scenario: s.ID, Result: report.NotApplicable, Meaning: c.Lacks()})
		t.Skipf("%s does not apply: %s", s.ID, c.Lacks())
	}
	a.findings.Searched = append(a.findings.Searched, s.ID)
	met := map[string]bool{}
	if a.tryKept(ctx, t, s, met) {
		return // the kept case must be fixed first
	}
	r, err := a.search(ctx, s)
	a.searches = append(a.searches, a.searched(s, r))
	a.tell(t, r)
	if err != nil {
		a.errorf(t, "%s: after %s: %s", s.ID, wording.Count(r.Schedules, "schedule"), a.why(err))
	} else {
		a.logf(t, "%s", r)
		a.demand(t, r, met)
	}
	a.fail(t, a.against(s, r))
	if reason := r.vacuity(); reason != "" && !t.Failed() {
		a.vacuous = append(a.vacuous, s.ID+": "+reason)
		t.Skip(reason)
	}
}

// logf logs with -v only.
func (a *attack) logf(t *testing.T, format string, args ...any) {
	t.Helper()
	if testing.Verbose() {
		t.Logf(format, args...)
	}
}

// tell reports the findings that do not fail.
func (a *attack) tell(t *testing.T, r *Result) {
	t.Helper()
	for i := range r.Findings {
		f := r.Findings[i].Trace
		a.exhibit(t, f)
		switch {
		case a.fails(f.Scenario, f.Violation()):
			continue
		case a.expects(f.Scenario, f.Property):
			a.findings.Expected = append(a.findings.Expected, f)
		default:
			a.findings.Limits = append(a.findings.Limits, f)
		}
		a.logf(t, "%s", a.findingText(f, a.standing(f), testbinary.OutPath(a.call, f)))
	}
}

// demand fails for expected violations that neither a kept case nor the search has shown.
func (a *attack) demand(t *testing.T, r *Result, met map[string]bool) {
	t.Helper()
	for i := range r.Findings {
		met[r.Findings[i].Property] = true
	}
	for _, e := range a.expected {
		if e.scenario == r.Scenario && !met[e.property] {
			a.errorf(t, "expected %s to be violated under %s; none found in %s (%s)", e.property, e.scenario, wording.Count(r.Schedules, "schedule"), r.Result)
		}
	}
}

// against lists the findings of a search that fail the test. Reported ones are shrunk.
func (a *attack) against(s *Scenario, r *Result) (list []*causes.Failure) {
	for i := range r.Troubles {
		trouble := &r.Troubles[i]
		list = append(list, causes.Unfinished(s.ID, a.troubleTrace(s, trouble), trouble))
	}
	list = append(list, r.told...)
	for i := range r.Findings {
		t := r.Findings[i].Trace
		if !a.fails(t.Scenario, t.Violation()) || slices.ContainsFunc(r.told, func(f *causes.Failure) bool { return f.Trace == t }) {
			continue
		}
		f := causes.Violates(t, a.fails)
		f.Note, f.Unsteady = a.unsteady[t], a.unsteady[t] != ""
		list = append(list, f)
	}
	return list
}
