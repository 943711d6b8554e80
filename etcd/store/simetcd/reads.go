package simetcd

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/sim/quorum"
)

// readRetry is how long a server waits for a read index until it asks once more.
const readRetry = 500 * time.Millisecond

// linearizable calls run when a linearizable read may be answered, and fail when the
// read fails.
func (c *call) linearizable(run func(), fail func(status)) {
	n := c.node
	n.reads.Add(&quorum.Read{
		Over: c.over, Run: run,
		Late:    func() bool { return n.world.Now()-c.started >= n.cluster.options.patience() },
		Fail:    func() { fail(errTimeout) },
		Changed: func() { fail(errLeaderChanged) },
	})
}

// leaderChanged fails the reads that have asked an earlier leader, and asks the new one for
// all else.
func (n *Node) leaderChanged() {
	n.reads.LeaderChanged()
	for _, f := range slices.Clone(n.forwards) {
		f.ask()
	}
}

// readIndex reports how much is committed, once a majority has confirmed that this server leads.
func (l *leadership) readIndex(answer func(index int)) {
	l.whenPrimary(func() { l.ReadIndex(answer) })
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
