package locktest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/report"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/locktest/internal/testbinary"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// WorkerVariable is the environment variable SIMRUN_WORKER, which is set in worker
// processes of [Check] and [Explore]. Tests may skip set-up that workers do not need.
const WorkerVariable = testbinary.WorkerVariable

// session is a running call of Check or Explore.
type session struct {
	settings
	call   traces.Test
	lock   cell.Lock
	worker explore.Worker
	// findings are what Check has found so far, nil in Explore.
	findings *causes.Findings
	// damaged describes files of an earlier run of the shard that could not be read.
	damaged []string
	// problems are the errors of the test that are not findings, and vacuous the searches that show nothing.
	problems, vacuous []string
	// timeBudget is the time left, nil without a limit. Reduced meters shrinking and explaining, and cut has the searches that
	// the time ended.
	timeBudget *timeBudget
	wallBudget wallBudget
	progress   *progress // nil without a terminal
	reduced    *explore.Meter
	cut        []*Result
	// selected are the scenarios whose subtests go test's flags select.
	selected map[string]bool
	// merged is the results of the shards, nil if this is not a merge.
	merged *merged
	// panicked are the properties for whose panics the test has failed.
	panicked []string
	// searches are the entries of the report, one for each scenario.
	searches []report.Search
	// reached counts, over all scenarios, the schedules of each happening that must occur in one of them.
	reached map[string]int
}

// tested returns the subject of a test, by the test's name and the options.
type tested func(name string, s *settings) (cell.Lock, error)

// aLock returns a lock of the test's own.
func aLock(subject Subject) tested {
	return func(name string, s *settings) (cell.Lock, error) {
		if s.store == nil {
			return cell.Lock{}, cell.NoStore()
		}
		l := cell.Lock{
			ID: name, Summary: "the lock of a test", Store: s.store, Subject: subject,
			Reading: cell.Reading{Ownership: s.ownership}, Renews: s.renews,
		}
		return l, l.Check()
	}
}

// begin sets up a call, or serves it if this process is its worker. It returns nil in a
// worker of another call, which has nothing to do here. The caller closes worker.Kept.
func begin(t *testing.T, make tested, opts []Option) *session {
	t.Helper()
	call := testbinary.ThisCall(t)
	s, err := newSettings(opts)
	if err != nil {
		t.Fatalf("lockpick: %v", err)
	}
	l, err := make(call.Name, &s)
	if err != nil {
		t.Fatalf("lockpick: %v", err)
	}
	x := &session{settings: s, call: call, lock: l, reached: map[string]int{}}
	if another := testbinary.Serve(t, call, x.host, x.resolve); another {
		return nil
	}
	if err := testbinary.Page(); err != nil {
		t.Fatal(err)
	}
	if x.worker, err = testbinary.Reexecuted(call); err != nil {
		t.Fatalf("lockpick: the test binary cannot be run again: %v", err)
	}
	x.worker.Kept, x.worker.Meter = &explore.Kept{}, &explore.Meter{}
	x.reduced = x.worker.Meter.Part()
	x.progress = newProgress(call.Name, len(x.scenarios()))
	return x
}

// registry has the lock of the test, in all scenarios.
func (x *session) registry() cell.Registry {
	r := scenarios.Registry(append([]cell.Lock{x.lock}, x.variants...), x.added...)
	r.Properties = x.judged
	return r
}

// host returns the host that carries out simrun's commands about traces of the call.
func (x *session) host() *recorded.Host {
	return &recorded.Host{Known: x.registry(), Cell: x.recorded, Properties: x.properties, Versions: cell.Versions(x.lock.Store)}
}

// resolve finds an encoded cell, in a worker or a client process.
func (x *session) resolve(raw json.RawMessage) (cell.Cell, error) {
	c, err := x.registry().Decode(raw)
	c.Properties = x.properties
	return c, err
}

// cell returns the cell of the lock in a scenario.
func (x *session) cell(s *cell.Scenario) (cell.Cell, error) {
	c, err := x.registry().Cell(s.ID, x.lock.ID, x.params)
	if x.ttlGiven && c.Params.Sizes == stage.AllSizes {
		c.Params.Sizes = stage.SizesButLease
	}
	c.Properties = x.properties
	return c, err
}

// recorded returns the cell of a recorded case. It has the case's parameters and no others: a fault that is not among them
// does not strike. The lock is the test's, even if the case has another name for it.
func (x *session) recorded(old *traces.Trace) (cell.Cell, error) {
	if err := old.MayRun(); err != nil {
		return cell.Cell{}, err
	}
	c, err := x.registry().Restore(old.Scenario, x.lock.ID, old.Parameters)
	c.Properties = x.properties
	return c, err
}

// within returns the test's context with a deadline shortly before go test's time-out, so
// that findings can still be reported.
func within(t *testing.T) (context.Context, context.CancelFunc) {
	deadline, ok := t.Deadline()
	if !ok {
		return context.WithCancel(t.Context())
	}
	left := time.Until(deadline)
	return context.WithDeadline(t.Context(), deadline.Add(-min(left/10, 5*time.Second)))
}

// jobs returns the number of workers. Findings do not depend on it.
func jobs() int { return min(runtime.GOMAXPROCS(0), 64) }

// hunt searches one scenario and processes its findings. An error is one of the workers or of the context; the result then
// holds everything found before it.
func (x *session) hunt(ctx context.Context, s *cell.Scenario) (*Result, error) {
	start := time.Now()
	r := &Result{Scenario: s.ID, Complete: -1, noun: x.lock.Noun()}
	defer func() { r.Took = time.Since(start) }()
	c, err := x.cell(s)
	if err != nil {
		return r, err
	}
	if r.Lacks = c.Lacks(); r.Lacks != "" {
		r.Result = NotApplicable
		return r, nil
	}
	fails := func(v model.Violation) bool { return x.fails(s.ID, v) }
	h := hunt.Hunt{Search: x.search(s.ID), Cell: c, Reducer: x.newReducer(), Shown: x.findings == nil || everything(), Reports: fails, Enough: x.enough(s.ID), Test: &x.call}
	if x.progress != nil {
		h.OnProgress, h.Reducer.OnShrink = x.progress.watch(s.ID, x.schedules(s.ID))
	}
	if x.findings != nil {
		h.Covered = func(f *causes.Failure) bool { return f.ShownBy(x.findings.Simple()) }
	}
	if x.timeBudget != nil {
		h.Time, h.ShrinkBudget, h.Reducer.Meter = x.timeBudget.forSearch(), x.timeBudget.forReducing, x.reduced
	}
	if x.wall > 0 {
		search, reduce := x.wallBudget.next()
		h.Reducer.Worker.Meter = x.worker.Meter.Part()
		h.Reducer.Worker.Meter.Until(search)
		x.reduced.Until(reduce)
		h.Reducer.Meter = x.reduced
	}
	if x.merged != nil {
		h.State, h.KnownOnly = x.merged.of[s.ID], true
	}
	found, err := h.Run(ctx)
	r.absent = found.Missing
	r.Result, r.Cut, r.failures = found.Word, found.Cut, found.Failures(fails)
	if found.Check != nil {
		r.Complete = found.Check.Complete
	}
	r.count(c, found.Tally)
	for _, one := range found.Findings {
		r.Findings = append(r.Findings, Finding{Scenario: s.ID, Property: one.Trace.Property, Limit: one.Trace.Limit, Seed: x.seed, Trace: one.Trace})
	}
	return r, err
}

// search returns the search of a scenario.
func (x *session) search(scenario string) hunt.Search {
	if x.bound != nil {
		return hunt.Search{Bound: *x.bound, Limit: x.limit()}
	}
	return hunt.Search{Strategy: explore.PortfolioStrategy, Seed: x.seed, Schedules: x.schedules(scenario)}
}

// newReducer returns a reducer for the findings of a search.
func (x *session) newReducer() hunt.Reducer {
	r := hunt.Reducer{Worker: x.worker, Jobs: jobs(), Known: x.registry(), Properties: x.properties, Effort: hunt.Usual}
	if testing.Short() {
		r.Effort = hunt.Brief
	}
	return r
}

// count copies the counters of a search.
func (r *Result) count(c cell.Cell, t *explore.Tally) {
	r.Schedules, r.Events, r.Classes, r.Undecided, r.Panicked = t.Schedules, t.Events, len(t.Classes), t.Undecided, t.Panicked
	for i, n := range t.Happened {
		h := c.Happenings()[i]
		r.Happenings = append(r.Happenings, Happened{h.Name, n})
		r.somewhere = append(r.somewhere, h.Somewhere)
	}
	if r.Result == explore.Vacuous && r.missing() < 0 {
		r.Result = explore.NoneFound
	}
	for _, v := range checker.InOrder(t.Violations) {
		r.violated = append(r.violated, report.Violated{Violation: v, Schedules: t.Violations[v]})
	}
	for _, trouble := range t.Troubles {
		alike := func(o explore.Trouble) bool { return o.Kind == trouble.Kind && o.Leaked == trouble.Leaked }
		if !slices.ContainsFunc(r.Troubles, alike) {
			r.Troubles = append(r.Troubles, trouble) // the first of each kind says it all
		}
	}
}

// why describes an error that ends a search, with advice.
func (x *session) why(err error) string {
	var unreached *explore.Unreached
	var unfounded *explore.Unfounded
	switch {
	case errors.As(err, &unfounded):
		return fmt.Sprintf("what a shard has kept is not to be believed, and says nothing about the lock: %v. Remove its file, and run the shard again: %s", err, x.forgedIn(unfounded))
	case errors.As(err, &unreached):
		return fmt.Sprintf("a worker process did not reach call %d of Check or Explore in %s: %s.\n"+
			"Workers run this test binary again with %s. The test must reach that call there as it does here, "+
			"without a skip or a failure before it (the variable %s is set in workers).\nIt printed:\n%s",
			x.call.Call, x.call.Name, unreached.Reason, "-test.run="+wording.Shell(gotest.Pattern(x.call.Name)), WorkerVariable, wording.Indent(unreached.Words))
	case errors.Is(err, context.DeadlineExceeded):
		return "interrupted shortly before go test's time-out: raise it (-timeout), or run fewer schedules (-simrun.runs, -short)"
	}
	return err.Error()
}

// everything reports whether all findings are shown, and not only one per cause.
func everything() bool {
	return testing.Verbose() || testbinary.Out() != "" || testbinary.Artifacts()
}
