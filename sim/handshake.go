package sim

import (
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
)

// begin sends the SYN.
func (d *dial) begin(timeout time.Duration) {
	p, w := d.process, d.process.world
	if w.draining() || p.crashed || d.over {
		return
	}
	p.occupy(1)
	d.begun = true
	w.net.dials++
	d.number = w.net.dials
	l := w.net.listener(d.address)
	var to *Actor
	if l != nil {
		to = l.actor
	}
	travel, late := w.net.latency(p.Actor, to, d.limit, d.task)
	if timeout > 0 {
		d.timer = w.schedule(&pending{at: later(w.now, timeout), kind: EventTimeout, actor: p.Actor, fire: d.timeOut})
	}
	if l != nil {
		d.syn(l.actor, travel, late)
		return
	}
	// Nobody has ever listened there: the host refuses.
	w.schedule(&pending{at: w.now + 2*travel, kind: EventRefused, actor: p.Actor, fire: d.refuse})
}

// firstRetry is how long a dialer waits before it repeats a SYN. It waits twice as
// long each time after that, as TCP does.
const firstRetry = time.Second

// syn sends the SYN to whom the address belongs. If a cut holds it, it is
// repeated.
func (d *dial) syn(to *Actor, travel time.Duration, late bool) {
	p, w := d.process, d.process.world
	half := &pipe{world: w, from: p.Actor, to: to, kind: EventDial, arrive: d.arrive}
	half.carry(&segment{sent: w.now, due: w.now + travel, late: late, stuck: func() { d.repeat(half, firstRetry) }})
}

// repeat looks after a while whether the address has moved to another actor than the
// one that a cut keeps the SYN from. The SYN then goes to the new one.
func (d *dial) repeat(half *pipe, after time.Duration) {
	p, w := d.process, d.process.world
	w.schedule(&pending{at: w.now + after, kind: EventDial, actor: p.Actor, gated: true, fire: func() {
		l := w.net.listener(d.address)
		switch {
		case d.over || p.crashed || len(half.flying) == 0: // it was given up, or has arrived
		case l == nil || l.actor == half.to:
			d.repeat(half, 2*after)
		default:
			w.discard(&half.flying[0].event) // the cut may have healed in this very window
			half.flying = nil
			d.syn(l.actor, w.net.link.Base, false)
		}
	}})
}

// arrive is the SYN's arrival: the listener accepts or refuses, and says so.
func (d *dial) arrive(s *segment) {
	p, w := d.process, d.process.world
	l := w.net.listener(d.address)
	switch {
	case p.crashed || s.held && d.over && d.ended < w.now:
		return // nobody repeats it any more
	case l == nil || l.accept == nil:
		d.reply(s.pipe.to, p.Actor, EventRefused, w.net.link.Base, false, func(*segment) { d.refuse() })
		return
	case l.actor != s.pipe.to: // the address leads elsewhere by now
		d.syn(l.actor, 0, s.late)
		return
	}
	local := net.JoinHostPort(p.host, strconv.Itoa(40000+d.number))
	c := newConn(p, d.number, local, d.address, l.actor)
	w.Log(Event{Kind: EventDial, Actor: l.actor.name, Peer: p.name, Conn: d.number, Sent: s.sent, Late: s.late})
	w.net.add(c)
	if c.server.handler = l.accept(c.server); c.server.closed {
		c.server.handler.Gone()
	}
	travel, late := w.net.latency(l.actor, p.Actor, d.limit, d.task)
	d.reply(l.actor, p.Actor, EventDial, travel, late, func(s *segment) { d.accepted(c, s) })
}

// reply sends the listener's half of the handshake.
func (d *dial) reply(from, to *Actor, k EventKind, travel time.Duration, late bool, arrive func(*segment)) {
	w := d.process.world
	half := &pipe{world: w, from: from, to: to, kind: k, arrive: arrive}
	half.carry(&segment{sent: w.now, due: w.now + travel, late: late})
}

// accepted is the arrival of the listener's answer.
func (d *dial) accepted(c *Conn, s *segment) {
	if d.process.crashed {
		return // and the connection with it
	}
	d.process.world.Log(Event{Kind: EventDial, Actor: d.process.name, Peer: c.server.actor.name, Conn: c.id, Sent: s.sent, Late: s.late})
	if d.over {
		c.closeByClient() // the attempt was given up: hang up again
		return
	}
	d.finish(c, nil)
}

// refuse is the arrival of the refusal.
func (d *dial) refuse() {
	if !d.over && !d.process.crashed {
		d.process.world.Log(Event{Kind: EventRefused, Actor: d.process.name, Detail: d.address})
		d.finish(nil, os.NewSyscallError("connect", syscall.ECONNREFUSED))
	}
}

// timeOut is the end of the timeout.
func (d *dial) timeOut() {
	if !d.over && !d.process.crashed {
		d.process.world.Log(Event{Kind: EventTimeout, Actor: d.process.name, Detail: "dial " + d.address})
		d.finish(nil, os.ErrDeadlineExceeded)
	}
}

// finish hands the outcome to the dialing goroutine.
func (d *dial) finish(c *Conn, err error) {
	d.err = err
	d.stop()
	d.answer <- c
}

// stop ends the attempt.
func (d *dial) stop() {
	if d.begun && !d.over {
		d.process.occupy(-1)
	}
	d.over, d.ended = true, d.process.world.now
	if d.timer != nil {
		d.timer.Cancel()
	}
}
