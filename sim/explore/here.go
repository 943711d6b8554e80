package explore

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
)

// Here is a worker in this process, for use where no other process can be started, such as in a
// browser, or need not be. It makes one run at a time, for all callers, and runs findings twice,
// as worker processes do. The same requests have the same results as in a worker process, with
// these exceptions: code that ends its process ends this one, the second run of a finding cannot
// show differences between processes, and goroutines that a run leaves behind remain.
//
// A Here must not be copied after its first use. It may be used by several goroutines.
type Here struct {
	// Resolve finds the runner for a request's cell.
	Resolve func(cell json.RawMessage) (Runner, error)
	// Watched makes Here give up runs that do not move, as a worker process does. Such a run remains
	// in this process and would disturb others, so from then on each request fails with [ErrSpent].
	// If Watched is not set, a run that does not move never returns.
	//
	// If Go has one thread and does not interrupt goroutines (GOARCH=wasm), the watchdog detects runs
	// that wait for ever, but not code that spins: nothing else then runs in the process, and its
	// parent has to end it.
	Watched bool
	// Debugged is for runs in which a debugger may stop. They run as in a worker process, with one processor and
	// without garbage collection and memory profile. Their output goes directly to its usual place, and is in no
	// recording.
	Debugged bool
	// Between, if not nil, is called before each run, by the goroutine that makes it. If Go has one
	// thread, it is the place to let other goroutines run.
	Between func()

	mutex sync.Mutex // held while a run is made
	spent bool
}

// ErrSpent is the error for a request to a [Here] in which a run was given up.
var ErrSpent = errors.New("explore: this process can make no other run, since one that stands still was given up in it: start it again")

// errEnough is returned by server.here if its caller wants no more results.
var errEnough = errors.New("explore: enough")

// do does the work of [Hand.Do] in this process.
func (h *Here) do(ctx context.Context, q Request, each func(Result) bool) error {
	run, err := h.Resolve(q.Cell)
	if err != nil {
		return err
	}
	if h.Watched {
		limitStack()
		countNetworking()
	}
	s := &server{request: q, run: run, prints: h.Debugged, clock: &stopwatch{processorTime()}, guard: h.guard, here: func(r Result) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !each(r):
			return errEnough
		}
		return nil
	}}
	switch err := ctx.Err(); {
	case err != nil:
		return err
	case h.Spent():
		return ErrSpent
	}
	_, err = s.serveAll()
	switch {
	case errors.Is(err, errEnough):
		return nil
	case err == nil && h.Spent():
		return ErrSpent // unless that was enough
	}
	return err
}

// guard makes a run.
func (h *Here) guard(run Runner, how Run) (Outcome, *Trouble) {
	if h.Between != nil {
		h.Between()
	}
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.Debugged {
		defer undisturbed()()
	}
	switch {
	case h.spent:
		return Outcome{}, &Trouble{Kind: Inconclusive, Reason: ErrSpent.Error()}
	case !h.Watched:
		return run(how), nil
	}
	o, trouble := guarded(run, how)
	h.spent = trouble != nil
	return o, trouble
}

// Spent reports whether a run was given up, so that all further requests fail.
func (h *Here) Spent() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.spent
}
