package sim

import (
	"fmt"
	"runtime/debug"
)

// Failure says why a run failed: its code panicked, or its goroutines did not end.
type Failure struct {
	// Actor is the owner of the goroutine, or the target of the event. It is empty
	// if that is not known.
	Actor string
	// Reason says what happened, in one line.
	Reason string
	// Panic is the value of the panic, nil if there was none. It lets the caller
	// repeat the panic of a tape that gave the run up.
	Panic any `json:"-"`
	// Stack is the stack of the panic, or the stacks of the leaked goroutines.
	Stack string
	// Leaked is set if the run itself ended, and goroutines remained after it.
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

// guard calls f, and failed if f panics or ends its goroutine.
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
// run. It reaches the conductor as an emission, so that the scheduler has no say in
// which of several failures is the first. Failures of a crashed process do not
// count: its goroutines go on only because the world drains.
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
