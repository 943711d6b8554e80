package explore

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
)

// Here is a worker in this process, for where no other process can be started, such as in a
// browser, or need not be. It makes one run at a time, for all callers, and findings run twice as
// they do in processes. The same requests have the same results as in a worker process, with
// these exceptions: code that ends the process ends this one, the second run of a finding does
// not show what differs between processes alone, and goroutines that a run leaves behind stay.
//
// A Here must not be copied after its first use. It may be used by several goroutines.
type Here struct {
	// Resolve finds the runner for a request's cell.
	Resolve func(cell json.RawMessage) (Runner, error)
	// Watched is set to give up runs that stand still, as a worker process does. Such a run stays in
	// this process and would disturb others, so there can be no other run: from then on each
	// request fails with [ErrSpent]. If it is not set, a run that stands still never returns.
	//
	// Where Go has one thread and does not interrupt goroutines (GOARCH=wasm), the watchdog sees
	// runs that wait for ever, but not code that spins: then nothing else runs in the process either,
	// and the process's parent has to end it.
	Watched bool
	// Debugged is set for runs in which a debugger may stop. They have what they have in a worker process, one processor, and neither the
	// collector nor the profile of memory, and what they print goes at once to where it would have gone: it is in no recording.
	Debugged bool
	// Between, if not nil, is called before each run, by the goroutine that makes it. Where Go has one
	// thread, others can go on there.
	Between func()

	mutex sync.Mutex // held while a run is made
	spent bool
}

// ErrSpent is the error for a request to a [Here] in which a run was given up.
var ErrSpent = errors.New("explore: this process can make no other run, since one that stands still was given up in it: start it again")

// errEnough says that nobody wants more results.
var errEnough = errors.New("explore: enough")

// do is [Hand.Do] in this process.
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

// Spent reports whether a run was given up, so that there can be no other.
func (h *Here) Spent() bool {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	return h.spent
}
