package locktest

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// Check searches every scenario for faults of a lock, and fails if it finds one. Each scenario
// is a subtest, which reports the result of its search.
//
//	func TestMyLock(t *testing.T) {
//		locktest.Check(t, func(c *locktest.Client) lock.Locker {
//			return myAdapter{mylock.New(redis.Connect(c)), c.LockName(), c.TTL()}
//		}, locktest.On(redis.Store))
//	}
//
// Flaws that no schedule can show ([cell.NotSearched]) are reported with the verdict, as "not searched". They do not fail
// the test; without -v go test shows them only if something else does.
//
// A violation fails the test unless it is a limit of leases: its own history shows a cause that no lease could have
// prevented (see package cell). Limits fail only with [Strict]. A limit does not hide a fault of the same
// property. Runs that do not finish fail too: the lock panicked, spun, stalled, left goroutines behind, was not
// deterministic, failed the test itself (t.Error), or made a request that the simulated store does not support; after the
// last there is no verdict. A search is vacuous, and skipped, if one of the scenario's happenings never occurred: it shows
// nothing about the lock.
//
// After all searches Check reports each cause once, before the subtests. The first line has the verdict, the number of
// scenarios, and the simplest one. Then follows one counterexample per cause, faults before limits, the simplest first:
// the violation, the command that replays it, and the steps that lead to it. A line for each cause of limits comes last.
// The subtests of the scenarios follow. With -v each reports all of its findings as well. Since Check searches before it
// runs the subtests, it applies go test's flags -run, -skip and -failfast itself, and the subtests take no time.
//
// Check keeps the reported counterexample of each failing cause under testdata/simrun in the package's directory, and
// tries it first next time. As long as it fails, its scenario is not searched, unless the case only leaves goroutines
// behind. Check reports a case that no longer fails and leaves the file. With the flag -simrun.seed no kept case is tried.
//
// # Workers
//
// Searches run in worker processes: the test binary, started again with -test.run for this test alone. A worker runs the
// test up to this call, serves its parent there, and exits. So everything before the call (TestMain, too) runs in each
// worker as well, with the test's own flags and the same environment plus [WorkerVariable], and must lead to the same
// call. A worker writes no profiles and no coverage.
//
// # Time
//
// With -short at most [ShortRuns] schedules of each scenario run, and the worker processes of a call use at most
// [ShortTime] of processor time, unless -simrun.runs is given. The flag -simrun.time sets another limit, with or without
// -short, and one by the clock on the wall (wall=1m). Two thirds of the time are for searching and one third is for
// shrinking and explaining, in equal shares for all scenarios; what one scenario does not use is left to the others. A
// scenario whose time ends is skipped, with the number of schedules that were run, unless a finding fails it; [Expect] is
// then not enforced. A counterexample that there was no time to shrink says so. The findings in the schedules that are run
// do not depend on the time. An exhaustive search ([Bound]) has no limit, nor has [Explore].
//
// # Flags
//
// The flags override the options. Each has an environment variable, for go test ./... with
// packages that lack the flags:
//
//	-simrun.seed=N       SIMRUN_SEED     the seed of the searches
//	-simrun.runs=N       SIMRUN_RUNS     schedules per scenario
//	-simrun.time=D       SIMRUN_TIME     processor time of the call, such as 5m, time by the clock, such as wall=1m, or both: 5m,wall=1m; 0: no limit
//	-simrun.replay=FILE  SIMRUN_REPLAY   run this trace and nothing else, also in this process: docs/debugging.md
//	-simrun.out=DIR      SIMRUN_OUT      write traces and pictures of all findings
//	-simrun.report=FILE  SIMRUN_REPORT   write all that was searched and found as one page
//	-simrun.shard=I/N    SIMRUN_SHARD    search one of N parts and keep it in the directory of -simrun.out; auto: the one that the engine names which runs the job; I/N,exit-zero: a finding does not fail the test
//	-simrun.merge=DIR    SIMRUN_MERGE    search nothing, and judge what the shards have kept there
//
// Paths are relative to the package's directory.
//
// A shard reports the schedules and findings of its part, and fails if it has a fault. Only -simrun.merge has the verdict,
// the report and the kept cases, which are those of one search of all schedules: see docs/fleet.md.
//
// # Traces
//
// Program simrun accepts a trace of the test like its own: simrun replay, shrink, diff, confirm and export build the test
// binary, in the module of the working directory, and start it. It runs the test up to this call, as a worker does, and
// carries out the command with the lock of the test.
//
// In a step of GitHub Actions, Check also prints an annotation for each cause, at the line of the lock's code that shows
// the violation, or at its call, and adds the counterexamples to the step's summary. With -artifacts, traces, pictures and
// the report also go to the test's artifact directory.
//
// The report is one HTML file to send: the findings by cause, each with its picture, a table of the searches, their seeds,
// budgets and results. It covers all calls of Check in the package's tests. It has no script and no external references.
// Each package has a page of its own: with go test ./... name a relative path. If the path has another package's page the
// test fails.
func Check(t *testing.T, newLock func(*Client) lock.Locker, opts ...Option) {
	t.Helper()
	check(t, aLock(Mutex(newLock)), opts, calledAt())
}

// CheckSubject is [Check] for a lock of any kind.
//
//	func TestMySemaphore(t *testing.T) {
//		locktest.CheckSubject(t, locktest.Semaphore(2, newMySemaphore), locktest.On(redis.Store))
//	}
func CheckSubject(t *testing.T, subject Subject, opts ...Option) {
	t.Helper()
	check(t, aLock(subject), opts, calledAt())
}

func check(t *testing.T, make tested, opts []Option, at place) {
	t.Helper()
	x := begin(t, make, opts)
	if x == nil {
		return
	}
	defer x.worker.Kept.Close()
	defer x.announce(t, at)
	ctx, cancel := within(t)
	defer cancel()
	if testbinary.Replay() != "" {
		x.replayFlag(ctx, t)
		return
	}
	x.selectScenarios()
	if x.part.Shard.Of > 0 {
		x.searchShard(ctx, t)
		return
	}
	if dir := x.part.Merge; dir != "" {
		if err := x.readShards(dir); err != nil {
			x.problems = append(x.problems, fmt.Sprintf("lockpick: -simrun.merge=%s: %v", dir, err))
			t.Fatalf("lockpick: -simrun.merge=%s: %v", dir, err)
		}
	}
	x.findings = &causes.Findings{
		NotSearched: x.requirePreflight(ctx, t),
		Limit:       "a limit of leases, not a fault of the lock: it fails because of locktest.Strict",
	}
	x.timeBudget, x.wallBudget = x.newTimeBudget(), wallBudget{time.Now().Add(x.wall), x.toSearch()}
	outcomes := x.examineAll(ctx, t)
	whole := len(outcomes) == len(x.scenarios()) && len(x.cut) == 0 && !x.incomplete() // otherwise another scenario or schedule may reach more
	x.demandReached(t, outcomes, whole)
	x.summarize(t)
	x.reportCut(t)
	x.reportAbsent(t)
	for _, s := range x.scenarios() {
		t.Run(s.ID, func(t *testing.T) {
			t.Helper()
			x.show(t, outcomes[s.ID])
		})
	}
	x.report(t)
}

// Explore searches like [Check] and returns its findings instead of failing. It makes no subtests, and neither keeps cases
// nor tries kept ones. With the flag -simrun.replay it runs that trace alone. It fails only if the search itself cannot
// run, or if go test's time-out is near: then it returns the findings so far. Its workers run the test up to this call, as
// those of Check do; earlier calls return an empty report there. So give each call a test or subtest of its own.
func Explore(t *testing.T, newLock func(*Client) lock.Locker, opts ...Option) Report {
	t.Helper()
	return exploreSubject(t, aLock(Mutex(newLock)), opts)
}

// ExploreSubject is [Explore] for a lock of any kind.
func ExploreSubject(t *testing.T, subject Subject, opts ...Option) Report {
	t.Helper()
	return exploreSubject(t, aLock(subject), opts)
}

func exploreSubject(t *testing.T, make tested, opts []Option) Report {
	t.Helper()
	var report Report
	x := begin(t, make, opts)
	if x == nil {
		return report
	}
	defer x.worker.Kept.Close()
	if x.part.Shard.Of > 0 {
		t.Skip("lockpick: Explore hands its findings to the test, which has to have all of them: it searches with -simrun.merge, whole, and not in shards")
	}
	ctx, cancel := within(t)
	defer cancel()
	if testbinary.Replay() != "" {
		if got := x.replayFlag(ctx, t); got != nil && got.fails && got.trouble == nil {
			tr := got.trace
			report.Findings = []Finding{{Scenario: tr.Scenario, Property: tr.Property, Limit: tr.Limit, Seed: tr.Seed, Trace: tr}}
		}
		return report
	}
	report.NotSearched = x.requirePreflight(ctx, t)
	for _, one := range report.NotSearched {
		t.Logf("lockpick: %s", causes.NotSearched(one))
	}
	for _, s := range x.scenarios() {
		r, err := x.hunt(ctx, s)
		switch r.Cut = r.Cut || errors.Is(err, context.DeadlineExceeded); {
		case err != nil && r.Cut: // go test leaves a few seconds to report the findings
			t.Errorf("lockpick: %s: after %s: %s", s.ID, wording.Count(r.Schedules, "schedule"), x.why(err))
		case err != nil:
			t.Fatalf("lockpick: %s: %s", s.ID, x.why(err))
		}
		for i := range r.Findings {
			x.exhibit(t, r.Findings[i].Trace)
		}
		report.Results = append(report.Results, *r)
		report.Findings = append(report.Findings, r.Findings...)
		if err != nil {
			break
		}
	}
	return report
}

// requirePreflight ends the test if the lock fails before the search. It returns the flaws that are not searched.
func (x *session) requirePreflight(ctx context.Context, t *testing.T) []string {
	t.Helper()
	calm, finished := x.calmRun(ctx, t)
	if !finished || calm.IsProgram() {
		return nil // the searches report a run that does not finish
	}
	return cell.NotSearched(ctx, x.worker, calm)
}

// calmRun ends the test if the lock fails in a calm run. It returns the cell of that run, and whether the run finished.
func (x *session) calmRun(ctx context.Context, t *testing.T) (calm cell.Cell, finished bool) {
	t.Helper()
	calm, err := x.cell(scenarios.Calm())
	reason := ""
	if err == nil {
		reason, finished, err = hunt.Preflight(ctx, x.worker, calm)
	}
	if err != nil {
		reason = x.why(err)
	}
	if reason != "" {
		x.problems = append(x.problems, "lockpick: "+reason)
		t.Fatalf("lockpick: %s", reason)
	}
	return calm, finished
}
