package sim

import (
	"context"
	"net"
	"os"
	"syscall"
	"time"
)

// DialContext connects the process to an address, host:port with an IP
// literal: names would need a resolver. It blocks until the other end has
// accepted or refused, the timeout has run out (zero: none), or ctx is done,
// and while the process is paused. Any goroutine of the process may call it.
//
// Its errors are of type [net.OpError] and match what the net package's would:
// [syscall.ECONNREFUSED], [os.ErrDeadlineExceeded] for the timeout, or ctx's
// own error.
func (p *Process) DialContext(ctx context.Context, network, addr string, timeout time.Duration) (net.Conn, error) {
	fail := func(err error) (net.Conn, error) {
		setFailedOn(keyOf(addr, 0))
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

// checkAddress refuses what is no address of a host and a port.
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
	task := p.sends()
	p.put(emission{lane: laneDial, key: d.key, who: who(), began: beganIn(), apply: func() {
		d.task = p.taskOf(task)
		if ctx.Err() == nil { // else it was given up within the step: it never began
			d.begin(timeout)
		}
	}})
	select {
	case c := <-d.answer:
		p.pass(laneDial, d.key)
		return c, d.err
	case <-ctx.Done():
		p.pass(laneDial, d.key)
		d.giveUp()
		p.awaitTurn(laneDial, d.key)
		return nil, ctx.Err()
	case <-p.world.ended:
		return nil, os.NewSyscallError("connect", syscall.ECONNREFUSED)
	}
}

// dialLimit is how long a dialer waits, 0 if it has no limit: until its timeout (0 for
// none) or its context's deadline, whichever is first.
func (p *Process) dialLimit(ctx context.Context, timeout time.Duration) time.Duration {
	end, ends := ctx.Deadline()
	if !ends {
		return timeout
	}
	left := max(p.world.bubble.since(end)-p.world.bubble.now(), 1)
	if timeout == 0 {
		return left
	}
	return min(timeout, left)
}

// dialInDrain is a dial when the run is over. It takes a while, since code that dials again
// at once would never end.
func (p *Process) dialInDrain(addr string) *Conn {
	p.world.sleepInDrain(10 * time.Millisecond)
	return p.brokenConn(addr)
}

// brokenConn is what a dial returns when the run is over: a connection that is closed.
// Code that dials until it succeeds ends, and so does code that then uses it.
func (p *Process) brokenConn(addr string) *Conn {
	c := newConn(p, 0, net.JoinHostPort(p.host, "0"), addr, p.Actor)
	c.server.closed = true
	return c
}

// dial is a connection attempt under way.
type dial struct {
	process *Process
	address string
	key     int64 // tells apart what the process does about dials in one step
	task    *Task
	limit   time.Duration // how long the dialer waits, 0 if it has no limit
	answer  chan *Conn    // nil: err says why not
	err     error
	timer   *pending
	// The conductor's own: whether it has begun, whether it was answered or
	// given up, and when.
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
