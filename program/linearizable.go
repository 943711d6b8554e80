package program

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/model"
)

// Linearizable is the rule that the operations on an object, which processes do by Do, have an order
// that a sequential model allows and in which none comes before one that had returned when it was
// called. Package models has models; any porcupine.Model does as well. The rule is reached by the first
// operation that returns.
//
// An operation that has not returned, because its process crashed, or that returned an error which
// leaves its effect open, may take effect at any time after its call, or never. The model is then asked
// with a nil output, for which any answer is legal; if it refuses that, the operation has no effect.
//
// The search for an order is porcupine's (github.com/anishathalye/porcupine). One that needs more than
// 500,000 steps of the model leaves the rule undecided.
func Linearizable(text, object string, m porcupine.Model) Rule {
	wrong := ""
	switch {
	case m.Init == nil || m.Step == nil && m.StepContext == nil:
		wrong = "has a model without Init or Step"
	case m.Step == nil:
		within := m.StepContext
		m.Step = func(state, input, output any) (bool, any) { return within(context.Background(), state, input, output) }
	}
	return Rule{
		Text: text, object: object, wrong: wrong,
		judge: func(_ *Rule, h *model.History) broken { return inOrder(actionsOn(h, object), m) },
		reached: func(_ *Rule, h *model.History) bool {
			return slices.ContainsFunc(actionsOn(h, object), func(a *model.Action) bool { return a.Return.Happened() })
		},
		reaches: "an operation of the rule %q returned",
	}
}

// actionsOn are the operations on an object that may have had an effect.
func actionsOn(h *model.History, object string) (list []*model.Action) {
	for i := range h.Actions {
		if a := &h.Actions[i]; a.Object == object && a.Result != model.Failed {
			list = append(list, a)
		}
	}
	return list
}

// mostSteps is how many steps of a model a search may try. It counts steps and not time, so that a
// verdict is the same on every machine.
const mostSteps = 500_000

// done is an operation as the model's wrapper sees it.
type done struct {
	input, output any
	open          bool // whether it took effect is not known
}

// inOrder searches for an order of the operations.
func inOrder(actions []*model.Action, m porcupine.Model) broken {
	for _, a := range actions {
		step(&m, m.Init(), &done{a.Input, a.Output, a.Result != model.OK}) // one that the model does not know panics here
	}
	switch ordered, exhausted := search(actions, m); {
	case ordered:
		return broken{}
	case exhausted:
		return broken{what: fmt.Sprintf("The search for an order of %d operations was given up after %d steps.", len(actions), mostSteps), open: model.Undecided}
	}
	return disorder(actions, m)
}

// search asks porcupine whether operations have an order. Exhausted is set if it tried too many steps.
func search(actions []*model.Action, m porcupine.Model) (ordered, exhausted bool) {
	var ops []porcupine.Operation
	for i, a := range actions {
		d := done{a.Input, a.Output, a.Result != model.OK}
		op := porcupine.Operation{ClientId: i, Input: &d, Call: a.Call.Seq, Return: a.Return.Seq}
		if d.open {
			op.Return = math.MaxInt64
		}
		ops = append(ops, op)
	}
	var steps atomic.Int64 // porcupine searches in goroutines of its own
	wrapped := m
	wrapped.Partition, wrapped.PartitionEvent, wrapped.StepContext = nil, nil, nil
	wrapped.Step = func(state, input, _ any) (bool, any) {
		if steps.Add(1) > mostSteps {
			return false, state
		}
		return step(&m, state, input.(*done))
	}
	ordered = porcupine.CheckOperations(wrapped, ops)
	return ordered, !ordered && steps.Load() > mostSteps
}

// step asks the model about one operation.
func step(m *porcupine.Model, state any, d *done) (legal bool, next any) {
	if !d.open {
		return m.Step(state, d.input, d.output)
	}
	if legal, next = m.Step(state, d.input, nil); !legal {
		return true, state
	}
	return true, next
}

// disorder is what breaks the rule: the first operation whose return leaves no order for those that
// have been called until then.
func disorder(actions []*model.Action, m porcupine.Model) broken {
	returned := slices.DeleteFunc(slices.Clone(actions), func(a *model.Action) bool { return a.Result != model.OK })
	slices.SortFunc(returned, func(a, b *model.Action) int { return int(a.Return.Seq - b.Return.Seq) })
	for _, last := range returned {
		var until []*model.Action
		for _, a := range actions {
			if a.Call.Seq < last.Return.Seq {
				one := *a
				if one.Return.Seq > last.Return.Seq {
					one.Result, one.Output = model.Unknown, nil
				}
				until = append(until, &one)
			}
		}
		if ordered, _ := search(until, m); !ordered {
			return told(last, until)
		}
	}
	return told(returned[len(returned)-1], actions)
}

// mostTold is how many operations before the last one a sentence has.
const mostTold = 4

// told says that an operation has no place in any order, after those before it.
func told(last *model.Action, actions []*model.Action) broken {
	var before []string
	var seqs []int64
	for _, a := range actions {
		seqs = append(seqs, a.Call.Seq)
		if a.ID == last.ID {
			continue
		}
		if a.Return.Happened() {
			seqs = append(seqs, a.Return.Seq)
		}
		before = append(before, inWords(a))
	}
	seqs = append(seqs, last.Return.Seq)
	slices.Sort(seqs)
	if extra := len(before) - mostTold; extra > 0 {
		before = append([]string{"…"}, before[extra:]...)
	}
	return broken{
		what: fmt.Sprintf("No order of the operations on %s explains that %s; before it: %s.", last.Object, inWords(last), strings.Join(before, "; ")),
		seqs: slices.Compact(seqs), from: actions[0].Call, at: last.Return,
	}
}

// inWords is an operation with what came of it.
func inWords(a *model.Action) string {
	switch {
	case a.Result != model.OK:
		return fmt.Sprintf("%s's %s, of unknown outcome", a.Process, a.In)
	case a.Out == "":
		return fmt.Sprintf("%s's %s", a.Process, a.In)
	}
	return fmt.Sprintf("%s's %s was answered %s", a.Process, a.In, a.Out)
}
