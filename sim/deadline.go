package sim

import "time"

// deadline is until when a Read of a connection waits, or a Write may begin.
type deadline struct {
	at time.Duration // forEver if there is none
	// If the process was paused when it was set, at that time, it counts from
	// when the gate opens: in reality the code would not have run before.
	shut *gate
	set  time.Duration
}

// never is no deadline.
var never = deadline{at: forEver}

// deadline is an instant of package time as a deadline, and whether it is over.
// One that is over when it is set is over at once, also if it lies in the present
// window. Any goroutine of the process may call it.
func (p *Process) deadline(t time.Time) (d deadline, over bool) {
	if t.IsZero() {
		return never, false
	}
	b := p.world.bubble
	at, now := b.since(t), b.now()
	if at <= now {
		return deadline{}, true
	}
	d.at = min(at, forEver)
	if g := p.gate.Load(); !g.isOpen() {
		d.shut, d.set = g, now
	}
	return d, false
}

// due is when it passes, forEver if it does not or the process is still paused.
func (d deadline) due() time.Duration {
	if d.shut == nil || d.at == forEver {
		return d.at
	}
	opened, open := d.shut.since()
	if !open {
		return forEver
	}
	return later(opened-d.set, d.at)
}

// passed reports whether a deadline is set and over, to the window: which
// event of the window went first does not matter to it.
func (c *Conn) passed(d deadline) bool { return d.due() <= c.process.world.window() }

// startTimer makes the deadline of a waiting Read an event of the run.
func (c *Conn) startTimer() {
	w := c.process.world
	c.stopTimer()
	c.mu.Lock()
	waiting := c.waiting
	c.mu.Unlock()
	if waiting {
		if c.spare == nil {
			c.spare = &pending{fire: c.expire}
		}
		// Its fields are set one by one: it cannot be copied.
		p := c.spare
		p.at, p.kind, p.actor, p.from, p.asked = c.due, EventTimeout, c.process.Actor, nil, 0
		c.timer = w.schedule(p)
	}
}

// stopTimer is called when the reader has something to read, and before a new
// deadline. A reader that was woken by its own process leaves the timer
// running; it finds nobody waiting.
func (c *Conn) stopTimer() {
	if c.timer != nil {
		c.process.world.discard(c.timer)
		c.timer = nil
	}
}

// expire is the read deadline: it counts if somebody waits and nothing has
// arrived by now.
func (c *Conn) expire() {
	c.timer = nil
	c.mu.Lock()
	hit := c.waiting && c.passed(c.readBy)
	c.expired = c.expired || hit
	c.mu.Unlock()
	if hit {
		c.process.world.Log(Event{Kind: EventTimeout, Actor: c.process.name, Peer: c.server.actor.name, Conn: c.id, Detail: "read"})
		c.notify()
	}
}

// SetDeadline sets both deadlines.
func (c *Conn) SetDeadline(t time.Time) error {
	_ = c.SetWriteDeadline(t)
	return c.SetReadDeadline(t)
}

// SetReadDeadline sets until when a Read waits, on package time's clock; the
// zero time means for ever. It applies to a Read that waits already. A
// deadline in the past fails reads at once, whatever has arrived; one that
// passes later leaves to be read what arrived before it. Set while the process is
// paused, it is as much later as the pause still lasts.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	c.readBy, c.expired = c.process.deadline(t)
	switch {
	case t.IsZero():
		c.timeout = 0
	case !c.expired: // else it ends a Read that waits, and says nothing of how long one may
		b := c.process.world.bubble
		c.timeout = b.since(t) - b.now()
	}
	c.mu.Unlock()
	c.notify()
	return nil
}

// Timeout is how long the client lets a Read wait: how far off the read deadline
// was when it was set. It is 0 if there is none. The conductor alone asks.
func (c *Conn) Timeout() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timeout
}

// SetWriteDeadline sets until when a Write may begin: writes never wait, but
// for a pause of the process.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	c.writeBy, _ = c.process.deadline(t)
	c.mu.Unlock()
	return nil
}
