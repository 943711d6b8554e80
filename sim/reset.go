package sim

import (
	"os"
	"syscall"
)

// Reset breaks the connection: what is in flight is lost, and both ends learn
// of it, each by an event of its own; an end at the given actor, which has
// crashed, learns nothing. The conductor alone calls it.
func (c *Conn) Reset(crashed *Actor) {
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
		w.net.tell(c.process.Actor, c.server.actor, false, func() {
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
	w.net.tell(c.server.actor, c.process.Actor, true, func() {
		c.expect(false)
		c.mu.Lock()
		gone, unread, detail := c.closed, len(c.buf) > 0, ""
		c.miss()
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

// tell schedules the word of a reset, from one end of a connection to the
// other, a base latency from now. If the way is cut by then it waits, since
// nobody can tell a broken connection from one that is cut off.
func (n *Network) tell(from, to *Actor, vital bool, fire func()) {
	w := n.world
	w.schedule(&pending{at: w.now + n.link.Base, kind: EventReset, actor: to, vital: vital, fire: func() {
		if c := n.cuts[route{from, to}]; c != nil {
			c.resets = append(c.resets, func() { n.tell(from, to, vital, fire) })
			return
		}
		fire()
	}})
}

// Crash makes the actor's connections end: what is in flight is lost now, and
// each other end learns of it by a reset, as an event of its own. Dials to the
// actor are refused from now on.
func (n *Network) Crash(a *Actor) {
	for _, c := range n.of(a) {
		c.Reset(a)
	}
	// unordered: all of the actor's are treated alike
	for _, l := range n.listeners {
		if l.actor == a {
			l.accept = nil
		}
	}
}

// kill makes a process's connections end as the operating system ends those of
// a process that was killed: it hangs up behind what was sent, and nobody is
// there for what comes.
func (n *Network) kill(p *Process) {
	for _, c := range n.of(p.Actor) {
		if c.process == p {
			c.closeByClient()
			c.notify()
		}
	}
}

// closeByClient hangs up on the client's behalf, in the conductor.
func (c *Conn) closeByClient() {
	c.mu.Lock()
	was := c.closed
	c.closed = true
	c.mu.Unlock()
	if !was {
		c.up.send(0, nil, true, nil)
	}
}

// abandon ends the client's end without a word to the other.
func (c *Conn) abandon() {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.notify()
}
