package faults

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

const deadlock sim.Kind = "fault:deadlock"

// Deadlocks end transactions that wait for a lock, or request one, as if they were in a
// deadlock with transactions of another program, which locks records in another order.
// The client gets the error of a transaction that was rolled back.
var Deadlocks = &stage.Fault{
	Name: "deadlocks", Most: 64,
	About: "how many transactions {store} may end because of a deadlock",
	One:   "a transaction that {store} ends because of a deadlock",
	Many:  "transactions that {store} ends because of deadlocks",
	Lacks: unlessNode[stage.Deadlocking]("transactions of {store} do not wait for each other"),
	Inject: func(s *stage.Stage, budget int) {
		s.Add(&deadlocks{Stage: s, budget: budget})
	},
	Kinds:    []sim.Kind{deadlock},
	Describe: describeDeadlock,
}

const deadlockOdds = 15

// faultDeadlock is the text of a deadlock in the log.
const faultDeadlock sim.FaultKind = "deadlock"

type deadlocks struct {
	*stage.Stage
	budget int
}

// Before asks the tape whether a transaction ends.
func (f *deadlocks) Before(e sim.Upcoming) bool {
	n, can := f.Up(e).(stage.Deadlocking)
	if f.budget == 0 || !can {
		return false
	}
	conns := n.Contenders(e)
	if len(conns) == 0 {
		return false
	}
	ends := make([]sim.Candidate, len(conns))
	for i, c := range conns {
		ends[i] = c.Ends()
	}
	option := f.World.Choose(sim.Decision{
		Kind: deadlock, Actor: e.Actor.Name(), Options: 1 + len(conns), Odds: deadlockOdds, Candidates: ends,
	})
	if option == 0 {
		return false
	}
	f.budget--
	f.World.Fault(e.Actor, faultDeadlock, 0)
	n.Deadlock(conns[option-1])
	return true
}

// describeDeadlock describes a deadlock by the transaction that ended.
func describeDeadlock(t *stage.Choice) string {
	if !t.Struck(faultDeadlock) {
		return ""
	}
	node, at := t.Event.Actor, t.Event.At
	for _, o := range t.History.Observations {
		if o.Event() == stage.Deadlocked && o.Seq > t.Event.Seq && o.Node == node && o.At < at+time.Millisecond {
			return fmt.Sprintf("%s ends a transaction of %s at %s, because of a deadlock", node, o.Owner.Client, traces.Moment(o.At))
		}
	}
	return fmt.Sprintf("%s would end a transaction at %s because of a deadlock, and it asks for no lock", node, traces.Moment(at))
}
