package program

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/program/models"
)

// Linearizable returns the rule that the operations on an object, which processes execute by Do, have an
// order that a sequential model allows, and in which no operation precedes one that had returned before
// it was called. Package models has models; any porcupine.Model does as well. The rule is reached by the
// first operation that returns.
//
// An operation that has not returned, because its process crashed, or that returned an error which leaves
// its effect open, may take effect at any time after its call, or never. The model gets the output
// [models.Any] for it, for which any answer is legal. A model of your own that refuses this output, or
// panics, gets nil instead; if it refuses nil, too, the operation has no effect. A model's Partition is
// used, with the operations that have not returned among the others.
//
// A model that panics on an operation that has returned leaves the rule undecided, with the panic's
// text, and the test fails.
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

// actionsOn returns the operations on an object that may have had an effect.
func actionsOn(h *model.History, object string) (list []*model.Action) {
	for i := range h.Actions {
		if a := &h.Actions[i]; a.Object == object && a.Result != model.Failed {
			list = append(list, a)
		}
	}
	return list
}

// mostSteps is the most steps of a model that a search may try. It counts steps and not time, so
// that a verdict is the same on every machine.
const mostSteps = 500_000

// inOrder searches for an order of the operations.
func inOrder(actions []*model.Action, m porcupine.Model) broken {
	ordered, doubt := search(actions, m)
	switch {
	case ordered:
		return broken{}
	case doubt != "":
		return broken{what: doubt, open: model.Undecided}
	}
	return disorder(actions, m)
}

// search asks porcupine whether operations have an order. If that is unknown, doubt says why.
func search(actions []*model.Action, m porcupine.Model) (ordered bool, doubt string) {
	var ops []porcupine.Operation
	for i, a := range actions {
		op := porcupine.Operation{ClientId: i, Input: a.Input, Output: a.Output, Call: a.Call.Seq, Return: a.Return.Seq}
		if a.Result != model.OK {
			op.Output, op.Return = models.Any{}, math.MaxInt64
		}
		ops = append(ops, op)
	}
	s := &searching{m: m}
	wrapped := m
	wrapped.PartitionEvent, wrapped.StepContext, wrapped.Step = nil, nil, s.step
	ordered = porcupine.CheckOperations(wrapped, ops)
	switch {
	case s.panicked != "":
		panic(s.panicked)
	case !ordered && s.steps > mostSteps:
		return false, fmt.Sprintf("The search for an order of %d operations was given up after %d steps.", len(actions), mostSteps)
	}
	return ordered, ""
}

// searching is a search by porcupine, which tries steps in goroutines of its own.
type searching struct {
	m        porcupine.Model
	mu       sync.Mutex
	steps    int
	panicked string // the value of the model's panic
}

// step asks the model about one operation.
func (s *searching) step(state, input, output any) (legal bool, next any) {
	s.mu.Lock()
	s.steps++
	over := s.steps > mostSteps || s.panicked != ""
	s.mu.Unlock()
	if over {
		return false, state
	}
	if output == (models.Any{}) {
		for _, answer := range []any{output, nil} {
			if legal, next, failed := try(s.m.Step, state, input, answer); legal && failed == "" {
				return true, next
			}
		}
		return true, state
	}
	legal, next, failed := try(s.m.Step, state, input, output)
	if failed != "" {
		s.mu.Lock()
		s.panicked = failed
		s.mu.Unlock()
	}
	return legal, next
}

// try takes a step, and returns the value of a panic of the model.
func try(step func(state, input, output any) (bool, any), state, input, output any) (legal bool, next any, failed string) {
	defer func() {
		if reason := recover(); reason != nil {
			legal, next, failed = false, state, fmt.Sprint(reason)
		}
	}()
	legal, next = step(state, input, output)
	return legal, next, ""
}

// disorder returns the first operation whose return leaves no order for the operations called until
// then.
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
		if ordered, doubt := search(until, m); !ordered && doubt == "" {
			return misplaced(last, until)
		}
	}
	return misplaced(returned[len(returned)-1], actions)
}

// mostShown is the most operations that a sentence lists before the last one.
const mostShown = 4

// misplaced reports that an operation has no place in any order, after those before it.
func misplaced(last *model.Action, actions []*model.Action) broken {
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
	if extra := len(before) - mostShown; extra > 0 {
		before = append([]string{"…"}, before[extra:]...)
	}
	what := fmt.Sprintf("No order of the operations on %s explains that %s", last.Object, inWords(last))
	if len(before) > 0 {
		what += "; before it: " + strings.Join(before, "; ")
	}
	return broken{
		what: what + ".",
		seqs: slices.Compact(seqs), from: actions[0].Call, at: last.Return,
	}
}

// inWords returns an operation with its outcome.
func inWords(a *model.Action) string {
	switch {
	case a.Result != model.OK:
		return fmt.Sprintf("%s's %s, of unknown outcome", a.Process, a.In)
	case a.Out == "":
		return fmt.Sprintf("%s's %s", a.Process, a.In)
	}
	return fmt.Sprintf("%s's %s was answered %s", a.Process, a.In, a.Out)
}
