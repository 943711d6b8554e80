package sim

import (
	"context"
	"net"
	"os"
	"strconv"
	"syscall"
	"time"
)

// DialContext connects the process to an address, host:port with an IP
// literal: names would need a resolver. It blocks until the other end has
// accepted or refused, the timeout has run out (zero: none), or ctx is done.
// Any goroutine of the process may call it.
func (p *Process) DialContext(ctx context.Context, network, addr string, timeout time.Duration) (net.Conn, error) {
	fail := func(err error) (net.Conn, error) {
		return nil, &net.OpError{Op: "dial", Net: network, Addr: address(addr), Err: err}
	}
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return fail(err)
	}
	if net.ParseIP(host) == nil {
		return fail(&net.AddrError{Err: "simulated networks have no resolver: use an IP literal", Addr: addr})
	}
	p.pass()
	d := &dial{process: p, address: addr, answer: make(chan *Conn, 1), task: p.task.Load()}
	p.emit(laneDial, int64(hashString(fnvOffset, addr)>>1), func() { d.begin(timeout) })
	select {
	case c := <-d.answer:
		p.pass()
		if c == nil {
			return fail(d.err)
		}
		return c, nil
	case <-ctx.Done():
		p.pass()
		d.giveUp()
		return fail(ctx.Err())
	case <-p.world.ended:
		return fail(syscall.ECONNREFUSED)
	}
}

// dial is a connection attempt under way.
type dial struct {
	process *Process
	address string
	task    *Task
	answer  chan *Conn // nil: err says why not
	err     error
	over    bool // answered or given up; the conductor's own
	timer   *pending
	local   string
}

// begin sends the SYN.
func (d *dial) begin(timeout time.Duration) {
	p, w := d.process, d.process.world
	if w.draining() {
		return
	}
	w.net.dials++
	d.local = net.JoinHostPort(p.host, strconv.Itoa(40000+w.net.dials))
	number := w.net.dials
	travel, _ := w.net.latency(p.Actor, d.task)
	if timeout > 0 {
		d.timer = w.schedule(&pending{at: w.now + timeout, kind: EventTimeout, actor: p.Actor, fire: d.timeOut})
	}
	target := w.net.target(d.address)
	if l := w.net.listeners[target]; l != nil {
		w.schedule(&pending{at: w.now + travel, kind: EventDial, actor: l.actor, vital: true, fire: func() { d.arrive(number) }})
		return
	}
	// Nobody there: the refusal comes back from the host alone.
	w.schedule(&pending{at: w.now + 2*travel, kind: EventRefused, actor: p.Actor, fire: func() { d.refuse() }})
}

// target is where an address leads to now.
func (n *Network) target(addr string) string {
	if resolve := n.routes[addr]; resolve != nil {
		return resolve()
	}
	return addr
}

// arrive is the SYN's arrival: the listener accepts, and says so.
func (d *dial) arrive(number int) {
	p, w := d.process, d.process.world
	target := w.net.target(d.address)
	l := w.net.listeners[target]
	if l == nil {
		w.schedule(&pending{at: w.now + w.net.link.Base, kind: EventRefused, actor: p.Actor, fire: func() { d.refuse() }})
		return
	}
	c := newConn(p, number, d.local, d.address, l.actor)
	w.Log(Event{Kind: EventDial, Actor: l.actor.name, Peer: p.name, Conn: number})
	w.net.remember(c)
	c.server.handler = l.accept(c.server)
	travel, _ := w.net.latency(l.actor, d.task)
	w.schedule(&pending{at: w.now + travel, kind: EventDial, actor: p.Actor, vital: true, fire: func() {
		w.Log(Event{Kind: EventDial, Actor: p.name, Peer: l.actor.name, Conn: number})
		if d.over {
			c.closeByClient() // the attempt was given up: hang up again
			return
		}
		d.finish(c, nil)
	}})
}

func (d *dial) refuse() {
	if !d.over {
		d.process.world.Log(Event{Kind: EventRefused, Actor: d.process.name, Detail: d.address})
		d.finish(nil, os.NewSyscallError("connect", syscall.ECONNREFUSED))
	}
}

func (d *dial) timeOut() {
	if !d.over {
		d.process.world.Log(Event{Kind: EventTimeout, Actor: d.process.name, Detail: "dial " + d.address})
		d.finish(nil, os.ErrDeadlineExceeded)
	}
}

func (d *dial) finish(c *Conn, err error) {
	d.over, d.err = true, err
	if d.timer != nil {
		d.timer.Cancel()
	}
	d.answer <- c
}

// giveUp is called by the dialing goroutine when its context has ended.
func (d *dial) giveUp() {
	d.process.emit(laneDial, 0, func() {
		select {
		case c := <-d.answer:
			if c != nil {
				c.closeByClient()
			}
		default:
		}
		d.over = true
		if d.timer != nil {
			d.timer.Cancel()
		}
	})
}
