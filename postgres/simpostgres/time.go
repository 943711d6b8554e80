package simpostgres

import (
	"time"

	"github.com/lockpick-dev/lockpick/postgres/internal/types"
	"github.com/lockpick-dev/lockpick/sim"
)

// after starts a timer. The string what is the text of its event.
func (n *Node) after(d time.Duration, what string, fire func()) *timer {
	t := &timer{}
	t.cancel = n.world.At(n.Actor, n.world.Now()+d, sim.EventWork, sim.EventOptions{}, func() {
		n.Do(func() {
			if t.over {
				return
			}
			t.over = true
			n.world.Log(sim.Event{Kind: sim.EventWork, Actor: n.Name(), Detail: what})
			fire()
			n.settle()
		})
	})
	return t
}

// Stop stops the timer, if there is one.
func (t *timer) Stop() {
	if t != nil && !t.over {
		t.over = true
		t.cancel()
	}
}

// forPeer is the name of what a standby does for its source.
const forPeer = "peer"

// Meter sets the function that returns how long each request takes the server, given its name: "SELECT",
// "SELECT ... FOR UPDATE" and the other strengths, "INSERT", "UPDATE", "DELETE", "BEGIN", "COMMIT", "ROLLBACK", "SET",
// "LISTEN", "NOTIFY", "LOCK TABLE", and "UTILITY" for the others. A SELECT of nothing but a function of advisory locks, of
// notifications or of sleep has the function's name, "pg_advisory_lock". "CONNECT" is a login, and "PARSE" the
// preparation of a statement. A standby calls it with the name "peer" for each commit that it applies.
//
// The server serves one request at a time, in the order of their arrival: it has one
// processor. A statement that waits for a lock takes its time when it arrives, and none when it
// goes on. Without a meter requests take no time.
func (n *Node) Meter(time func(request string) time.Duration) { n.meter = time }

// serve makes the server spend the time of a request on it. The task is the client's; it is
// nil if the request is nobody's.
func (n *Node) serve(request string, t *sim.Task) {
	n.world.Served(t, request)
	if n.meter != nil {
		n.Serve(n.meter(request))
	}
}

// now returns the node's own time.
func (n *Node) now() time.Time { return n.clock.At(n.world.Now()).Truncate(time.Microsecond).UTC() }

// moment returns the node's own time as a value.
func (n *Node) moment() types.Timestamp { return types.Timestamp(n.now().UnixMicro()) }
