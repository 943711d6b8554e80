package hunt

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/causes"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Preflight makes one calm run of a cell, in which nothing fails. Reason is why a search would be pointless, "" if it
// would not: no client gets the lock, the lock does not use the simulated network, or its store does not support its
// requests. If the run does not finish, finished is false and the searches decide. The error is one of the worker.
func Preflight(ctx context.Context, w explore.Worker, c cell.Cell) (reason string, finished bool, err error) {
	r, err := w.Replay(ctx, c.Encode(), nil)
	var trouble *explore.Trouble
	if !errors.As(err, &trouble) && r != nil {
		trouble = r.Trouble
	}
	switch {
	case trouble != nil && trouble.Cause == explore.RealNetwork:
		return "the " + c.Noun() + " cannot be tested: " + trouble.Reason + ". " + reach(c), false, nil
	case trouble != nil && trouble.Cause.Always():
		return "the " + c.Noun() + " cannot be tested: in a calm run, in which nothing fails, " + described(trouble), false, nil
	case trouble != nil && trouble.Kind == explore.Refused:
		return fmt.Sprintf("refused, no verdict: the %s cannot be tested: %s\n\nWhat to do: %s", c.Noun(), described(trouble), causes.Advice(trouble)), false, nil
	case err != nil && trouble != nil:
		return "", false, nil
	case err != nil:
		return "", false, err
	case r.Recording == nil || c.IsProgram():
		return "", false, nil
	case trouble != nil && !trouble.Leaked && !acquired(&r.Recording.History):
		return "the lock cannot be tested: a calm run ended before any client had the lock: " + described(trouble), false, nil
	case !connected(r.Recording.Events) && waits(&r.Recording.History):
		return "no call of the lock has returned in a calm run, in which nothing fails, nor has a client connected to " + c.Lock.Store.Terms().Store + left(r), false, nil
	case !connected(r.Recording.Events):
		return "no client of the lock has connected to " + c.Lock.Store.Terms().Store + " in a calm run. " + reach(c) + firstError(r.Recording.History), false, nil
	case !acquired(&r.Recording.History):
		return "no client has acquired the lock in a calm run, in which nothing fails" + firstError(r.Recording.History) + left(r), false, nil
	}
	return "", trouble == nil || trouble.Leaked, nil
}

// described returns why a run has not finished, with the stack that shows it.
func described(t *explore.Trouble) string {
	if t.Stack == "" {
		return t.Reason
	}
	return t.Reason + "\n\n" + wording.Indent(t.Stack)
}

// acquired reports whether any client got the lock, or was let through by an object without holders.
func acquired(h *model.History) bool {
	return slices.ContainsFunc(h.Operations, func(op model.Operation) bool {
		if op.Kind == model.Acquire {
			return op.Result == model.OK
		}
		return op.Kind.Waits() && op.Return.Happened()
	})
}

// waits reports whether there were calls, and none returned.
func waits(h *model.History) bool {
	return len(h.Operations) > 0 && !slices.ContainsFunc(h.Operations, func(op model.Operation) bool { return op.Return.Happened() })
}

// reach returns how a lock reaches the simulated store.
func reach(c cell.Cell) string {
	return "It must connect by " + c.Lock.Store.Terms().Way + ", or by c.Dial: real sockets do not reach the simulation"
}

// connected reports whether any client has connected to the store, or tried to.
func connected(events []sim.Event) bool {
	for i := range events {
		e := &events[i]
		if (e.Kind == sim.EventDial || e.Kind == sim.EventRefused) && e.Actor != resourceActor && e.Peer != resourceActor {
			return true
		}
	}
	return false
}

// resourceActor is the name of the protected resource's lane.
const resourceActor = "resource"

// left lists the calls that had not returned at the end of the run.
func left(r *explore.Result) string {
	if r.Trouble == nil || r.Trouble.Stack == "" {
		return ""
	}
	return ". At the end of the run, after every context had ended, these had not returned:\n\n" + wording.Indent(r.Trouble.Stack)
}

// firstError returns the error of the first operation that failed.
func firstError(h model.History) string {
	for i := range h.Operations {
		if op := &h.Operations[i]; op.Err != "" {
			return fmt.Sprintf(". The first %s answered: %s", op.Kind, op.Err)
		}
	}
	return ""
}
