package scenarios

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// Check attacks a lock in every scenario, each as a subtest, and fails for what
// breaks it.
//
//	func TestMyLock(t *testing.T) {
//		scenarios.Check(t, func(c *scenarios.Client) lock.Locker {
//			rdb := redis.NewClient(c.Redis())
//			c.Cleanup(func() { _ = rdb.Close() })
//			return myAdapter{mylock.New(rdb), c.LockName(), c.TTL()}
//		})
//	}
//
// What no schedule can show of the lock is looked for before, and logged as a
// warning: see [Warnings].
//
// A violation is a failure unless it is a limit of leases: its own history shows a
// cause that no lease could have prevented (package scenarios has the line).
// Limits fail only if [Strict] is given. A limit does not hide a fault of the same
// property behind it. Runs that do not finish fail, whatever the lock did: it
// panicked, spun, stalled, left goroutines behind, or was not deterministic. A
// search in which the scenario's happenings never came about is skipped as vacuous:
// it says nothing.
//
// When all scenarios have been searched, each cause is told once: first in a line
// what is wrong, in how many scenarios, and in which it is simplest; then one
// counterexample of each cause, faults before limits, the simplest first and in
// full; then a line for each cause of limits. The last line is the command that
// replays the first. With -v each scenario tells all that was found in it besides.
//
// One case of each cause that fails, the one that is told, is kept under
// testdata/simrun, in the package's directory, and tried first next time: as
// long as it fails, nothing else is searched in its scenario. One that no longer
// fails is left there, and said to be. The flag -simrun.seed asks for a search,
// and no kept case is tried then.
//
// # Workers
//
// Searches run in worker processes: the test binary, started again with -test.run
// for this test alone. A worker runs the test up to this call, where it serves
// its parent and then exits. So whatever comes before the call (TestMain, too)
// happens in each worker as well, with the test's own flags and the same
// environment plus [WorkerVariable]; it must lead to the same call. A worker
// writes no profiles and no coverage.
//
// # Flags
//
// The flags override the options; each is also a variable, for go test ./... :
//
//	-simrun.seed=N       SIMRUN_SEED     the seed of the searches
//	-simrun.runs=N       SIMRUN_RUNS     how many schedules of each scenario
//	-simrun.replay=FILE  SIMRUN_REPLAY   run this trace and nothing else
//	-simrun.out=DIR      SIMRUN_OUT      traces and pictures of all that is found
//
// Paths are relative to the package's directory. With -short there are fewer
// schedules, and with -artifacts traces and pictures go to the test's artifact
// directory, too.
func Check(t *testing.T, newLock NewLock, opts ...Option) {
	t.Helper()
	a := begin(t, newLock, opts)
	if a == nil {
		return
	}
	ctx, cancel := within(t)
	defer cancel()
	if flags.replay() != "" {
		a.replayFlag(ctx, t)
		return
	}
	a.findings = &findings{warnings: a.mustFly(ctx, t)}
	for _, s := range a.scenarios() {
		t.Run(s.ID, func(t *testing.T) {
			t.Helper()
			a.check(ctx, t, s)
		})
	}
	a.summarize(t)
}

// Explore attacks a lock as [Check] does, and returns what it finds instead of
// failing. It makes no subtests, keeps no cases and tries none; with the flag
// -simrun.replay it runs that trace alone. It fails only if it cannot do its
// work. Workers come by the same way as those of Check, past earlier calls,
// which return an empty report there: give each call a test or subtest of its
// own.
func Explore(t *testing.T, newLock NewLock, opts ...Option) Report {
	t.Helper()
	var report Report
	a := begin(t, newLock, opts)
	if a == nil {
		return report
	}
	ctx, cancel := within(t)
	defer cancel()
	if flags.replay() != "" {
		if came := a.replayFlag(ctx, t); came != nil && came.fails && came.trouble == nil {
			tr := came.trace
			report.Findings = []Finding{{Scenario: tr.Scenario, Property: tr.Property, Limit: tr.Limit, Seed: tr.Seed, Trace: tr}}
		}
		return report
	}
	report.Warnings = a.mustFly(ctx, t)
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

// mustFly ends the test if the lock cannot be attacked at all. It returns what
// there is to warn of.
func (a *attack) mustFly(ctx context.Context, t *testing.T) (warnings []string) {
	t.Helper()
	reason, flew, err := a.preflight(ctx)
	if err != nil {
		t.Fatalf("lockpick: %s", a.why(err))
	}
	if reason != "" {
		t.Fatalf("lockpick: %s", reason)
	}
	c, err := a.cell(contention)
	if err != nil || !flew {
		return nil // a lock that comes to no end has more to be told of
	}
	return Warnings(ctx, a.worker, c)
}

// why is an error that ends a search, with what to do about it.
func (a *attack) why(err error) string {
	var unreached *explore.Unreached
	switch {
	case errors.As(err, &unreached):
		return fmt.Sprintf("a worker process did not come to call %d of Check or Explore in %s: %s.\n"+
			"Workers are this test binary, run again with %s: the test must lead to that call there as it does here, "+
			"without a skip or a failure before it (the variable %s is set in workers).\nIt printed:\n%s",
			a.call.Call, a.call.Name, unreached.Reason, "-test.run="+wording.Shell(pattern(a.call.Name)), WorkerVariable, wording.Indent(unreached.Words))
	case errors.Is(err, context.DeadlineExceeded):
		return "go test's time-out is near, so this was interrupted: raise it (-timeout), or run fewer schedules (-simrun.runs, -short)"
	}
	return err.Error()
}

// check is the subtest of one scenario.
func (a *attack) check(ctx context.Context, t *testing.T, s *Scenario) {
	t.Helper()
	if c, err := a.cell(s); err == nil && c.Lacks() != "" {
		t.Skipf("%s does not apply: %s", s.ID, c.Lacks())
	}
	a.findings.searched = append(a.findings.searched, s.ID)
	met := map[string]bool{}
	if a.tryKept(ctx, t, s, met) {
		return // it is what has to be mended first
	}
	r, err := a.search(ctx, s)
	a.tell(t, r)
	if err != nil {
		t.Errorf("%s: after %s: %s", s.ID, wording.Count(r.Schedules, "schedule"), a.why(err))
	} else {
		a.logf(t, "%s", r)
		a.demand(t, r, met)
	}
	a.fail(t, a.against(s, r))
	if reason := r.vacuity(); reason != "" && !t.Failed() {
		t.Skip(reason)
	}
}

// logf logs what nobody wants to know of a test that fails, unless with -v.
func (a *attack) logf(t *testing.T, format string, args ...any) {
	t.Helper()
	if testing.Verbose() {
		t.Logf(format, args...)
	}
}

// tryKept runs the cases that were kept, and reports whether any fails the test.
// It notes which expectations they meet.
func (a *attack) tryKept(ctx context.Context, t *testing.T, s *Scenario, met map[string]bool) (failed bool) {
	t.Helper()
	files := a.keptCases(s)
	if flags.seed() != "" && len(files) > 0 {
		t.Logf("no kept case was tried, since -simrun.seed asks for a search")
		return false
	}
	var failures []*failure
	for _, file := range files {
		path := relative(file)
		old, err := traces.ReadFile(file)
		if err != nil {
			t.Errorf("a kept case cannot be read: %v; mend it, or remove it", err)
			failed = true
			continue
		}
		if old.Property != "" && a.properties != nil && !slices.Contains(a.properties, old.Property) {
			t.Logf("%s was not tried: scenarios.Properties leaves %s out", path, old.Property)
			continue
		}
		came, err := a.rerun(ctx, old)
		switch {
		case err != nil && a.hopeless(err):
			a.fail(t, failures)
			t.Fatalf("%s: %s", path, a.why(err))
		case err != nil:
			t.Logf("%s does not fit any more, and is left there: %v", path, err)
		case came.trouble != nil || came.fails && a.fails(came.trace):
			failures = append(failures, a.keptFailure(s, came, path))
		case !came.fails:
			t.Logf("%s no longer fails (%s); it is left there, and can be removed", path, came.gone(old))
		default:
			met[old.Property] = true
		}
	}
	a.fail(t, failures)
	return failed || len(failures) > 0
}

// keptFailure is what a kept case has come to again.
func (a *attack) keptFailure(s *Scenario, came *again, path string) *failure {
	f := &failure{scenario: s.ID, trace: came.trace, trouble: came.trouble}
	if came.trouble == nil {
		f = a.violates(came.trace)
	} else {
		f.causes = []string{causeOfTrouble(came.trouble)}
	}
	f.note, f.path, f.reduced = keptFirst(came, path), path, true
	return f
}

// keptFirst says where a failure comes from, and what is new about it.
func keptFirst(came *again, path string) string {
	text := "the kept case " + path + " was tried first"
	if came.note != "" {
		text += "; " + came.note
	}
	return text
}

// hopeless reports whether an error is about the workers or the time, and not
// about the case.
func (a *attack) hopeless(err error) bool {
	var unreached *explore.Unreached
	return errors.As(err, &unreached) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// fails reports whether a violation fails the test.
func (a *attack) fails(t *traces.Trace) bool {
	return !a.expects(t.Scenario, t.Property) && (!t.Limit || a.strict)
}

// tell tells of the findings that do not fail.
func (a *attack) tell(t *testing.T, r *Result) {
	t.Helper()
	for i := range r.Findings {
		f := r.Findings[i].Trace
		a.exhibit(t, f)
		switch {
		case a.fails(f):
			continue
		case a.expects(f.Scenario, f.Property):
			a.findings.expected = append(a.findings.expected, f)
		default:
			a.findings.limits = append(a.findings.limits, f)
		}
		a.logf(t, "%s", a.findingText(f, a.standing(f), a.outPath(f)))
	}
}

// demand fails for expected violations that neither a kept case nor the search
// has shown.
func (a *attack) demand(t *testing.T, r *Result, met map[string]bool) {
	t.Helper()
	for i := range r.Findings {
		met[r.Findings[i].Property] = true
	}
	for _, e := range a.expected {
		if e.scenario == r.Scenario && !met[e.property] {
			t.Errorf("expected %s to be violated under %s; none found in %s (%s)", e.property, e.scenario, wording.Count(r.Schedules, "schedule"), r.Result)
		}
	}
}

// against is all that a search has found which fails the test: what is to be told
// of it is as small as it gets.
func (a *attack) against(s *Scenario, r *Result) (list []*failure) {
	for i := range r.Troubles {
		trouble := &r.Troubles[i]
		list = append(list, &failure{
			scenario: s.ID, trace: a.troubleTrace(s, trouble), trouble: trouble, causes: []string{causeOfTrouble(trouble)},
		})
	}
	list = append(list, r.told...)
	for i := range r.Findings {
		t := r.Findings[i].Trace
		if !a.fails(t) || slices.ContainsFunc(r.told, func(f *failure) bool { return f.trace == t }) {
			continue
		}
		f := a.violates(t)
		f.note, f.unsteady = a.unsteady[t], a.unsteady[t] != ""
		list = append(list, f)
	}
	return list
}

// kept keeps a case, and is empty if it cannot be.
func (a *attack) kept(t *testing.T, tr *traces.Trace) string {
	t.Helper()
	if tr == nil {
		return ""
	}
	path, err := a.keep(tr)
	if err != nil {
		t.Logf("the case cannot be kept: %v", err)
		return ""
	}
	return path
}

// replayFlag runs the trace that -simrun.replay names, and tells of it; nil if
// it is of another test.
func (a *attack) replayFlag(ctx context.Context, t *testing.T) (came *again) {
	t.Helper()
	path := flags.replay()
	file := path
	if !filepath.IsAbs(file) {
		file = filepath.Join(home, filepath.FromSlash(path))
	}
	old, err := traces.ReadFile(file)
	if err != nil {
		t.Fatalf("-simrun.replay: %v", err)
	}
	if old.Test != nil && (old.Test.Name != a.call.Name || old.Test.Call != a.call.Call) {
		t.Logf("-simrun.replay=%s is of call %d in %s, so nothing was run here", path, old.Test.Call, old.Test.Name)
		return nil
	}
	t.Run(old.Scenario, func(t *testing.T) {
		t.Helper()
		if came, err = a.rerun(ctx, old); err != nil {
			t.Fatalf("-simrun.replay=%s: %s", path, a.why(err))
		}
		a.tellReplay(t, old, came, path)
	})
	return came
}

// tellReplay says what a replay came to.
func (a *attack) tellReplay(t *testing.T, old *traces.Trace, came *again, path string) {
	t.Helper()
	a.exhibit(t, came.trace)
	how := "replayed from " + path
	if came.note != "" {
		how += "; " + came.note
	}
	switch {
	case came.trouble != nil:
		t.Error(a.troubleText(old.Scenario, came.trouble, how, path))
	case !came.fails:
		t.Logf("%s: it no longer fails (%s)", how, came.gone(old))
	case a.fails(came.trace):
		t.Error(a.findingText(came.trace, how, path))
	default:
		t.Log(a.findingText(came.trace, how, path))
	}
}
