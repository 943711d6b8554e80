package sim

import (
	"io"
	"slices"
)

// receive is the arrival of a segment at the client.
func (c *Conn) receive(s *segment) {
	w := c.process.world
	if c.awaiting {
		s.task.answered(w.now)
	}
	c.expect(c.awaiting && (c.server.owes() || len(c.up.flying) > 0 || len(c.down.flying) > 0))
	c.mu.Lock()
	gone := c.closed || c.err != nil
	if !gone {
		c.missDeadline()
		if s.fin {
			c.err = io.EOF
		} else {
			c.buf = follow(c.buf, s.data)
		}
	}
	c.mu.Unlock()
	switch {
	case gone:
		w.Log(c.logged(s, EventDrop, "nobody reads any more"))
		return
	case s.fin:
		w.Log(c.logged(s, EventClose, ""))
	default:
		w.Log(c.logged(s, EventDeliver, ""))
		if w.net.received != nil {
			w.net.received(c.process)
		}
	}
	c.stopTimer()
	c.notify()
}

// follow appends data to what is left of earlier data. It changes neither.
func follow(left, data []byte) []byte {
	if len(left) == 0 {
		return slices.Clip(data)
	}
	return append(left, data...)
}

// missDeadline makes the read deadline count if it passed before the present arrival.
// The deadline of a reader that waits is an event, and the order of events decides. A
// reader that does not wait, because of a pause, has no such event. The caller holds
// mu.
func (c *Conn) missDeadline() {
	if !c.waiting && len(c.buf) == 0 && c.err == nil && c.passed(c.readBy) {
		c.expired = true
	}
}

// notify wakes a waiting reader.
func (c *Conn) notify() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting {
		c.waiting = false
		c.changed <- struct{}{}
	}
}

// logged is the event of what became of a segment of the connection.
func (c *Conn) logged(s *segment, k EventKind, detail string) Event {
	return Event{
		Kind: k, Actor: s.pipe.to.name, Peer: s.pipe.from.name, Conn: c.id,
		Sent: s.sent, Late: s.late, Detail: detail, Payload: s.data,
	}
}

// lost is the event of a segment that is lost with the connection.
func (c *Conn) lost(s *segment) Event { return c.logged(s, EventDrop, "lost") }
