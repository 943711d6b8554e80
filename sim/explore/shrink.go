package explore

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/lockpick-dev/lockpick/sim"
)

// Shrink makes a counterexample smaller. It tries, in this order: the smaller
// cells; without latencies, seeds and orders that differ from calm; without each
// fault; whether a single fault would do, by trying all; delta debugging
// (Zeller and Hildebrandt, 2002) over all that is left; the calmer options of
// each choice; and whether fewer deviations would do, by trying schedules of
// which all but one are in the counterexample already. It begins again as long as that helps. What it ends
// with always violates the same property, a fault as a fault and a limit as a
// limit, is never worse than what it began with, and depends on nothing but that
// and the budget.
type Shrink struct {
	Worker Worker
	Cell   json.RawMessage
	// Property is what it violates, and Limit set if as a limit.
	Property string
	Limit    bool
	// Smaller lists the cells that are a step smaller than the given one, the
	// most promising first; nil for none.
	Smaller func(cell json.RawMessage) []json.RawMessage
	// Budget is how many runs it may take (default 3000).
	Budget int
	// OnProgress, if not nil, is called after each run.
	OnProgress func(runs, deviations int)
}

// Shrunk is what a counterexample has come to.
type Shrunk struct {
	Cell json.RawMessage
	// Tape is all that it takes to run it, and Outcome what that came to,
	// recorded.
	Tape    []sim.Choice
	Outcome Outcome
	// Deviations from calm that it has, and had before.
	Deviations, Before int
	// Runs is how many it took, and Exhausted is set if there were more to try.
	Runs      int
	Exhausted bool
}

// Run shrinks a counterexample. An error of type *[Trouble] says that it does
// not violate the property when it is run again; other errors are about the
// worker or the context.
func (s Shrink) Run(ctx context.Context, tape []sim.Choice) (*Shrunk, error) {
	if s.Budget == 0 {
		s.Budget = 3000
	}
	w := &shrinking{Shrink: s, ctx: ctx, hand: Hand{Worker: s.Worker}}
	defer w.hand.Close()
	r, err := w.run(s.Cell, tape)
	switch {
	case err != nil:
		return nil, err
	case r == nil:
		return nil, &Trouble{Kind: Inconclusive, Reason: "the counterexample does not violate " + s.violation().Words() + " when it is run again"}
	}
	w.keep(s.Cell, r)
	before := CountDeviations(r.Tape)
	w.shrink()
	if w.err != nil {
		return nil, w.err
	}
	return w.result(before)
}

// shrinking is a shrinking at work: the smallest counterexample so far.
type shrinking struct {
	Shrink
	ctx  context.Context // of this Run
	hand Hand
	cell json.RawMessage
	tape []sim.Choice // whole
	list []sim.Choice // what deviates in it
	// alone is the cell in which all single deviations have been tried.
	alone json.RawMessage
	runs  int
	err   error
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

// run makes one run. It answers nil if that does not violate the property.
func (w *shrinking) run(cell json.RawMessage, list []sim.Choice) (*Result, error) {
	w.runs++
	var got *Result
	err := w.hand.Do(w.ctx, Request{Cell: cell, Replay: true, Lenient: true, Tape: list}, func(r Result) bool {
		got = &r
		return true
	})
	var trouble *Trouble
	if err != nil && !errors.As(err, &trouble) {
		return nil, err
	}
	if w.OnProgress != nil {
		w.OnProgress(w.runs, CountDeviations(w.list))
	}
	if got == nil || !got.Trouble.judged() || !slices.Contains(got.Violated, w.violation()) {
		return nil, nil
	}
	return got, nil
}

// over reports whether there is nothing left to spend.
func (w *shrinking) over() bool { return w.err != nil || w.runs >= w.Budget || w.ctx.Err() != nil }

func (w *shrinking) keep(cell json.RawMessage, r *Result) {
	w.cell, w.tape, w.list = cell, r.Tape, Deviations(r.Tape)
}

// try runs a candidate and keeps it if it is a lighter counterexample, or as
// light in a smaller cell.
func (w *shrinking) try(cell json.RawMessage, list []sim.Choice) bool {
	if w.over() {
		return false
	}
	r, err := w.run(cell, list)
	if err != nil {
		w.err = err
	}
	if r == nil {
		return false
	}
	smaller := string(cell) != string(w.cell) && string(cell) != string(w.Cell)
	now, then := weigh(Deviations(r.Tape), r.Tape), weigh(w.list, w.tape)
	if slices.Compare(now[:], then[:]) >= 0 && (!smaller || now[0] > then[0]) {
		return false
	}
	w.keep(cell, r)
	return true
}

func (w *shrinking) shrink() {
	for better := true; better && !w.over(); {
		better = false
		for _, pass := range []func() bool{w.cells, w.calmKinds, w.withoutFaults, w.single, w.ddmin, w.calmerOptions, w.fewer} {
			better = pass() || better
		}
	}
}

// cells goes to smaller cells.
func (w *shrinking) cells() (better bool) {
	if w.Smaller == nil {
		return false
	}
	for again := true; again; {
		again = false
		for _, cell := range w.Smaller(w.cell) {
			if w.try(cell, w.list) {
				again, better = true, true
				break
			}
		}
	}
	return better
}

// calmKinds makes all choices of a kind calm, whose single ones hardly matter.
func (w *shrinking) calmKinds() (better bool) {
	for _, kinds := range [][]sim.Kind{{sim.Latency, sim.Seed, sim.Order}, {sim.Latency, sim.Seed}, {sim.Latency}, {sim.Seed}, {sim.Order}} {
		rest := slices.DeleteFunc(slices.Clone(w.list), func(c sim.Choice) bool { return slices.Contains(kinds, c.Kind) })
		if len(rest) < len(w.list) {
			better = w.try(w.cell, rest) || better
		}
	}
	return better
}

// withoutFaults leaves out one fault after the other, the last one first.
func (w *shrinking) withoutFaults() (better bool) {
	for i := len(w.list) - 1; i >= 0; i-- {
		if i < len(w.list) && IsFault(w.list[i].Kind) {
			better = w.try(w.cell, without(w.list, i, i+1)) || better
		}
	}
	return better
}

// ddmin leaves out ever smaller parts.
func (w *shrinking) ddmin() (better bool) {
	for size := max(len(w.list)/2, 1); len(w.list) > 0; size = max(size/2, 1) {
		removed := false
		for from := 0; from < len(w.list); {
			if w.try(w.cell, without(w.list, from, min(from+size, len(w.list)))) {
				removed, better = true, true
				continue // what came behind is here now
			}
			from += size
		}
		if w.over() || size == 1 && !removed {
			return better
		}
	}
	return better
}

// calmerOptions tries the options of each choice that are nearer to calm.
func (w *shrinking) calmerOptions() (better bool) {
	for i := 0; i < len(w.list); i++ {
		for _, option := range []int{1, 2, w.list[i].Option / 2} {
			if i >= len(w.list) || option < 1 || option >= w.list[i].Option {
				continue
			}
			list := slices.Clone(w.list)
			list[i].Option = option
			better = w.try(w.cell, list) || better
		}
	}
	return better
}

// single looks for a counterexample with one deviation, a fault, among all
// schedules that have one, once for each cell and for a part of the budget: it
// comes before what could take all of that and end elsewhere. Where the cell has
// become so small that it takes several, it looks in the one that the
// counterexample was found in.
func (w *shrinking) single() bool {
	n := CountDeviations(w.list)
	if n < 2 || string(w.cell) == string(w.alone) {
		return false
	}
	w.alone = w.cell
	most := w.runs + w.Budget/5
	return w.oneMore(w.cell, nil, IsFault, most) || n > 2 && string(w.cell) != string(w.Cell) && w.oneMore(w.Cell, nil, IsFault, most)
}

// fewer looks for a counterexample with fewer deviations among the schedules
// with two, or three, that share all but one with the present counterexample.
func (w *shrinking) fewer() bool {
	list := slices.DeleteFunc(slices.Clone(w.list), func(c sim.Choice) bool { return !IsDeviation(c) })
	if len(list) > 2 {
		for i := range list {
			if w.oneMore(w.cell, list[i:i+1], varies, w.Budget) {
				return true
			}
		}
	}
	if len(list) > 3 {
		for i := range list {
			for j := range i {
				if w.oneMore(w.cell, []sim.Choice{list[j], list[i]}, varies, w.Budget) {
					return true
				}
			}
		}
	}
	return false
}

// oneMore tries a few deviations with one more of the given kinds, anywhere, until
// there have been so many runs.
func (w *shrinking) oneMore(cell json.RawMessage, base []sim.Choice, kinds func(sim.Kind) bool, most int) bool {
	if w.over() {
		return false
	}
	var got *Result
	w.runs++
	err := w.hand.Do(w.ctx, Request{Cell: cell, Replay: true, Lenient: true, Tape: base}, func(r Result) bool {
		got = &r
		return true
	})
	if err != nil || got == nil || !got.Trouble.judged() {
		return false
	}
	for _, c := range got.Tape {
		if !kinds(c.Kind) || c.Option != 0 {
			continue
		}
		for option := leastDeviation(&sim.Decision{Kind: c.Kind, Options: c.Options}); option < c.Options && w.runs < most; option++ {
			c.Option = option
			if w.try(cell, append(slices.Clone(base), c)) {
				return true
			}
		}
	}
	return false
}

// result records the counterexample.
func (w *shrinking) result(before int) (*Shrunk, error) {
	c := confirmer{hand: w.hand, cell: w.cell}
	w.hand = Hand{Worker: w.Worker}
	defer c.hand.Close()
	r, trouble, err := c.replay(w.ctx, w.tape)
	switch {
	case err != nil:
		return nil, err
	case trouble != nil:
		return nil, trouble
	case r.Divergence != nil || !slices.Contains(r.Violated, w.violation()):
		return nil, &Trouble{Kind: Nondeterministic, Reason: "the shrunk counterexample did not come out the same when it was run again"}
	}
	return &Shrunk{
		Cell: w.cell, Tape: w.tape, Outcome: r.Outcome(),
		Deviations: CountDeviations(w.tape), Before: before, Runs: w.runs, Exhausted: w.runs >= w.Budget,
	}, nil
}
