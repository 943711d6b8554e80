package rapidtest

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest/internal/rapidtape"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Property returns a property for [rapid.Check]: the lock has no fault in the scenario. It
// panics if there is no such scenario, or no store.
//
//	func TestMyLock(t *testing.T) {
//		rapid.Check(t, rapidtest.Property("gc-pause", redis.Store, newMyLock))
//	}
//
// Each check is one run of the scenario with its default parameters. Rapid draws every decision of the run. The flags
// -rapid.checks, -rapid.seed and -rapid.failfile work as usual. Rapid's default of 100 checks is small for a search: set
// it to 5000. Property does not check that the scenario's happenings occurred.
//
// A failing run is shrunk and reported as by locktest.Check. Lockpick shrinks it, also to fewer clients and rounds, in at
// most as many runs as Check, whatever -rapid.shrinktime says. Rapid's own shrinking ends with its first smaller run that
// fails. The counterexample is written under testdata/simrun in the package's directory, unless -rapid.nofailfile is
// given, and the last line is the command that replays it, with the flag -simrun.replay. Program simrun accepts the trace
// like those of locktest.Check. A failure that rapid reproduces from its fail file is reported in the same way.
//
// A limit of leases does not fail; see [StrictProperty]. Every other violation fails. So
// does code that panics or leaves goroutines behind, and a lock that is not deterministic:
// the first runs are made twice, and so are the first runs that fail. A run in which a
// property could not be decided is not a valid check.
//
// The runs happen in the test's own process. A panic in a goroutine that the lock started
// ends the test binary. A run that stalls (a mutex held across I/O) hangs until go test's
// time-out prints the stacks; the flag -rapid.log shows the decisions until then.
func Property(scenario string, store stage.Store, newLock func(*cell.Client) lock.Locker) func(*rapid.T) {
	return SubjectProperty(scenario, store, cell.Mutex(newLock))
}

// SubjectProperty is [Property] for a lock of any kind, such as
// locktest.Semaphore(2, newMySemaphore).
func SubjectProperty(scenario string, store stage.Store, subject cell.Subject) func(*rapid.T) {
	return newProperty(scenario, []cell.Lock{{ID: "the lock", Store: store, Subject: subject}}, false).check
}

// StrictProperty is [Property] for a lock that promises more than a lease: limits fail,
// too. A lock that waits for its followers, for example, should have no violation under
// failover-loss.
func StrictProperty(scenario string, store stage.Store, newLock func(*cell.Client) lock.Locker) func(*rapid.T) {
	return StrictSubjectProperty(scenario, store, cell.Mutex(newLock))
}

// StrictSubjectProperty is [StrictProperty] for a lock of any kind.
func StrictSubjectProperty(scenario string, store stage.Store, subject cell.Subject) func(*rapid.T) {
	return newProperty(scenario, []cell.Lock{{ID: "the lock", Store: store, Subject: subject}}, true).check
}

// ProgramProperty is [Property] for a program: it breaks none of its rules in the scenario, whatever the reason. Its
// variants are tried as remedies. Property does not check that a rule was reached. It also panics if the program is
// invalid.
//
//	func TestRemindersAreSentOnce(t *testing.T) {
//		rapid.Check(t, rapidtest.ProgramProperty("gc-pause", reminders))
//	}
func ProgramProperty(scenario string, p cell.Program) func(*rapid.T) {
	p.ID = "the program"
	list, err := p.Locks()
	if err != nil {
		panic("rapidtest: " + err.Error())
	}
	return newProperty(scenario, list, false).check
}

// newProperty returns the property of the first of the locks; the others are its variants.
func newProperty(scenario string, locks []cell.Lock, strict bool) *property {
	if err := locks[0].Check(); err != nil {
		panic("rapidtest: " + err.Error())
	}
	c, err := scenarios.Registry(locks).Cell(scenario, locks[0].ID, nil)
	if err != nil {
		panic("rapidtest: " + err.Error())
	}
	p := &property{cell: c, variants: locks[1:], strict: strict, ends: map[string]*ending{}}
	p.passes.Store(sureAfter)
	p.failures.Store(sureAfter)
	return p
}

// property is a scenario as a property of a lock, or of a program.
type property struct {
	cell     cell.Cell
	variants []cell.Lock // of the program
	strict   bool        // limits fail, too
	// passes and failures are the numbers of passing and failing runs still to be made twice, to see whether they are
	// deterministic.
	passes, failures atomic.Int64

	mu   sync.Mutex
	ends map[string]*ending // state of rapid's shrinking, by test
	last *explainedRun      // the last explained run

	once sync.Once
	came flagResult // of -simrun.replay
}

// sureAfter is the number of passing runs, and of failing ones, that are made twice: rapid makes thousands of failing runs
// while it shrinks.
const sureAfter = 5

// check is the function that rapid calls.
func (p *property) check(t *rapid.T) {
	if p.flagged(t) {
		return
	}
	p.ending(t.Name()).begins(t)
	r := rapid.Custom(p.run).Draw(t, "decisions")
	if f := r.outcome.Failure; f != nil {
		p.crashed(t, f)
	}
	faults, unsure := p.faults(r.outcome.Verdicts), &p.passes
	if len(faults) > 0 {
		unsure = &p.failures
	}
	if unsure.Add(-1) >= 0 {
		p.again(t, r)
	}
	if len(faults) > 0 {
		t.Log(lazy(func() string { return p.explain(r, faults[0], t.Name()) }))
		rapidtape.Fail(t, faults[0].String(), faults[0].Property+" is violated"+p.ending(t.Name()).of(r, faults[0].Property))
	}
	for _, v := range r.outcome.Verdicts {
		if v.Status == model.Undecided {
			t.Skipf("%s could not be decided: %s", v.Property, v.Sentence)
		}
	}
}

// faults returns the violations that fail, in the order of the scenario's properties.
func (p *property) faults(verdicts []model.Verdict) []model.Violation {
	var list []model.Violation
	for _, v := range verdicts {
		if v.Status == model.Violated && (p.strict || !v.Limit) {
			list = append(list, v.Violation())
		}
	}
	return list
}

// run makes one run. It is a rapid generator, so that rapid shows the run as one value,
// its deviations from calm, instead of all draws.
func (p *property) run(t *rapid.T) *drawn {
	tape := &explore.Watched{Tape: rapidtape.Tape{T: t}}
	o := p.cell.Run(explore.Run{Tape: tape})
	if f := o.Failure; f != nil && rapidtape.Ends(f.Panic) {
		panic(f.Panic)
	}
	return &drawn{tape: tape.Choices(), outcome: o}
}

// drawn is a run and the decisions drawn for it.
type drawn struct {
	tape    []sim.Choice
	outcome explore.Outcome
}

// GoString returns rapid's text for the run. The story describes the shrunk one.
func (r *drawn) GoString() string {
	deviations := explore.CountDeviations(r.tape)
	if deviations == 0 {
		return fmt.Sprintf("%d, all calm", len(r.tape))
	}
	return fmt.Sprintf("%d, of which %d are not calm", len(r.tape), deviations)
}

// crashed fails for a run that did not finish.
func (p *property) crashed(t *rapid.T, f *sim.Failure) {
	kind, reason := "the run crashed: ", f.Reason
	if f.Leaked {
		kind = "the run left goroutines behind: "
	}
	if f.Actor != "" {
		reason = "in " + f.Actor + ": " + reason
	}
	t.Log(f.Stack)
	rapidtape.Fail(t, kind, kind+reason)
}

// again repeats a run and fails if the two differ.
func (p *property) again(t *rapid.T, r *drawn) {
	if p.rerun(r).Hash == r.outcome.Hash {
		return
	}
	for _, unsure := range []*atomic.Int64{&p.passes, &p.failures} {
		unsure.Store(math.MaxInt64) // otherwise rapid would not see it again
	}
	rapidtape.Fail(t, "nondeterministic", "nondeterministic: two runs with the same decisions differ"+p.difference(r)+
		"\nDoes the lock count in a variable of its package, depend on addresses in memory, or use the real clock or real I/O? The documentation of package sim lists what a run does not control.")
}

// rerun repeats a run, and records it.
func (p *property) rerun(r *drawn) explore.Outcome {
	return p.cell.Run(explore.Run{Tape: explore.NewReplay(r.tape), Record: true})
}

// difference describes how two runs of the same decisions differ.
func (p *property) difference(r *drawn) string {
	one := p.rerun(r)
	const attempts = 5
	for range attempts {
		if other := p.rerun(r); other.Hash != one.Hash {
			return ": " + explore.FirstDifference(one.Recording, other.Recording)
		}
	}
	return fmt.Sprintf(", but %d more were alike", attempts)
}

// lazy is text that is made only when it is printed: rapid prints only the last of thousands of runs.
type lazy func() string

func (l lazy) String() string { return l() }
