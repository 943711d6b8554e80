package sim

import (
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/lockpick-dev/lockpick/sim/internal/digest"
)

// Failure says why a run failed: its code panicked, or its goroutines did not end.
type Failure struct {
	// Actor is the owner of the goroutine, or the target of the event. It is empty if
	// unknown.
	Actor string
	// Reason says what happened, in one line.
	Reason string
	// Panic is the value of the panic, nil if there was none. The caller can use it to
	// repeat the panic of a tape that gave up the run.
	Panic any `json:"-"`
	// Stack is the stack of the panic, or the stacks of the leaked goroutines.
	Stack string
	// Leaked is set if the run ended normally, but goroutines remained after it.
	Leaked bool
	// Refused is set if a simulated server does not support a request: see [ServerConn.Refuse].
	Refused bool
}

// Error returns the reason.
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

// guard calls f. If f panics or ends its goroutine, it calls failed.
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

// failed makes a failure of one of the actor's goroutines a failure of the run. It
// reaches the conductor as an emission, so that the scheduler does not decide which of
// several failures is the first.
func (a *Actor) failed(f *Failure) {
	a.emit(laneFailure, int64(digest.String(digest.Offset, f.Reason)>>1), func() { a.world.fail(f) })
}

// reasons are the reasons why a run may not repeat.
type reasons struct {
	mu    sync.Mutex
	known map[string]bool
}

func (r *reasons) add(reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known == nil {
		r.known = map[string]bool{}
	}
	r.known[reason] = true
}

// list returns the reasons, sorted.
func (r *reasons) list() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Sorted(maps.Keys(r.known))
}
