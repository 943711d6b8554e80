package sim

import (
	"fmt"
	"runtime/debug"
)

// Failure is why a run failed: code of it panicked, or goroutines of it were left
// over.
type Failure struct {
	// Actor is whose goroutine it was, or to whom the event happened. It is
	// empty if that is not known.
	Actor string
	// Reason says what happened, in one line.
	Reason string
	// Panic is the value of the panic, nil if there was none. A tape that gave
	// the run up by a panic finds its value here, to panic with it again.
	Panic any `json:"-"`
	// Stack is the stack of the panic, or of what was left over.
	Stack string
	// Leaked is set if the run itself came to its end, and goroutines were left
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
