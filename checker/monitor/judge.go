package monitor

import (
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// Bound limits the cost of a search for an order. The zero Bound is no limit: the
// search goes on until it has found an order or tried all.
type Bound struct {
	Time time.Duration // of the wall clock; 0 for no limit
	// Memory is about the number of bytes for porcupine's cache of visited states;
	// 0 for no limit.
	Memory int
	// Steps is the number of steps of the model that porcupine may try; 0 for no limit. Unlike the other limits it has the
	// same effect on every machine.
	Steps int
}

// Judge decides whether the calls of one object, and the crashes that concern it, have an order that an object of that
// kind allows. Calls must have passed [model.Spec.Check]. The error is about the spec.
//
// The monitor of the kind decides. If it has a doubt, or the kind has no monitor, porcupine searches an order within the
// bound; if that does not suffice the result is Undecided. Judge is safe for concurrent use.
func Judge(spec model.Spec, calls []model.Call, b Bound) (Result, error) {
	if err := spec.Validate(); err != nil {
		return Result{}, err
	}
	doubt := ""
	if m, err := New(spec); err == nil {
		r := Feed(m, calls)
		if r.Status != model.Undecided {
			return r, nil
		}
		if doubt = r.Doubt; doubt == crowded && packed(spec.Permits, calls) {
			return Result{Status: model.Holds}, nil
		}
	}
	return search(spec, calls, b, doubt), nil
}

// search asks porcupine, because of a doubt, or because there is no monitor. For
// each step that is legal porcupine keeps a state and a bit for each operation.
func search(spec model.Spec, calls []model.Call, b Bound, doubt string) Result {
	ops := objects.Operations(spec, needed(spec, calls))
	m, tiring := Limit(objects.Model(spec), b.Steps)
	most := int64(math.MaxInt64)
	if b.Memory > 0 {
		most = int64(b.Memory / (len(ops)/8 + 200))
	}
	var steps atomic.Int64 // porcupine searches in a goroutine of its own
	exhausted := func() bool { return steps.Load() > most || tiring() }
	step := m.Step
	m.Step = func(state, in, out any) (bool, any) {
		if exhausted() {
			return false, state
		}
		legal, next := step(state, in, out)
		if legal {
			steps.Add(1)
		}
		return legal && !exhausted(), next
	}
	result := porcupine.CheckOperationsTimeout(m, ops, b.Time)
	switch {
	case result == porcupine.Ok:
		return Result{Status: model.Holds, Searched: true}
	case result == porcupine.Illegal && !exhausted():
		v := &Violation{Rule: Search, Sentence: "No order of the calls explains their answers; all have been tried."}
		for i := range calls {
			v.At = max(v.At, calls[i].Call, calls[i].Return)
		}
		return Result{Status: model.Violated, Violation: v, Searched: true}
	}
	why := fmt.Sprintf("No order was found within %s, nor that there is none. More time or a shorter history may settle it.", b.Time)
	switch {
	case tiring():
		why = fmt.Sprintf("No order was found in %d tries of a step, nor that there is none.", b.Steps)
	case steps.Load() > most:
		why = fmt.Sprintf("No order was found within %d steps, nor that there is none; more would take too much memory. A shorter history, "+
			"or the outcomes of operations that are unknown, may settle it.", most)
	}
	if doubt != "" {
		why = doubt + " " + why
	}
	return Result{Status: model.Undecided, Searched: true, Doubt: why}
}

// needed leaves out unanswered calls of a register that no answer depends on: reads, and writes of values that no call has
// read or expects. They may always be placed last, but porcupine would try them everywhere. Refusals and tokens may depend
// on any call.
func needed(spec model.Spec, calls []model.Call) []model.Call {
	if spec.Kind != model.KindRegister || slices.ContainsFunc(calls, func(c model.Call) bool { return c.Fenced || c.Refused }) {
		return calls
	}
	for {
		seen := make(map[int64]bool)
		for i := range calls {
			switch c := &calls[i]; {
			case c.Op == model.Read && c.Valued && c.Outcome == model.OK:
				seen[c.Value] = true
			case c.Op == model.Cas && c.Outcome != model.Failed:
				seen[c.Expected] = true
			}
		}
		left := slices.DeleteFunc(slices.Clone(calls), func(c model.Call) bool {
			return c.Pending() && (c.Op == model.Read || (c.Op == model.Write || c.Op == model.Cas) && !seen[c.N])
		})
		if len(left) == len(calls) {
			return calls
		}
		calls = left
	}
}

// Limit returns the model with a bound on the steps of a search, 0 for none, and a
// function that reports whether the search has reached it. After that no step is
// legal, and a result other than porcupine.Ok means nothing.
func Limit(m porcupine.Model, steps int) (limited porcupine.Model, exhausted func() bool) {
	if steps == 0 {
		return m, func() bool { return false }
	}
	var tried atomic.Int64 // porcupine searches in a goroutine of its own
	exhausted = func() bool { return tried.Load() > int64(steps) }
	step := m.Step
	m.Step = func(state, in, out any) (bool, any) {
		if tried.Add(1); exhausted() {
			return false, state
		}
		return step(state, in, out)
	}
	return m, exhausted
}
