package simzk

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// leadership is what a server has while it leads.
//
// It prepares transactions against its latest state, with all that is proposed in it;
// proposes them to its followers; and commits them in order, each when a majority has
// accepted it (Junqueira et al., "Zab: high-performance broadcast for primary-backup
// systems", 2011). Followers learn of that by a later message.
type leadership struct {
	node        *Node
	established bool // a majority has accepted all that it had when it was elected
	head        *state
	counter     int64         // of transactions in this epoch
	synced      []*Node       // the followers that take part
	admitted    map[*Node]int // in which of its lives each of them was admitted
	acked       map[*Node]int // how many transactions of the log each of them has accepted
	sessions    map[int64]*tracked
	expiry      func() // cancels the next check of sessions; nil if there is none
}

// lead makes the server the leader of an epoch. The followers, if there are any, have
// accepted what it has.
func (n *Node) lead(epoch int64, followers ...*Node) {
	n.role, n.leader, n.epoch, n.alone = leading, n, epoch, never
	l := &leadership{node: n, head: newState(), admitted: map[*Node]int{}, acked: map[*Node]int{}, sessions: map[int64]*tracked{}}
	for _, x := range n.log {
		l.head.apply(x.txn)
	}
	for _, f := range followers {
		f.role, f.leader, f.epoch = following, n, epoch
		l.synced = append(l.synced, f)
		l.admitted[f], l.acked[f] = f.life, len(n.log)
	}
	n.leads = l
	l.advance()
}

func (l *leadership) end() {
	if l.expiry != nil {
		l.expiry()
		l.expiry = nil
	}
}

// propose gives a transaction its place, and sends it to the followers.
func (l *leadership) propose(make func(zxid, at int64) *txn, from *pending, by model.Origin) *entry {
	n := l.node
	l.counter++
	x := &entry{txn: make(n.epoch<<32|l.counter, n.now().UnixMilli()), from: from, by: by}
	l.head.apply(x.txn)
	n.log = append(n.log, x)
	place := len(n.log)
	for _, f := range l.followers() {
		n.send(f, "propose "+x.op.String(), func() { f.record(n, x, place) })
	}
	l.advance()
	return x
}

// followers are those that take part, or are about to.
func (l *leadership) followers() []*Node {
	return slices.DeleteFunc(slices.Clone(l.synced), func(f *Node) bool { return !l.has(f) })
}

// record is a proposal's arrival at a follower.
func (n *Node) record(leader *Node, x *entry, place int) {
	if n.leader != leader || len(n.log) != place-1 {
		return // the leader's log, which was sent before, has it
	}
	n.log = append(n.log, x)
	n.ack()
}

// ack tells the leader how much the follower has accepted.
func (n *Node) ack() {
	accepted := len(n.log)
	n.tell("ack", func(l *leadership) { l.ack(n, accepted) })
}

// tell sends a message to the leader. It is lost if that does not lead any more.
func (n *Node) tell(what string, receive func(*leadership)) {
	leader, epoch := n.leader, n.epoch
	n.send(leader, what, func() {
		if leader.leads != nil && leader.epoch == epoch {
			receive(leader.leads)
		}
	})
}

func (l *leadership) ack(f *Node, accepted int) {
	l.acked[f] = max(l.acked[f], accepted)
	l.advance()
}

// advance commits what a majority has accepted.
func (l *leadership) advance() {
	n := l.node
	sure := l.accepted()
	if !l.established {
		if sure < len(n.log) {
			return
		}
		l.established = true
		n.ensemble.elected(n)
	}
	for n.leads == l && n.applied < sure {
		x := n.log[n.applied]
		n.apply()
		l.announce(x)
	}
}

// accepted is how many transactions of the log a majority has accepted, -1 if none has
// accepted any.
func (l *leadership) accepted() int {
	var room [MostMembers]int
	counts := append(room[:0], len(l.node.log))
	for _, f := range l.synced {
		counts = append(counts, l.acked[f])
	}
	slices.Sort(counts)
	if quorum := l.node.ensemble.quorum(); len(counts) >= quorum {
		return counts[len(counts)-quorum]
	}
	return -1
}

// announce tells followers that a transaction is committed.
func (l *leadership) announce(x *entry) {
	n, place := l.node, l.node.applied
	for _, f := range l.followers() {
		n.send(f, "commit", func() {
			if f.leader == n {
				f.applyTo(place)
			}
		})
	}
	for _, done := range x.syncs {
		done()
	}
	x.syncs = nil
}

// sync answers a follower's request to sync, or its own, after all that is proposed now.
func (l *leadership) sync(done func()) {
	if log := l.node.log; l.node.applied < len(log) {
		last := log[len(log)-1]
		last.syncs = append(last.syncs, done)
		return
	}
	done()
}

// admit lets a server take part as a follower: it gets the leader's log, and whatever is
// proposed from then on. What another leader has sent it does not count any more.
func (l *leadership) admit(f *Node) {
	n := l.node
	f.life++
	l.synced = append(slices.DeleteFunc(l.synced, func(s *Node) bool { return s == f }), f)
	l.admitted[f], l.acked[f] = f.life, -1
	log, committed := slices.Clone(n.log), n.applied
	n.send(f, "log", func() { f.follow(n, log, committed) })
}

// follow is the arrival of the leader's log at a server. What else it had accepted was
// never committed, and is dropped.
func (n *Node) follow(leader *Node, log []*entry, committed int) {
	for i, x := range n.log[:n.applied] {
		if i >= len(log) || log[i] != x {
			panic("simzk: " + leader.Name() + " leads without a transaction that was committed")
		}
	}
	n.role, n.leader, n.epoch, n.alone = following, leader, leader.epoch, never
	n.log = log
	n.observe(model.Observation{Kind: model.Returned})
	n.ack()
	n.applyTo(committed)
}

// applyTo applies so many transactions of the log.
func (n *Node) applyTo(committed int) {
	for n.applied < min(committed, len(n.log)) {
		n.apply()
	}
}

// apply applies the next transaction: it tells watchers, then answers the request.
func (n *Node) apply() {
	x := n.log[n.applied]
	first := n.ensemble.commit(n, x)
	n.applied++
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
