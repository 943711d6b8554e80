package simetcd

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// readRetry is how long a server waits for a read index until it asks once more.
const readRetry = 500 * time.Millisecond

// read is a linearizable read: it is answered from what the server has, once that is no less
// than what the leader had committed after the read was asked for, and the leader still led
// then (Ongaro, "Consensus: bridging theory and practice", 2014, section 6.4).
type read struct {
	call      *call
	run       func()
	fail      func(status)
	confirmed bool
	index     int
	retry     func() // cancels the next time that it asks
}

// linearizable calls run when a linearizable read may be answered, and fail when the
// read fails.
func (c *call) linearizable(run func(), fail func(status)) {
	r := &read{call: c, run: run, fail: fail}
	c.node.reads = append(c.node.reads, r)
	r.ask()
}

// ask asks the leader for the read index, and again after some time.
func (r *read) ask() {
	n := r.call.node
	switch {
	case n.leads != nil:
		n.leads.readIndex(r.confirm)
	case n.Leader() != nil:
		n.sendToLeader("read index", func(l *leadership) {
			l.readIndex(func(index int) {
				l.node.Send(n.peer, "read index", func() { r.confirm(index) })
			})
		})
	}
	if r.confirmed || r.call.over() {
		return
	}
	r.retry = n.world.At(n.Actor, n.world.Now()+readRetry, sim.EventWork, sim.EventOptions{}, func() {
		r.retry = nil
		n.Do(r.askAgain)
	})
}

func (r *read) askAgain() {
	n := r.call.node
	switch {
	case r.confirmed || r.call.over():
	case n.world.Now()-r.call.started >= n.cluster.options.patience():
		r.end()
		r.fail(errTimeout)
	default:
		r.ask()
	}
}

// end forgets a read.
func (r *read) end() {
	if r.retry != nil {
		r.retry()
		r.retry = nil
	}
	n := r.call.node
	n.reads = slices.DeleteFunc(n.reads, func(o *read) bool { return o == r })
}

// confirm notes the read index.
func (r *read) confirm(index int) {
	if r.confirmed {
		return
	}
	r.confirmed, r.index = true, index
	if r.retry != nil {
		r.retry()
		r.retry = nil
	}
	r.call.node.advanceReads()
}

// advanceReads answers the reads for which the server has enough.
func (n *Node) advanceReads() {
	for _, r := range slices.Clone(n.reads) {
		switch {
		case r.call.over():
			r.end()
		case r.confirmed && n.Applied >= r.index:
			r.end()
			r.run()
		}
	}
}

// leaderChanged fails the reads that have asked an earlier leader, and asks the new one for
// all else.
func (n *Node) leaderChanged() {
	for _, r := range slices.Clone(n.reads) {
		if !r.confirmed {
			r.end()
			r.fail(errLeaderChanged)
		}
	}
	for _, f := range slices.Clone(n.forwards) {
		f.ask()
	}
}

// readIndex reports how much is committed, once a majority has confirmed that this server leads.
func (l *leadership) readIndex(answer func(index int)) {
	l.whenPrimary(func() {
		n := l.node
		index, heard, term := n.Applied, 1, n.Term
		if n.cluster.Quorum() == 1 {
			answer(index)
			return
		}
		for _, f := range l.Followers() {
			n.Send(f, "heartbeat", func() {
				if f.Leader() != n || f.Term != term {
					return
				}
				f.SendToLeader("heartbeat ack", func(*Node) {
					heard++
					if heard == n.cluster.Quorum() {
						answer(index)
					}
				})
			})
		}
	})
}

// forward is a request about leases, which only the leader answers.
type forward struct {
	call *call
	what string
	// serve has the leader answer. It calls reply with what the server of the call does then.
	serve func(l *leadership, reply func(do func()))
}

// forward has the leader answer a request. It asks each leader that the server gets until
// there is an answer.
func (c *call) forward(what string, serve func(l *leadership, reply func(do func()))) {
	n := c.node
	f := &forward{c, what, serve}
	n.forwards = append(slices.DeleteFunc(n.forwards, func(o *forward) bool { return o.call.over() }), f)
	f.ask()
	c.within(func() status {
		if n.Leader() == nil {
			return errNoLeader
		}
		return errTimeout
	})
}

func (f *forward) ask() {
	n := f.call.node
	switch {
	case f.call.over() || n.Leader() == nil:
	case n.leads != nil:
		n.leads.whenPrimary(func() { f.serve(n.leads, func(do func()) { do() }) })
	default:
		n.sendToLeader(f.what, func(l *leadership) {
			l.node.serve(forPeer, nil)
			l.whenPrimary(func() {
				f.serve(l, func(do func()) { l.node.Send(n.peer, f.what+" reply", do) })
			})
		})
	}
}
