package hunt

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// Passing is the run that is most like a counterexample without its violation.
type Passing struct {
	// Trace is that run. It belongs to no search.
	Trace *traces.Trace
	// Without describes the one deviation that it leaves out.
	Without string
}

// ErrNothingToTake means that no single deviation can be left out: each such run still shows the violation, does not
// finish, or could not be decided. The error of [NearestPassing] wraps it and counts these runs.
var ErrNothingToTake = errors.New("no run without one of its deviations passes")

// NearestPassing runs a counterexample again without one of the deviations that it needs: the last one without which it
// passes, so that both runs are alike for as long as possible. A run that violates nothing is preferred to one that
// violates another property. Needed are the deviations that the attribution names; without an attribution each is tried,
// in at most 600 runs. A run that does not finish, or in which the property could not be decided, does not pass. If none
// passes the error is [ErrNothingToTake]. OnRun, if not nil, is called before each run with its number and the maximum.
func NearestPassing(ctx context.Context, c cell.Cell, w explore.Worker, old *traces.Trace, onRun func(run, atMost int)) (*Passing, error) {
	h := explore.Hand{Worker: w}
	defer h.Close()
	list := explore.Deviations(old.Tape)
	var next *Passing // one that violates another property
	var none noPassing
	atMost := min(explore.CountDeviations(list), mostRuns)
	for i, choice := range slices.Backward(list) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if !explore.IsDeviation(choice) || !mayBeNeeded(old.Attribution, choice) {
			continue
		}
		if next != nil && none.runs >= mostTried {
			break
		}
		if none.runs == mostRuns {
			none.cut = true
			break
		}
		none.runs++
		if onRun != nil {
			onRun(none.runs, atMost)
		}
		r, err := h.ReplayLenient(ctx, c.Encode(), slices.Concat(list[:i], list[i+1:]))
		var trouble *explore.Trouble
		switch {
		case errors.As(err, &trouble):
			none.unfinished++
			continue
		case err != nil:
			return nil, err
		case r.Trouble != nil:
			none.unfinished++
			continue
		case old.Violation().Shown(r.Violated):
			continue
		case undecided(r, old.Property):
			none.undecided++
			continue
		}
		text, _ := c.DeviationText(&explore.Recording{Events: old.Events, Choices: old.Tape, History: old.History}, choice)
		p := &Passing{Trace: c.Trace(old.Seed, -1, "", r.Outcome()), Without: text}
		if len(r.Violated) == 0 {
			return p, nil
		}
		if next == nil {
			next = p
		}
	}
	if next == nil {
		return nil, none
	}
	return next, nil
}

// mostTried is the number of runs after which a passing run may violate another property, and mostRuns the maximum number
// of runs.
const (
	mostTried = 60
	mostRuns  = 600
)

// noPassing is the error if no run passes: it counts the runs by their results.
type noPassing struct {
	runs, unfinished, undecided int
	cut                         bool // there are more deviations
}

// Unwrap makes it [ErrNothingToTake].
func (noPassing) Unwrap() error { return ErrNothingToTake }

// Error says that the violation needs no deviation only if all runs show that.
func (n noPassing) Error() string {
	if !n.cut && n.unfinished+n.undecided == 0 {
		return "it has no deviation from the calm run that the violation needs"
	}
	var parts []string
	if violate := n.runs - n.unfinished - n.undecided; violate > 0 {
		parts = append(parts, fmt.Sprintf("%d showed the violation", violate))
	}
	if n.unfinished > 0 {
		parts = append(parts, fmt.Sprintf("%d did not finish or left goroutines behind", n.unfinished))
	}
	if n.undecided > 0 {
		parts = append(parts, fmt.Sprintf("%d could not be decided", n.undecided))
	}
	text := fmt.Sprintf("%v: of %s, %s", ErrNothingToTake, wording.Count(n.runs, "run"), strings.Join(parts, ", "))
	if n.cut {
		text += "; it has more deviations, which were not tried"
	}
	return text
}

// Compare compares the counterexample, under the given name, with the passing run.
func (p *Passing) Compare(name string, counterexample *traces.Trace) *render.Difference {
	return render.Compare(render.Compared{Name: name, Trace: counterexample}, render.Compared{Name: "the same without this: " + p.Without, Trace: p.Trace})
}

// mayBeNeeded reports whether a deviation is needed or not known to be unneeded.
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

// undecided reports whether a property could not be decided in a run.
func undecided(r *explore.Result, property string) bool {
	return slices.ContainsFunc(r.Verdicts, func(v model.Verdict) bool { return v.Property == property && v.Status == model.Undecided })
}

// MayTakeAway returns an error if [NearestPassing] does not apply to a trace: it has no
// violation, did not finish, or is of an experiment.
func MayTakeAway(t *traces.Trace) error {
	switch {
	case t.Experiment != nil:
		return fmt.Errorf("it is a run of an experiment, which has no violation")
	case t.Real != nil:
		return t.MayRun()
	case t.Trouble != nil:
		return fmt.Errorf("it did not finish (%s), so there are no events to compare", t.Trouble.Kind)
	case t.Property == "":
		return errors.New("it has no violation")
	}
	return nil
}
