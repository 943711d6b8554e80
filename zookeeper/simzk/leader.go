package simzk

import (
	"github.com/lockpick-dev/lockpick/sim/quorum"
)

// leadership is what a server has while it leads.
//
// It prepares transactions against its latest state, with all that is proposed in it;
// proposes them to its followers; and commits them in order, each when a majority has
// accepted it (Junqueira et al., "Zab: high-performance broadcast for primary-backup
// systems", 2011). Followers learn of that by a later message.
type leadership struct {
	*quorum.Leadership[*Node, *entry]
	node     *Node
	head     *state
	counter  int64 // of transactions in this epoch
	sessions map[int64]*tracked
	expiry   func() // cancels the next check of sessions; nil if there is none
}

// lead is called when the server has been elected.
func (n *Node) lead() {
	n.leads = &leadership{Leadership: n.Leadership(), node: n, head: newState(), sessions: map[int64]*tracked{}}
	for _, x := range n.Log {
		n.leads.head.apply(x.txn)
	}
}

// propose gives a transaction its place in an entry, and sends that to the followers. A leader
// without followers commits it at once.
func (l *leadership) propose(make func(zxid, at int64) *txn, x *entry) {
	n := l.node
	l.counter++
	x.txn = make(n.Term<<32|l.counter, n.now().UnixMilli())
	l.head.apply(x.txn)
	l.Append(x, "propose "+x.op.String())
	n.advance()
}

// toLeader sends a message to the leader. It is lost if that server no longer leads.
func (n *Node) toLeader(what string, receive func(*leadership)) {
	n.SendToLeader(what, func(leader *Node) { receive(leader.leads) })
}

// advance commits what a majority has accepted.
func (n *Node) advance() {
	l := n.leads
	sure := l.Accepted()
	if !n.Leads() {
		if sure < len(n.Log) {
			return
		}
		l.Establish()
		l.trackAll()
		n.ensemble.Join()
	}
	for n.leads == l && n.Applied < sure {
		x := n.Log[n.Applied]
		l.Commit()
		for _, done := range x.syncs {
			done()
		}
		x.syncs = nil
	}
}

// sync answers a follower's request to sync, or its own, once all that is proposed now
// has been committed.
func (l *leadership) sync(done func()) {
	if log := l.node.Log; l.node.Applied < len(log) {
		last := log[len(log)-1]
		last.syncs = append(last.syncs, done)
		return
	}
	done()
}

// apply applies a transaction: it notifies watchers, then answers the request.
func (n *Node) apply(x *entry, first bool) {
	changes := n.state.apply(x.txn)
	n.observeSession(x, first)
	n.observeChanges(x, changes, first)
	for _, c := range changes {
		for _, w := range n.watches.trigger(c) {
			w.to.notify(w.kind, w.path, x.by)
		}
	}
	if x.op == opClose {
		n.sessionClosed(x)
	}
	if x.from != nil && x.from.conn.node == n {
		x.from.complete(x, changes)
	}
}
