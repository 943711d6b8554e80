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
