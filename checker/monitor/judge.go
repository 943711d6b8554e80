package monitor

import (
	"fmt"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/model"
)

// Judge decides whether the calls of one object, and the crashes that concern
// it, have an order that an object of that kind allows. Calls must have passed
// [model.Spec.Check].
//
// The monitor of the kind decides. Where it has a doubt, or where there is none
// for the kind, porcupine searches an order for at most so long (0: until it
// has found one, or tried all); if that does not suffice the result is
// Undecided, and never a pass.
func Judge(spec model.Spec, calls []model.Call, limit time.Duration) (Result, error) {
	if err := spec.Validate(); err != nil {
		return Result{}, err
	}
	doubt := fmt.Sprintf("There is no monitor for a %s.", spec.Kind)
	if m, err := New(spec); err == nil {
		r := Feed(m, calls)
		if r.Status != model.Undecided {
			return r, nil
		}
		if doubt = r.Doubt; doubt == crowded && packed(spec.Permits, calls) {
			return Result{Status: model.Holds}, nil
		}
	}
	return search(spec, calls, limit, doubt), nil
}

// search asks porcupine, because of a doubt.
func search(spec model.Spec, calls []model.Call, limit time.Duration, doubt string) Result {
	ops := model.Operations(spec, calls)
	switch porcupine.CheckOperationsTimeout(spec.Model(), ops, limit) {
	case porcupine.Ok:
		return Result{Status: model.Holds, Searched: true}
	case porcupine.Illegal:
		v := &Violation{Rule: Search, Sentence: "No order of the calls explains their answers; all have been tried."}
		for i := range calls {
			v.Calls = append(v.Calls, calls[i].ID)
			v.At = max(v.At, calls[i].Call, calls[i].Return)
		}
		return Result{Status: model.Violated, Violation: v, Searched: true}
	}
	return Result{
		Status: model.Undecided, Searched: true,
		Doubt: doubt + fmt.Sprintf(" The search for an order did not end within %v.", limit),
	}
}
