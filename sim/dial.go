package sim

import (
	"context"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
)

// DialContext connects the process to an address, host:port with an IP literal: names
// would need a resolver. It blocks until the other end has accepted or refused, the
// timeout (zero: none) has run out, or ctx is done, and while the process is paused.
// Any goroutine of the process may call it.
//
// If the context's deadline is not later than the timeout, only the context counts.
//
// Its errors are of type [net.OpError] and match what the net package's would:
// [syscall.ECONNREFUSED], [os.ErrDeadlineExceeded] for the timeout, or ctx's own error.
// After a context's deadline a real net.Dialer returns ctx's error or
// os.ErrDeadlineExceeded, depending on which of two timers is first (24 and 76 of 100
// on Linux with Go 1.26); here it is always ctx's.
func (p *Process) DialContext(ctx context.Context, network, addr string, timeout time.Duration) (net.Conn, error) {
	fail := func(err error) (net.Conn, error) {
		noteFailure(keyOf(addr, 0))
		return nil, &net.OpError{Op: "dial", Net: network, Addr: address(addr), Err: err}
	}
	if err := checkAddress(addr); err != nil {
		return fail(err)
	}
	if p.world.draining() {
		return p.dialInDrain(addr), nil
	}
	key := keyOf(addr, FailedOn())
	p.pass(laneDial, key)
	if err := ctx.Err(); err != nil {
		return fail(err)
	}
	if p.world.draining() {
		return p.dialInDrain(addr), nil
	}
	d := &dial{
		process: p, address: addr, key: key, answer: make(chan *Conn, 1),
		limit: p.dialLimit(ctx, timeout),
	}
	c, err := d.attempt(ctx, timeout)
	if err != nil {
		return fail(err)
	}
	return c, nil
}

// checkAddress returns an error unless the address has a host, which must be an IP
// literal, and a port.
func checkAddress(addr string) error {
	host, _, err := net.SplitHostPort(addr)
	if err == nil && net.ParseIP(host) == nil {
		err = &net.AddrError{Err: "simulated networks have no resolver: use an IP literal", Addr: addr}
	}
	return err
}

// attempt makes the attempt and waits for its outcome, or for the end of the context.
func (d *dial) attempt(ctx context.Context, timeout time.Duration) (*Conn, error) {
	p := d.process
	if end, ends := ctx.Deadline(); ends && p.world.bubble.Since(end)-p.world.bubble.Now() <= timeout {
		timeout = 0 // if both limits passed at one instant, the scheduler would choose
	}
	task := p.sender()
	p.put(emission{lane: laneDial, key: d.key, caller: p.routines().caller(), entry: callPath(), apply: func() {
		d.task = p.taskOf(task)
		if ctx.Err() == nil { // otherwise it was given up within the step, and never began
			d.begin(timeout)
		}
	}})
	select {
	case c := <-d.answer:
		p.pass(laneDial, d.key)
		if c != nil {
			c.noteEarlyEnd()
		}
		return c, d.err
	case <-ctx.Done():
		p.pass(laneDial, d.key)
		d.giveUp()
		p.waitInLine(emission{lane: laneDial, key: d.key}, nil)
		return nil, ctx.Err()
	case <-p.world.ended:
		return nil, os.NewSyscallError("connect", syscall.ECONNREFUSED)
	}
}

// dialLimit returns how long a dialer waits, 0 if it has no limit: until its timeout (0 for
// none) or its context's deadline, whichever is first.
func (p *Process) dialLimit(ctx context.Context, timeout time.Duration) time.Duration {
	end, ends := ctx.Deadline()
	if !ends {
		return timeout
	}
	left := max(p.world.bubble.Since(end)-p.world.bubble.Now(), 1)
	if timeout == 0 {
		return left
	}
	return min(timeout, left)
}

// dialInDrain is a dial when the run is over. It takes a while, so that code that dials
// again and again ends with the drain.
func (p *Process) dialInDrain(addr string) *Conn {
	p.world.sleepInDrain(10 * time.Millisecond)
	return p.brokenConn(addr)
}

// brokenConn returns the closed connection that a dial returns when the run is over. Code
// that dials until it succeeds ends, and so does code that then uses the connection.
func (p *Process) brokenConn(addr string) *Conn {
	c := newConn(p, 0, net.JoinHostPort(p.host, "0"), addr, p.Actor)
	c.server.closed = true
	return c
}

// dial is a connection attempt under way.
type dial struct {
	process *Process
	address string
	key     int64 // distinguishes the process's dials in one step
	task    *Task
	limit   time.Duration // how long the dialer waits, 0 if it has no limit
	answer  chan *Conn    // nil: err says why not
	err     error
	timer   *pending
	// Only the conductor uses these: whether the attempt has begun, whether it was
	// answered or given up, and when.
	begun  bool
	over   bool
	ended  time.Duration
	number int // of the connection
}

// giveUp is called by the dialing goroutine when its context has ended.
func (d *dial) giveUp() {
	d.process.emit(laneDial, d.key, func() {
		select {
		case c := <-d.answer:
			if c != nil {
				c.closeByClient()
			}
		default:
		}
		d.stop()
	})
}

// begin sends the SYN.
func (d *dial) begin(timeout time.Duration) {
	p, w := d.process, d.process.world
	if w.draining() || p.crashed || d.over {
		return
	}
	p.occupy(1)
	d.begun = true
	w.Network().dials++
	d.number = w.Network().dials
	l := w.Network().listener(d.address)
	var to *Actor
	if l != nil {
		to = l.actor
	}
	travel, late := w.Network().latency(p.Actor, to, d.limit, d.task)
	if timeout > 0 {
		d.timer = w.schedule(&pending{at: later(w.now, timeout), kind: EventTimeout, actor: p.Actor, fire: call(d.timeOut)})
	}
	if l != nil {
		d.syn(l.actor, travel, late)
		return
	}
	// Nobody has ever listened there: the host refuses.
	w.schedule(&pending{at: w.now + 2*travel, kind: EventRefused, actor: p.Actor, fire: call(d.refuse)})
}

// firstRetry is how long a dialer waits before it repeats a SYN. It waits twice as
// long each time after that, as TCP does.
const firstRetry = time.Second

// syn sends the SYN to the owner of the address. If a cut holds it, it is repeated.
func (d *dial) syn(to *Actor, travel time.Duration, late bool) {
	p, w := d.process, d.process.world
	half := &pipe{world: w, from: p.Actor, to: to, kind: EventDial, arrive: d.arrive}
	half.carry(&segment{sent: w.now, due: w.now + travel, late: late, stuck: func() { d.repeat(half, firstRetry) }})
}

// repeat checks after a while whether the address now belongs to another actor than the
// one whose SYN a cut holds. If so, it sends the SYN to the new one.
func (d *dial) repeat(half *pipe, after time.Duration) {
	p, w := d.process, d.process.world
	w.schedule(&pending{at: w.now + after, kind: EventDial, actor: p.Actor, gated: true, fire: call(func() {
		l := w.Network().listener(d.address)
		switch {
		case d.over || p.crashed || len(half.flying) == 0: // it was given up, or has arrived
		case l == nil || l.actor == half.to:
			d.repeat(half, 2*after)
		default:
			w.discard(&half.flying[0].event) // the cut may have healed in this very window
			half.flying = nil
			d.syn(l.actor, w.Network().link.Base, false)
		}
	})})
}

// arrive is the SYN's arrival: the listener accepts or refuses, and answers.
func (d *dial) arrive(s *segment) {
	p, w := d.process, d.process.world
	l := w.Network().listener(d.address)
	switch {
	case p.crashed || s.held && d.over && d.ended < w.now:
		return // nobody repeats it any more
	case l == nil || l.accept == nil:
		d.reply(s.pipe.to, p.Actor, EventRefused, w.Network().link.Base, false, func(*segment) { d.refuse() })
		return
	case l.actor != s.pipe.to: // the address has moved meanwhile
		d.syn(l.actor, 0, s.late)
		return
	}
	local := net.JoinHostPort(p.host, strconv.Itoa(40000+d.number))
	c := newConn(p, d.number, local, d.address, l.actor)
	w.Log(Event{Kind: EventDial, Actor: l.actor.name, Peer: p.name, Conn: d.number, Sent: s.sent, Late: s.late})
	w.Network().add(c)
	if c.server.handler = l.accept(c.server); c.server.closed {
		c.server.handler.Gone()
	}
	travel, late := w.Network().latency(l.actor, p.Actor, d.limit, d.task)
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
		c.closeByClient() // the attempt was given up
		return
	}
	d.finish(c, nil)
}

// noteEarlyEnd notes whether the connection has ended before its dialer goes on: a reset was faster, or came in a pause.
func (c *Conn) noteEarlyEnd() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.early = c.err != nil
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
		d.timer.cancel()
	}
}
