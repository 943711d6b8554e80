package faults

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/lockpick-dev/lockpick/internal/record"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const cancel sim.Kind = "fault:cancel"

// cancelDetail is the text of a cancellation in the log. It is not logged as a fault,
// because there is nothing to recover from.
const cancelDetail = "cancel"

// Cancels end the context of an operation before any event of its process during the
// operation: while it waits for a connection, for an answer, or for its turn. They do not
// strike a paused process: none of its code runs that could end a context.
var Cancels = &stage.Fault{
	Name: "cancels", Most: 64,
	About: "in how many operations the context may end",
	One:   "an end of the context of an operation", Many: "ends of the context of an operation",
	Inject: func(s *stage.Stage, budget int) {
		f := &cancels{world: s.World, budget: budget, open: map[*sim.Actor][]*atomic.Pointer[cancellable]{}}
		s.Add(f)
		s.Calls = f.of
	},
	Kinds: []sim.Kind{cancel},
	Describe: func(t *stage.Choice) string {
		if !t.Struck(cancelDetail) {
			return ""
		}
		return fmt.Sprintf("the context of %s's %s ends at %s", t.Actor, t.Cancelled(), traces.Moment(t.Event.At))
	},
}

// cancelOdds makes it rare for a random tape: the tape decides a dozen times during an
// Acquire, and many more while it waits.
const cancelOdds = 25

type cancels struct {
	world  *sim.World
	budget int
	open   map[*sim.Actor][]*atomic.Pointer[cancellable] // of each thread
}

// cancellable is a running operation whose context can end.
type cancellable struct {
	process *sim.Process
	call    *record.Call
	cancel  context.CancelFunc
}

// of returns the function through which a thread passes its contexts.
func (f *cancels) of(p *sim.Process) func(context.Context, *record.Call) (context.Context, func()) {
	open := new(atomic.Pointer[cancellable])
	f.open[p.Actor] = append(f.open[p.Actor], open)
	return func(ctx context.Context, call *record.Call) (context.Context, func()) {
		ctx, cancel := context.WithCancel(ctx)
		open.Store(&cancellable{p, call, cancel})
		return ctx, func() {
			open.Store(nil)
			cancel()
		}
	}
}

// Before asks the tape whether an operation is cancelled. At most one is cancelled before an event:
// its goroutines' reaction, such as passing a connection on to another thread, must not race with the
// end of that thread's context.
func (f *cancels) Before(e sim.Upcoming) bool {
	if e.Kind == sim.EventFault {
		return false
	}
	for _, open := range f.open[e.Actor] {
		if c := open.Load(); c != nil && f.budget > 0 && !c.process.Paused() && f.strike(e.Actor, c) {
			open.Store(nil)
			return true
		}
	}
	return false
}

// strike asks whether the operation's context ends now, and ends it if so.
func (f *cancels) strike(a *sim.Actor, c *cancellable) bool {
	if f.world.Choose(sim.Decision{Kind: cancel, Actor: a.Name(), Options: 2, Odds: cancelOdds}) == 0 {
		return false
	}
	f.budget--
	c.call.Cancelled(f.world.Log(sim.Event{Kind: sim.EventFault, Actor: a.Name(), Detail: cancelDetail}))
	c.cancel()
	return true
}
