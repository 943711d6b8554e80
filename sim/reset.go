package sim

import (
	"os"
	"syscall"
)

// Reset breaks the connection: segments in flight are lost, and each end learns of it
// by an event of its own. The end of the crashed actor, which may be nil, does not.
// Only the conductor may call it.
func (c *Conn) Reset(crashed *Actor) {
	c.server.broken = c.server.broken || crashed == nil && !c.server.closed && !c.left
	c.up.lose(c.lost)
	c.down.lose(c.lost)
	w := c.process.world
	if crashed == c.process.Actor {
		c.abandon()
	} else {
		c.resetClient()
	}
	switch {
	case c.server.closed:
	case crashed == c.server.actor:
		c.server.closed = true
		c.server.handler.Gone()
	default:
		c.server.closed, c.server.reset = true, true
		w.Network().sendReset(c.process.Actor, c.server.actor, false, func() {
			w.Log(Event{Kind: EventReset, Actor: c.server.actor.name, Peer: c.process.name, Conn: c.id})
			c.server.handler.Gone()
		})
	}
}

// resetClient reports to the client, once, that its connection is gone.
func (c *Conn) resetClient() {
	if c.broken {
		return
	}
	c.broken = true
	w := c.process.world
	w.Network().sendReset(c.server.actor, c.process.Actor, true, func() {
		c.expect(false)
		c.mu.Lock()
		gone, unread, detail := c.closed, len(c.buf) > 0, ""
		c.missDeadline()
		c.mu.Unlock()
		if unread && !gone && w.Choose(Decision{Kind: Unread, Actor: c.process.name, Options: 2}) == 1 {
			detail = UnreadKept
		}
		c.mu.Lock()
		c.err = os.NewSyscallError("read", syscall.ECONNRESET)
		if detail == "" {
			c.buf = nil
		}
		c.mu.Unlock()
		if !gone {
			w.Log(Event{Kind: EventReset, Actor: c.process.name, Peer: c.server.actor.name, Conn: c.id, Detail: detail})
			c.stopTimer()
			c.notify()
		}
	})
}

// closeByClient is Close for the conductor.
func (c *Conn) closeByClient() {
	c.mu.Lock()
	was := c.closed
	c.closed = true
	c.mu.Unlock()
	if !was {
		c.hangUp()
	}
}

// hangUp sends the client's end of the connection on its way.
func (c *Conn) hangUp() {
	if c.left = true; c.accepted != nil {
		c.accepted.Close()
		return
	}
	c.process.world.Network().left[c.id] = true
	c.up.send(0, nil, true, nil)
}

// abandon closes an end without notifying the other.
func (c *Conn) abandon() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.notify()
}

// expect sets whether the client waits for an answer on the connection.
func (c *Conn) expect(answer bool) {
	switch {
	case answer && !c.awaiting:
		c.process.occupy(1)
	case !answer && c.awaiting:
		c.process.occupy(-1)
	}
	c.awaiting = answer
}
