package sim

import (
	"fmt"
	"runtime/debug"
)

// Failure is a run that ended otherwise than by its own accord.
type Failure struct {
	// Actor is whose goroutine it was, or to whom the event was happening,
	// empty if that is not known.
	Actor string
	// Reason says what happened, in one line.
	Reason string
	// Panic is the value of the panic, nil if there was none. A tape that has
	// given the run up finds its own there, to panic with it again.
	Panic any `json:"-"`
	// Stack is the stack of the panic, or of what was left over.
	Stack string
	// Leaked is set if the run itself went through, and goroutines were left
	// over afterwards.
	Leaked bool
}

func (f *Failure) Error() string { return f.Reason }

// fail keeps the first failure.
func (w *World) fail(f *Failure) {
	if f.Actor == "" && w.acting != nil {
		f.Actor = w.acting.name
	}
	if w.failure == nil {
		w.failure = f
	}
}

// guard calls f. If f panics, or ends its goroutine, failed is told.
func guard(f func(), failed func(*Failure)) {
	returned := false
	defer func() {
		if returned {
			return
		}
		reason := "the goroutine was ended by runtime.Goexit, as t.FailNow does"
		p := recover()
		if p != nil {
			reason = fmt.Sprintf("panic: %v", p)
		}
		failed(&Failure{Reason: reason, Panic: p, Stack: string(debug.Stack())})
	}()
	f()
	returned = true
}

// failed makes a failure of one of the actor's goroutines a failure of the
// run. It reaches the conductor as an emission, so that it does not depend on
// the scheduler which of several failures is the first. What goroutines of a
// crashed process do when the world drains, nobody does.
func (a *Actor) failed(f *Failure) {
	if a.process != nil {
		f.Actor = a.name
	}
	a.emit(laneFailure, int64(hashString(fnvOffset, f.Reason)>>1), func() {
		if a.process == nil || !a.process.crashed {
			a.world.fail(f)
		}
	})
}
