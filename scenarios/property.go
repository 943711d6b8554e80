package scenarios

import (
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/internal/rapidtape"
	"github.com/lockpick-dev/lockpick/scenarios/internal/testbinary"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Property is a property for [rapid.Check]: whatever happens in the scenario,
// the lock has no fault. It panics if there is no such scenario.
//
//	func TestMyLock(t *testing.T) {
//		rapid.Check(t, scenarios.Property("gc-pause", newMyLock))
//	}
//
// Each check is one run of the scenario with its default parameters. Every
// decision of the run is drawn from rapid, which shrinks those of a run that
// fails towards calm. The flags -rapid.checks, -rapid.seed and -rapid.failfile
// work as ever. Rapid's 100 checks are few for a search: give it 5000. Whether
// what the scenario is about has happened in them is not counted.
//
// A violation that is a limit of leases, by its cause, does not fail; see
// [StrictProperty]. Every other violation does, and so does code that
// panics or leaves goroutines behind, and so does a lock that is not
// deterministic: the first runs are made twice, and so are the first that fail.
// A run in which something could not be decided is no valid check.
//
// All of it happens in the process of the test. A panic in a goroutine that the
// lock has started itself ends the test binary, as it does everywhere, and a
// run that stalls (a mutex held across I/O) hangs until go test's timeout shows
// the stacks. The flag -rapid.log shows the decisions until there.
func Property(name string, newLock NewLock) func(*rapid.T) {
	return newProperty(name, newLock, false).check
}

// StrictProperty is [Property] for a lock that promises more than a lease can:
// violations of limits fail, too. A lock that waits for its followers, say, should
// keep everything under failover-loss.
func StrictProperty(name string, newLock NewLock) func(*rapid.T) {
	return newProperty(name, newLock, true).check
}

func newProperty(name string, newLock NewLock, strict bool) *property {
	s, err := Find(name)
	if err != nil {
		panic("scenarios: " + err.Error())
	}
	p := &property{cell: Cell{Scenario: s, Params: s.Params, Lock: Lock{ID: "the lock", New: newLock}}, strict: strict}
	p.passes.Store(sureAfter)
	p.failures.Store(sureAfter)
	return p
}

// property is a scenario as a property of a lock.
type property struct {
	cell   Cell
	strict bool // limits fail, too
	// passes and failures are how many runs that pass, and that fail, are still
	// to be made twice, to see whether they are deterministic.
	passes, failures atomic.Int64
}

// sureAfter is how many runs that pass are made twice, and as many that fail:
// rapid makes thousands of these to shrink one.
const sureAfter = 5

// check is what rapid calls.
func (p *property) check(t *rapid.T) {
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
		first := faults[0]
		t.Log(lazy(func() string { return p.story(r, first.Property, t.Name()) }))
		rapidtape.Fail(t, first.String(), first.Property+" is violated")
	}
	for _, v := range r.outcome.Verdicts {
		if v.Status == model.Undecided {
			t.Skipf("%s could not be decided: %s", v.Property, v.Sentence)
		}
	}
}

// faults are the violations that fail, in the order of the scenario's properties.
func (p *property) faults(verdicts []model.Verdict) []model.Violation {
	var list []model.Violation
	for _, v := range verdicts {
		if v.Status == model.Violated && (p.strict || !v.Limit) {
			list = append(list, v.Violation())
		}
	}
	return list
}

// run makes one run. It is a generator of rapid's, so that rapid shows the run
// as one value, its deviations from calm, instead of all its draws.
func (p *property) run(t *rapid.T) *drawn {
	tape := &explore.Watched{Tape: rapidtape.Tape{T: t}}
	o := p.cell.Run(explore.Run{Tape: tape})
	if f := o.Failure; f != nil && rapidtape.Ends(f.Panic) {
		panic(f.Panic)
	}
	return &drawn{tape: tape.Choices(), outcome: o}
}

// drawn is a run and what was drawn for it.
type drawn struct {
	tape    []sim.Choice
	outcome explore.Outcome
}

// GoString is how rapid shows the run.
func (r *drawn) GoString() string {
	deviations := explore.Deviations(r.tape)
	if len(deviations) == 0 {
		return fmt.Sprintf("%d, all calm", len(r.tape))
	}
	list := make([]string, len(deviations))
	for i, c := range deviations {
		list[i] = fmt.Sprintf("%s=%d", c.ID(), c.Option)
	}
	return fmt.Sprintf("%d, calm but for %s", len(r.tape), strings.Join(list, ", "))
}

// crashed fails for a run that came to no proper end.
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

// again repeats a run and fails if it does not come out the same.
func (p *property) again(t *rapid.T, r *drawn) {
	if p.rerun(r).Hash == r.outcome.Hash {
		return
	}
	for _, unsure := range []*atomic.Int64{&p.passes, &p.failures} {
		unsure.Store(math.MaxInt64) // or rapid would not see it again
	}
	rapidtape.Fail(t, "nondeterministic", "nondeterministic: two runs with the same decisions differ"+p.difference(r)+
		"\nDoes the lock draw from math/rand/v2, depend on the order of a map, or use real I/O? Package sim says what a run cannot see to.")
}

// rerun repeats a run, and records it.
func (p *property) rerun(r *drawn) explore.Outcome {
	return p.cell.Run(explore.Run{Tape: explore.NewReplay(r.tape), Record: true})
}

// difference says how runs of the same decisions differ.
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

// story tells what violated the property in the test of that name.
func (p *property) story(r *drawn, violated, name string) string {
	var text strings.Builder
	text.WriteByte('\n')
	trace := p.cell.Trace(0, -1, violated, p.rerun(r))
	_ = render.Explain(&text, trace, render.Style{}) // a Builder takes everything
	fmt.Fprintf(&text, "replay      go test -run '%s'; rapid tries its fail files first", testbinary.Pattern(name))
	return text.String()
}

// lazy is text that is made only if it is printed: rapid prints for the last of
// thousands of runs only.
type lazy func() string

func (l lazy) String() string { return l() }
