package sim

import "time"

// deadline is the time until which a Read of a connection waits, or a Write may begin.
type deadline struct {
	at time.Duration // forEver if there is none
	// If the process was paused when it was set, shut is its gate and set the
	// time. The deadline then counts from when the gate opens: in reality the
	// code would not have run before.
	shut *gate
	set  time.Duration
}

// never is no deadline.
var never = deadline{at: forEver}

// deadline converts an instant of package time into a deadline, and reports whether
// it is over. One that has passed when it is set is over at once, even if it lies in
// the present window. Any goroutine of the process may call it.
func (p *Process) deadline(t time.Time) (d deadline, over bool) {
	if t.IsZero() {
		return never, false
	}
	b := p.world.bubble
	at, now := b.Since(t), b.Now()
	if at <= now {
		return deadline{}, true
	}
	d.at = min(at, forEver)
	if g := p.routines().gate.Load(); !g.isOpen() {
		d.shut, d.set = g, now
	}
	return d, false
}

// due returns when the deadline passes: forEver if it never does, and while the process is
// paused.
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

// passed reports whether the present window began at the deadline or later.
func (c *Conn) passed(d deadline) bool { return d.due() <= c.process.world.window() }

// startTimer makes the deadline of a waiting Read an event of the run.
func (c *Conn) startTimer() {
	w := c.process.world
	c.stopTimer()
	c.mu.Lock()
	waiting := c.waiting > 0
	c.mu.Unlock()
	if waiting {
		if c.spare == nil {
			c.spare = &pending{fire: call(c.expire)}
		}
		// Its fields are set one by one, since it must not be copied.
		p := c.spare
		p.at, p.kind, p.actor, p.from, p.askedInjectors = c.due, EventTimeout, c.process.Actor, nil, 0
		c.timer = w.schedule(p)
	}
}

// stopTimer stops the timer when there is data for the reader, and before a new
// deadline. If the reader's own process wakes it, the timer runs on and later finds
// nobody waiting.
func (c *Conn) stopTimer() {
	if c.timer != nil {
		c.process.world.discard(c.timer)
		c.timer = nil
	}
}

// expire is the event of the read deadline. It counts if a reader still waits.
func (c *Conn) expire() {
	c.timer = nil
	c.mu.Lock()
	hit := c.waiting > 0 && c.passed(c.readBy)
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

// SetReadDeadline sets the time until which a Read waits, on package time's clock; the
// zero time means no limit. It also applies to a Read that waits already. With a
// deadline in the past reads fail at once, whatever has arrived. When one passes later,
// what arrived before it can still be read. If it is set while the process is paused,
// the rest of the pause is added to it.
func (c *Conn) SetReadDeadline(t time.Time) error {
	c.mu.Lock()
	c.readBy, c.expired = c.process.deadline(t)
	switch {
	case t.IsZero():
		c.timeout = 0
	case !c.expired: // a deadline in the past does not say how long a Read may wait
		b := c.process.world.bubble
		c.timeout = b.Since(t) - b.Now()
	}
	c.mu.Unlock()
	c.notify()
	return nil
}

// Timeout returns the client's read timeout: the time from the setting of the read
// deadline to the deadline, 0 if there is none. Only the conductor may call it.
func (c *Conn) Timeout() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timeout
}

// SetWriteDeadline sets the time until which a Write may begin, on package time's
// clock; the zero time means no limit. A Write waits only while the process is paused.
func (c *Conn) SetWriteDeadline(t time.Time) error {
	c.mu.Lock()
	c.writeBy, _ = c.process.deadline(t)
	c.mu.Unlock()
	return nil
}
