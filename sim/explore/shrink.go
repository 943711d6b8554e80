package explore

import (
	"context"
	"encoding/json"
	"iter"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Shrink makes a counterexample smaller. It tries, in this order: the smaller cells, such as those without a kind of
// fault; removing latencies, seeds and orders that differ from calm; removing the end and the beginning; removing each
// fault; delta debugging (Zeller and Hildebrandt, 2002) over latencies and orders, if there are many, and over all
// remaining choices; removing each pair of choices, if there are few; all schedules with a single fault; the calmer
// options of each choice; and schedules with fewer deviations, all but one of which are in the counterexample. It
// repeats these steps as long as that helps. The result always violates the same property, a fault as a fault and a
// limit as a limit, and is never worse than the original. It depends only on the original and the budget, not on the
// number of workers.
type Shrink struct {
	Worker Worker
	Cell   json.RawMessage
	// Property is the property that the counterexample violates, and Limit is set if it
	// does so as a limit.
	Property string
	Limit    bool
	// Smaller lists the cells that are a step smaller than the given one, the
	// most promising first; nil for none.
	Smaller func(cell json.RawMessage) []json.RawMessage
	// Budget is the largest number of runs (default 3000), and Events the largest
	// number of events of all runs, 0 for no limit. A run that does not finish counts
	// as a second's worth of events.
	Budget int
	Events int64
	// Time limits the processor time of all runs, 0 for no limit. A result that it cut short depends on the
	// machine, and has Cut set.
	Time time.Duration
	// Jobs is the number of worker processes, 1 if zero. The result does not depend
	// on it.
	Jobs int
	// OnProgress, if not nil, is called after each run, by the goroutine that
	// shrinks.
	OnProgress func(ShrinkProgress)
}

// ShrinkProgress is the progress of a shrinking.
type ShrinkProgress struct {
	// Runs is the number of runs so far, and AtMost the approximate number that the
	// budget allows.
	Runs, AtMost int
	// Deviations are those of the smallest counterexample so far.
	Deviations int
}

// Shrunk is a counterexample after shrinking.
type Shrunk struct {
	Cell json.RawMessage
	// Tape runs the counterexample, and Outcome is the recorded outcome.
	Tape    []sim.Choice
	Outcome Outcome
	// Deviations is the number of its deviations from calm, and Before the number
	// before shrinking.
	Deviations, Before int
	// Runs is the number of runs, and Events their cost in a budget. Exhausted is set if the
	// budget ended the shrinking early, and Cut as well if Time did.
	Runs           int
	Events         int64
	Exhausted, Cut bool
}

// Run shrinks a counterexample. An error of type *[Trouble] says that it does
// not violate the property when it is run again; other errors are about the
// worker or the context.
func (s Shrink) Run(ctx context.Context, tape []sim.Choice) (*Shrunk, error) {
	if s.Budget == 0 {
		s.Budget = 3000
	}
	s.Worker.Meter = s.Worker.Meter.Part()
	w := &shrinking{Shrink: s, ctx: ctx, ahead: newAhead(ctx, s.Worker, s.Jobs)}
	r := w.ahead.one(w.request(candidate{cell: s.Cell, list: tape}))
	w.count(r)
	switch {
	case r.err != nil:
		w.ahead.close()
		return nil, r.err
	case !violates(r, s.violation()):
		w.ahead.close()
		return nil, &Trouble{Kind: Inconclusive, Reason: "the counterexample does not violate " + s.violation().Words() + " when it is run again"}
	}
	w.keep(s.Cell, r.result)
	before := CountDeviations(r.result.Tape)
	w.shrink()
	w.ahead.close()
	if w.err != nil {
		return nil, w.err
	}
	return w.result(before)
}

// violates reports whether a run has exactly the violation: a fault as a fault, a limit
// as a limit.
func violates(r ran, v model.Violation) bool {
	return r.judged() && slices.Contains(r.result.Violated, v)
}

// shrinking is a shrinking at work: the smallest counterexample so far.
type shrinking struct {
	Shrink
	ctx   context.Context // of this Run
	ahead *ahead
	cell  json.RawMessage
	tape  []sim.Choice // the whole tape
	list  []sim.Choice // its deviations
	// alone is the cell in which all single deviations have been tried.
	alone  json.RawMessage
	cut    bool
	runs   int
	events int64
	err    error
}

// candidate is a possible counterexample: a cell and its deviations.
type candidate struct {
	cell json.RawMessage
	list []sim.Choice
	// next is the position at which the sweep continues if the candidate is kept.
	next int
}

func (w *shrinking) request(c candidate) Request {
	return Request{Cell: c.cell, Replay: true, Lenient: true, Tape: c.list, Sought: w.violation()}
}

// count subtracts a run from the budget.
func (w *shrinking) count(r ran) {
	w.runs++
	w.events += r.events()
	if w.OnProgress != nil {
		w.OnProgress(ShrinkProgress{Runs: w.runs, AtMost: projected(w.runs, w.Budget, w.events, w.Events), Deviations: CountDeviations(w.list)})
	}
}

// weight orders counterexamples: the lighter the better.
type weight [4]int

func weigh(list []sim.Choice, tape []sim.Choice) weight {
	sum := 0
	for _, c := range list {
		if c.Kind != sim.Seed {
			sum += c.Option
		}
	}
	return weight{CountDeviations(list), len(list), sum, len(tape)}
}

// part returns the point at which a further 1/of of the budget will have been spent.
func (w *shrinking) part(of int) Shrink {
	return Shrink{Budget: w.runs + w.Budget/of, Events: w.events + w.Events/int64(of)}
}

// past reports whether the point has been passed.
func (w *shrinking) past(b Shrink) bool {
	return w.runs >= b.Budget || w.Events > 0 && w.events >= b.Events
}

// over reports whether the budget is spent.
func (w *shrinking) over() bool {
	return w.err != nil || w.past(w.Shrink) || w.ctx.Err() != nil || w.late()
}

// late reports whether the time is over, and if so notes that it has cut the shrinking.
func (w *shrinking) late() bool {
	w.cut = w.cut || w.Worker.Meter.past(w.Time)
	return w.cut
}

func (w *shrinking) keep(cell json.RawMessage, r *Result) {
	w.cell, w.tape, w.list = cell, r.Tape, Deviations(r.Tape)
}

// first tries candidates in their order and keeps the first that is a lighter
// counterexample, or as light in a smaller cell. It ends early at the point most. No
// candidate may depend on the results of those before.
func (w *shrinking) first(most Shrink, candidates iter.Seq[candidate]) (kept candidate, ok bool) {
	if w.over() || w.past(most) {
		return kept, false
	}
	var tried []candidate
	requests := func(yield func(Request) bool) {
		for c := range candidates {
			tried = append(tried, c)
			if !yield(w.request(c)) {
				return
			}
		}
	}
	w.ahead.inOrder(requests, func(n int, r ran) bool {
		w.count(r)
		w.err = r.err
		kept, ok = tried[n], w.accept(tried[n], r)
		return !ok && !w.over() && !w.past(most)
	})
	return kept, ok
}

// sweep tries candidates in their order and continues after each that is kept:
// candidates(at) returns those of the present counterexample from position at on. It
// reports whether any was kept.
func (w *shrinking) sweep(at int, candidates func(at int) iter.Seq[candidate]) (better bool) {
	for {
		c, ok := w.first(w.Shrink, candidates(at))
		if !ok {
			return better
		}
		better, at = true, c.next
	}
}

// accept keeps a candidate if its run is a lighter counterexample, or one as light
// in a smaller cell.
func (w *shrinking) accept(c candidate, r ran) bool {
	if !violates(r, w.violation()) {
		return false
	}
	smaller := string(c.cell) != string(w.cell) && string(c.cell) != string(w.Cell)
	now, then := weigh(Deviations(r.result.Tape), r.result.Tape), weigh(w.list, w.tape)
	if slices.Compare(now[:], then[:]) >= 0 && (!smaller || now[0] > then[0]) {
		return false
	}
	w.keep(c.cell, r.result)
	return true
}

func (w *shrinking) shrink() {
	for better := true; better && !w.over(); {
		better = false
		for _, pass := range []func() bool{w.cells, w.calmKinds, w.ends, w.withoutFaults, w.slight, w.ddmin, w.pairs, w.single, w.calmerOptions, w.fewer} {
			better = pass() || better
		}
	}
}

// cells tries smaller cells. From one that it keeps, it continues with those that would have been next,
// and at the end with those before, which may succeed in the smaller cell.
func (w *shrinking) cells() (better bool) {
	for w.Smaller != nil {
		kept := w.sweep(0, func(at int) iter.Seq[candidate] {
			return func(yield func(candidate) bool) {
				all := w.Smaller(w.cell)
				for i := at; i < len(all); i++ {
					if !yield(candidate{all[i], w.list, i}) {
						return
					}
				}
			}
		})
		if !kept || w.over() {
			return better
		}
		better = true
	}
	return better
}

// result records the counterexample.
func (w *shrinking) result(before int) (*Shrunk, error) {
	c := confirmer{hand: Hand{Worker: w.Worker, confirms: true}, cell: w.cell}
	defer c.hand.Close()
	r, trouble, err := c.replay(w.ctx, w.tape)
	switch {
	case err != nil:
		return nil, err
	case trouble != nil:
		return nil, trouble
	case r.Divergence != nil || !violates(ran{result: r}, w.violation()):
		return nil, &Trouble{Kind: Nondeterministic, Reason: "the shrunk counterexample did not come out the same when it was run again"}
	}
	return &Shrunk{
		Cell: w.cell, Tape: w.tape, Outcome: r.Outcome(),
		Deviations: CountDeviations(w.tape), Before: before, Runs: w.runs, Events: w.events,
		Exhausted: w.past(w.Shrink) || w.cut, Cut: w.cut,
	}, nil
}
