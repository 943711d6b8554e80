package scenarios

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Passing is the nearest run of a counterexample that does not show its violation.
type Passing struct {
	// Trace is that run. It is of no search.
	Trace *traces.Trace
	// Without describes the one deviation that it lacks.
	Without string
}

// ErrNothingToTake says that no deviation of a counterexample can be taken away.
var ErrNothingToTake = errors.New("it has no deviation from the calm run that the violation needs")

// NearestPassing runs a counterexample again without one of the deviations that it needs: the
// last one without which it passes, so that both runs are alike for as long as possible. A run
// that violates nothing is preferred to one that violates another property. Which deviations are
// needed the attribution says; without one, each is tried. OnRun, if not nil, is called before each
// run with its number and the most there may be.
func (c Cell) NearestPassing(ctx context.Context, w explore.Worker, old *traces.Trace, onRun func(run, atMost int)) (*Passing, error) {
	h := explore.Hand{Worker: w}
	defer h.Close()
	list := explore.Deviations(old.Tape)
	var next *Passing // that violates something else
	runs, atMost := 0, explore.CountDeviations(list)
	for i, choice := range slices.Backward(list) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !explore.IsDeviation(choice) || !mayBeNeeded(old.Attribution, choice) {
			continue
		}
		if runs++; next != nil && runs > mostTried {
			break
		}
		if onRun != nil {
			onRun(runs, atMost)
		}
		r, err := h.ReplayLenient(ctx, c.Encode(), slices.Concat(list[:i], list[i+1:]))
		var trouble *explore.Trouble
		switch {
		case errors.As(err, &trouble):
			continue // it does not finish
		case err != nil:
			return nil, err
		}
		if r.Trouble != nil || !passes(r, old) {
			continue
		}
		text, _ := c.deviationText(&explore.Recording{Events: old.Events, Choices: old.Tape, History: old.History}, choice)
		p := &Passing{Trace: c.Trace(old.Seed, -1, "", r.Outcome()), Without: text}
		if len(r.Violated) == 0 {
			return p, nil
		}
		if next == nil {
			next = p
		}
	}
	if next == nil {
		return nil, ErrNothingToTake
	}
	return next, nil
}

// mostTried is the number of runs after which a passing run may violate another property.
const mostTried = 60

// Compare compares the counterexample, which is called by a name, with the passing run.
func (p *Passing) Compare(name string, counterexample *traces.Trace) *render.Difference {
	return render.Compare(render.Compared{Name: name, Trace: counterexample}, render.Compared{Name: "the same without this: " + p.Without, Trace: p.Trace})
}

// mayBeNeeded reports whether a deviation is needed as far as is known.
func mayBeNeeded(a *traces.Attribution, choice sim.Choice) bool {
	if a == nil {
		return true
	}
	for i := range a.Deviations {
		if d := &a.Deviations[i]; d.Decision == choice.ID() && d.Option == choice.Option {
			return d.Needed || d.Untried
		}
	}
	return true
}

// passes reports whether a run is known not to have the violation of a counterexample.
func passes(r *explore.Result, old *traces.Trace) bool {
	if old.Violation().Shown(r.Violated) {
		return false
	}
	return !slices.ContainsFunc(r.Verdicts, func(v model.Verdict) bool { return v.Property == old.Property && v.Status == model.Undecided })
}

// MayTakeAway returns an error if a trace is no counterexample that a passing run could be
// compared with.
func MayTakeAway(t *traces.Trace) error {
	switch {
	case t.Experiment != nil:
		return fmt.Errorf("it is a run of an experiment, which has no violation")
	case t.Trouble != nil:
		return fmt.Errorf("it did not finish (%s), so there are no events to compare", t.Trouble.Kind)
	case t.Property == "":
		return errors.New("it has no violation")
	}
	return nil
}
