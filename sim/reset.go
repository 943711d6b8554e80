package sim

import (
	"os"
	"syscall"
)

// Reset breaks the connection: what is in flight is lost, and both ends learn
// of it, each by an event of its own. An end at the crashed actor, if one is given,
// learns nothing. It is for the conductor.
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
		c.server.closed = true
		w.net.sendReset(c.process.Actor, c.server.actor, false, func() {
			w.Log(Event{Kind: EventReset, Actor: c.server.actor.name, Peer: c.process.name, Conn: c.id})
			c.server.handler.Gone()
		})
	}
}

// resetClient tells the client that its connection is gone, once.
func (c *Conn) resetClient() {
	if c.broken {
		return
	}
	c.broken = true
	w := c.process.world
	w.net.sendReset(c.server.actor, c.process.Actor, true, func() {
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

// sendReset schedules the arrival of a reset, sent by one end of a connection to the
// other, a base latency from now. If the route is cut by then, it waits until the cut
// heals.
func (n *Network) sendReset(from, to *Actor, vital bool, fire func()) {
	w := n.world
	w.schedule(&pending{at: w.now + n.link.Base, kind: EventReset, actor: to, vital: vital, fire: func() {
		if c := n.cuts[route{from, to}]; c != nil {
			c.resets = append(c.resets, func() { n.sendReset(from, to, vital, fire) })
			return
		}
		fire()
	}})
}

// Crash makes the actor's connections end: what is in flight is lost now, and
// each other end learns of it by a reset, as an event of its own. Dials to the
// actor are refused from now on.
func (n *Network) Crash(a *Actor) {
	for _, c := range n.connsOf(a) {
		c.Reset(a)
	}
	// unordered: all listeners of the actor are treated alike
	for _, l := range n.listeners {
		if l.actor == a {
			l.accept = nil
		}
	}
}

// kill makes a process's connections end as the operating system ends those of
// a process that was killed: they are closed after what was sent, and what comes is
// lost.
func (n *Network) kill(p *Process) {
	for _, c := range n.connsOf(p.Actor) {
		if c.process == p {
			c.closeByClient()
			c.notify()
		}
	}
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
	c.left = true
	c.up.send(0, nil, true, nil)
}

// abandon closes the client's end and tells the server nothing.
func (c *Conn) abandon() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.notify()
}
