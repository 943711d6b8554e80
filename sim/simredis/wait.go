package simredis

import (
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/failover"
)

// WAIT counts the replicas that have acknowledged enough of the primary's stream. Real
// replicas acknowledge once a second, and at once when a WAIT asks; here they
// acknowledge only when asked, so that runs without WAIT have no such messages.

const errWaitOnReplica = "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica is configured to be writable (which is not the default) writes to replicas are just local and are not propagated."

// waiter is a connection that a WAIT blocks until enough replicas have acknowledged the
// offset, or the time is over; or one with a command that the node holds back. None of
// its other commands is executed meanwhile.
type waiter struct {
	conn     *conn
	replicas int64
	offset   int64
	held     []job  // what arrived meanwhile
	cancel   func() // takes the timeout back

	words []string  // of a command that is held back
	task  *sim.Task // of that
}

// wait is WAIT. It does not block within EXEC, where it answers the number of replicas
// that have acknowledged the connection's writes before MULTI.
func (n *Node) wait(r *request) {
	if !n.IsPrimary() {
		r.out.WriteError(errWaitOnReplica)
		return
	}
	replicas, ok := integer(r.args[0])
	timeout, isTime := integer(r.args[1])
	switch {
	case !ok:
		r.out.WriteError(errInteger)
	case !isTime:
		r.out.WriteError("ERR timeout is not an integer or out of range")
	case timeout < 0:
		r.out.WriteError("ERR timeout is negative")
	case timeout > math.MaxInt64-n.now().UnixMilli():
		r.out.WriteError("ERR timeout is out of range")
	default:
		if have := n.acknowledged(r.conn.written); have >= replicas || r.queued {
			r.out.WriteInt(int(have))
			return
		}
		n.block(r.conn, replicas, timeout)
	}
}

// acknowledged returns the number of replicas that have acknowledged the stream up to
// the offset. A replica that is still being loaded does not count.
func (n *Node) acknowledged(offset int64) (count int64) {
	for _, l := range n.Replicas {
		if !l.Replica.Copying() && l.Acked >= offset {
			count++
		}
	}
	return count
}

// block makes a connection wait, and asks the replicas to acknowledge. The timeout is
// in milliseconds; zero means for ever.
func (n *Node) block(c *conn, replicas, timeout int64) {
	w := &waiter{conn: c, replicas: replicas, offset: c.written, cancel: func() {}}
	c.waiting = w
	n.waiters = append(n.waiters, w)
	if timeout > 0 && timeout < never.Milliseconds() {
		due := n.world.Now() + time.Duration(timeout)*time.Millisecond
		w.cancel = n.world.At(n.Actor, due, sim.EventWork, sim.EventOptions{}, func() {
			n.world.Log(sim.Event{Kind: sim.EventWork, Actor: n.Name(), Detail: "a WAIT has timed out"})
			n.unblock(w)
		})
	}
	for _, l := range n.Replicas {
		askAck(l)
	}
}

// askAck asks a replica to acknowledge. The question follows everything that has been
// sent to the replica.
func askAck(l *failover.Link[*Node]) {
	l.Send("getack", func() { l.Replica.Do(func() { sendAck(l) }) })
}

// sendAck acknowledges to the source of the link the stream that the replica has. A source that hangs reads that when
// it goes on. By then the WAITs whose time is over have ended: Redis looks at the clock before it reads
// (handleBlockedClientsTimeout, called by beforeSleep).
func sendAck(l *failover.Link[*Node]) {
	source, offset := l.Replica.Source(), l.Replica.Position
	l.Ack("ack "+strconv.FormatInt(offset, 10), func() {
		source.Do(func() {
			l.Acked = max(l.Acked, offset)
			source.wake()
		})
	})
}

// wake ends the WAITs that enough replicas have acknowledged, in the order of their
// arrival.
func (n *Node) wake() {
	for _, w := range slices.Clone(n.waiters) {
		if w.conn.waiting == w && n.acknowledged(w.offset) >= w.replicas {
			n.unblock(w)
		}
	}
}

// unblock answers a WAIT, and queues the commands that its connection has sent after
// it.
func (n *Node) unblock(w *waiter) {
	c := w.conn
	n.forget(w)
	c.out.WriteInt(int(n.acknowledged(w.offset)))
	c.answer()
	if rest := c.in; len(rest) > 0 {
		c.in = nil
		n.enqueue(job{conn: c, data: rest, task: c.task})
	}
	for _, j := range w.held {
		n.enqueue(j)
	}
}

// unblockAll ends all WAITs, and their connections: the node is not a primary any more.
func (n *Node) unblockAll() {
	for len(n.waiters) > 0 {
		c := n.waiters[0].conn
		n.forget(n.waiters[0])
		c.out.WriteError("UNBLOCKED force unblock from blocking operation, instance state changed (master -> replica?)")
		c.answer()
		c.closed = true
		n.subs.dropAll(&c.client)
		c.sock.Close()
	}
}

// forget drops a WAIT without an answer, or a command that is held back.
func (n *Node) forget(w *waiter) {
	w.cancel()
	w.conn.waiting = nil
	is := func(o *waiter) bool { return o == w }
	n.waiters, n.heldBack = slices.DeleteFunc(n.waiters, is), slices.DeleteFunc(n.heldBack, is)
}
