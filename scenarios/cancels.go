package scenarios

import (
	"context"
	"sync/atomic"

	"github.com/lockpick-dev/lockpick/scenarios/internal/record"
	"github.com/lockpick-dev/lockpick/sim"
)

// cancelFault is the decision whether the context of an Acquire ends.
const cancelFault sim.Kind = "fault:cancel"

// cancelDetail is what the log says of it. It is no fault of the world, which
// has nothing to recover from.
const cancelDetail = "cancel"

// cancelOdds is how rare that is for a random tape: an Acquire is asked about a
// dozen times, and many times that while it waits.
const cancelOdds = 25

// cancels let the context of an Acquire end, before any event of its process
// while it is under way: while it waits for a connection, for an answer, or
// for its turn.
type cancels struct {
	world  *sim.World
	budget int
	open   map[*sim.Actor]*atomic.Pointer[cancellable]
}

// cancellable is an operation under way whose context can end.
type cancellable struct {
	call   *record.Call
	cancel context.CancelFunc
}

func newCancels(w *sim.World, p Params) *cancels {
	return &cancels{world: w, budget: p.Cancels, open: map[*sim.Actor]*atomic.Pointer[cancellable]{}}
}

// of returns what a client process, of one thread, passes its contexts
// through.
func (f *cancels) of(p *sim.Process) func(context.Context, *record.Call) (context.Context, func()) {
	open := new(atomic.Pointer[cancellable])
	f.open[p.Actor] = open
	return func(ctx context.Context, call *record.Call) (context.Context, func()) {
		ctx, cancel := context.WithCancel(ctx)
		open.Store(&cancellable{call, cancel})
		return ctx, func() {
			open.Store(nil)
			cancel()
		}
	}
}

// Before is the injector's question.
func (f *cancels) Before(e sim.Upcoming) bool {
	open := f.open[e.Actor]
	if f.budget == 0 || open == nil {
		return false
	}
	c := open.Load()
	if c == nil || e.Kind == sim.EventFault {
		return false
	}
	option := f.world.Choose(sim.Decision{Kind: cancelFault, Actor: e.Actor.Name(), Options: 2, Odds: cancelOdds})
	if option == 0 {
		return false
	}
	f.budget--
	open.Store(nil)
	c.call.Cancelled(f.world.Log(sim.Event{Kind: sim.EventFault, Actor: e.Actor.Name(), Detail: cancelDetail}))
	c.cancel()
	return true
}
