package certificate

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Report is the result of a verification.
type Report struct {
	// Runs are the numbers of schedules that were run, by their number of deviations. Levels 0 and 1 are
	// whole, the others samples.
	Runs []int
	// Seen is the number of classes of the certificate that these runs have.
	Seen int
}

// Refuted is the error of [Certificate.Verify] for a schedule that contradicts the certificate.
type Refuted struct {
	// Deviations are the choices of the schedule that are not calm, nil if it is no single schedule.
	Deviations []sim.Choice
	// Reason says what the run shows, or the runs do.
	Reason string
}

// Error returns the reason, and the schedule.
func (r *Refuted) Error() string {
	switch {
	case r.Deviations == nil:
		return r.Reason
	case len(r.Deviations) == 0:
		return "the calm run " + r.Reason
	}
	names := make([]string, len(r.Deviations))
	for i, d := range r.Deviations {
		names[i] = fmt.Sprintf("%s=%d", d.ID(), d.Option)
	}
	return fmt.Sprintf("the run with %s %s", strings.Join(names, ", "), r.Reason)
}

// ErrOther is the error of [Certificate.Verify] if this program has another lock, scenario or version.
var ErrOther = errors.New("the certificate is about another program or version: it has other parameters or properties, or no class of the calm run here")

// Verify runs the calm schedule, every schedule with one deviation, and, for each larger number of deviations up to the
// bound, as many drawn schedules as samples says. The seed decides which are drawn. The error is a [*Refuted], [ErrOther], one of the context, or says why the cell cannot be run here. The
// report counts what was run until then. Of each sampled schedule the first deviation is drawn evenly from the calm run's, and each other
// evenly from those after it.
func (c *Certificate) Verify(ctx context.Context, r cell.Registry, samples int, seed uint64) (Report, error) {
	v := &verifier{ctx: ctx, Certificate: c, seen: map[uint64]bool{}, report: Report{Runs: make([]int, c.Bound+1)}}
	var err error
	if v.cell, err = r.Cell(c.Scenario, c.Lock, c.Parameters); err != nil {
		return v.report, err
	}
	if lacks := v.cell.Lacks(); lacks != "" {
		return v.report, fmt.Errorf("the scenario %s does not apply to %s: %s", c.Scenario, c.Lock, lacks)
	}
	if !slices.Equal(c.Parameters, v.cell.Parameters()) || !slices.Equal(c.Properties, v.cell.Judged()) {
		return v.report, ErrOther
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	err = v.verify(samples, rand.New(rand.NewPCG(seed, uint64(c.Bound))))
	v.report.Seen = len(v.seen)
	return v.report, err
}

// verifier is a verification at work.
type verifier struct {
	*Certificate
	ctx    context.Context
	cell   cell.Cell
	seen   map[uint64]bool
	report Report
}

func (v *verifier) verify(samples int, rng *rand.Rand) error {
	calm, err := v.run(nil)
	if err != nil {
		return err
	}
	first := calm.deviations(nil)
	if v.Bound > 0 {
		for _, d := range first {
			if _, err := v.run([]deviation{d}); err != nil {
				return err
			}
		}
		if l, runs := v.Levels[1], v.report.Runs[1]; l.Run+l.Idle != runs || l.Classes != len(v.seen) {
			return &Refuted{Reason: fmt.Sprintf("there are %d schedules with one deviation, and %d classes, and the certificate has %d and %d", runs, len(v.seen), l.Run+l.Idle, l.Classes)}
		}
	}
	for n := 2; n <= v.Bound; n++ {
		for range samples {
			if err := v.sample(calm, n, rng); err != nil {
				return err
			}
		}
	}
	return nil
}

// sample runs a drawn schedule with n deviations. It runs none if a schedule with fewer has no place for the next.
func (v *verifier) sample(calm *tape, n int, rng *rand.Rand) error {
	var list []deviation
	for t := calm; ; {
		next := t.deviations(list)
		if len(next) == 0 {
			return nil
		}
		list = append(slices.Clone(list), next[rng.IntN(len(next))])
		if len(list) < n {
			var err error
			if t, _, err = v.once(list, false); err != nil { // only to see which may follow
				return err
			}
			continue
		}
		_, err := v.run(list)
		return err
	}
}

// run makes a run, judges it and looks up its class.
func (v *verifier) run(list []deviation) (*tape, error) {
	t, out, err := v.once(list, true)
	if err != nil {
		return t, err
	}
	v.report.Runs[len(list)]++
	for _, verdict := range out.Verdicts {
		switch {
		case verdict.Status == model.Undecided:
			return t, t.refuted("cannot be judged by " + verdict.Property)
		case verdict.Status != model.Violated:
		case !verdict.Limit:
			return t, t.refuted(fmt.Sprintf("violates %s: %s", verdict.Property, verdict.Sentence))
		case !slices.Contains(v.Limits, verdict.Property):
			return t, t.refuted(fmt.Sprintf("violates %s as a limit, which the certificate does not name: %s", verdict.Property, verdict.Sentence))
		}
	}
	if !v.Classes.Has(out.Class) {
		if len(list) == 0 {
			return t, ErrOther
		}
		return t, t.refuted(fmt.Sprintf("is of the class %016x, which the certificate lacks", out.Class))
	}
	v.seen[out.Class] = true
	return t, nil
}

// once makes a run with the deviations.
func (v *verifier) once(list []deviation, judge bool) (*tape, cell.Once, error) {
	t := &tape{options: map[int]int{}}
	for _, d := range list {
		t.options[d.at] = d.option
	}
	if err := v.ctx.Err(); err != nil {
		return t, cell.Once{}, err
	}
	out := v.cell.Once(t, judge)
	if out.Failure != nil {
		return t, out, t.refuted("failed: " + out.Failure.Reason)
	}
	return t, out, nil
}

// deviation is an option of the at-th decision of a run that is not calm.
type deviation struct{ at, option int }

// tape deviates from calm at the decisions that options names, and keeps what it was asked.
type tape struct {
	options map[int]int
	asked   []sim.Choice
}

// Choose answers a decision.
func (t *tape) Choose(d sim.Decision) int {
	option := t.options[len(t.asked)]
	if option >= d.Options {
		panic(fmt.Sprintf("two runs of the same choices differ: decision %d has %d options now", len(t.asked), d.Options))
	}
	t.asked = append(t.asked, sim.Choice{Kind: d.Kind, Actor: d.Actor, Occurrence: d.Occurrence, Options: d.Options, Option: option})
	return option
}

// deviations lists the deviations of the run that come after the given ones.
func (t *tape) deviations(after []deviation) (list []deviation) {
	first := 0
	if len(after) > 0 {
		first = after[len(after)-1].at + 1
	}
	for at := first; at < len(t.asked); at++ {
		for option := least(t.asked[at]); option < t.asked[at].Options; option++ {
			list = append(list, deviation{at, option})
		}
	}
	return list
}

// least returns the first option of a decision that is a deviation: of a latency the last one, of orders and faults
// the first that is not calm. Seeds and the size of a run have none.
func least(c sim.Choice) int {
	switch {
	case c.Kind == sim.Latency:
		return c.Options - 1
	case c.Kind == sim.Order, c.Kind == sim.Delay, strings.HasPrefix(string(c.Kind), "fault:"):
		return 1
	default:
		return c.Options
	}
}

// refuted is the error of a run that contradicts the certificate.
func (t *tape) refuted(reason string) error {
	r := &Refuted{Reason: reason, Deviations: []sim.Choice{}}
	for _, c := range t.asked {
		if c.Option != 0 {
			r.Deviations = append(r.Deviations, c)
		}
	}
	return r
}
