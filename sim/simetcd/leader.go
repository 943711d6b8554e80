package simetcd

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// leadership is what a server has while it leads.
//
// It appends operations to its log, sends them to its followers, and commits them in order,
// each when a majority has accepted it (Ongaro and Ousterhout, "In search of an
// understandable consensus algorithm", 2014). Followers learn of that by a later message.
type leadership struct {
	node        *Node
	start       int           // how long the log was when it was elected
	established bool          // a majority has accepted all of that
	primary     bool          // and it has applied all of that: leases end by its clock
	synced      []*Node       // the followers that take part
	admitted    map[*Node]int // in which of its lives each of them was admitted
	acked       map[*Node]int // how many entries of the log each of them has accepted
	leases      map[int64]*tracked
	expiry      func()   // cancels the next look at leases; nil if there is none
	waiting     []func() // what waits until it is primary
}

// lead makes the server the leader of a term. The followers, if there are any, have
// accepted what it has.
func (n *Node) lead(term int64, followers ...*Node) {
	l := &leadership{
		node: n, start: len(n.log),
		admitted: map[*Node]int{}, acked: map[*Node]int{}, leases: map[int64]*tracked{},
	}
	for _, f := range followers {
		f.follows(n, term)
		f.accepted = term
		l.synced = append(l.synced, f)
		l.admitted[f], l.acked[f] = f.life, len(n.log)
	}
	n.leads, n.accepted = l, term
	n.follows(n, term)
	l.advance()
}

func (l *leadership) end() {
	if l != nil && l.expiry != nil {
		l.expiry()
		l.expiry = nil
	}
}

// propose appends an operation to the log, and sends it to the followers.
func (l *leadership) propose(x *entry) {
	n := l.node
	n.log = append(n.log, x)
	place := len(n.log)
	for _, f := range l.followers() {
		n.send(f, "append "+x.String(), func() { f.record(n, x, place) })
	}
	l.advance()
}

// followers are those that take part, or are about to.
func (l *leadership) followers() []*Node {
	return slices.DeleteFunc(slices.Clone(l.synced), func(f *Node) bool { return !l.has(f) })
}

// record is the arrival of an entry at a follower.
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

func (l *leadership) ack(f *Node, accepted int) {
	l.acked[f] = max(l.acked[f], accepted)
	l.advance()
}

// accepted is how much of the log a majority has accepted.
func (l *leadership) accepted() int {
	n := l.node
	list := []int{len(n.log)}
	for _, f := range l.synced {
		list = append(list, l.acked[f])
	}
	for len(list) < len(n.cluster.nodes) {
		list = append(list, -1)
	}
	slices.Sort(list)
	return list[len(list)-n.cluster.quorum()]
}

// advance commits what a majority has accepted. The log of earlier terms is committed when a
// majority has accepted it from this leader, which counts as an entry of its term: etcd appends
// an empty one.
func (l *leadership) advance() {
	n := l.node
	sure := l.accepted()
	if sure < l.start {
		return
	}
	if !l.established {
		l.established = true
		n.cluster.elected(n)
	}
	for n.leads == l && n.applied < sure {
		n.apply()
		l.announce()
	}
	if n.leads == l && !l.primary {
		l.promote()
	}
}

// announce tells followers that an entry is committed.
func (l *leadership) announce() {
	n, place := l.node, l.node.applied
	for _, f := range l.followers() {
		n.send(f, "commit", func() {
			if f.leader == n {
				f.applyTo(place)
			}
		})
	}
}

// whenPrimary does something as soon as the server has applied all that was committed before
// it led.
func (l *leadership) whenPrimary(f func()) {
	if l.primary {
		f()
		return
	}
	l.waiting = append(l.waiting, f)
}

// admit lets a server take part as a follower: it gets the leader's log, and whatever is
// appended from then on. What another leader has sent it does not count any more.
func (l *leadership) admit(f *Node) {
	n := l.node
	f.life++
	l.synced = append(slices.DeleteFunc(l.synced, func(s *Node) bool { return s == f }), f)
	l.admitted[f], l.acked[f] = f.life, -1
	log, committed, term := slices.Clone(n.log), n.applied, n.term
	n.send(f, "log", func() { f.follow(n, term, log, committed) })
}

// follow is the arrival of the leader's log at a server. What else it had accepted was
// never committed, and is dropped.
func (n *Node) follow(leader *Node, term int64, log []*entry, committed int) {
	for i, x := range n.log[:n.applied] {
		if i >= len(log) || log[i] != x {
			panic("simetcd: " + leader.Name() + " leads without an entry that was committed")
		}
	}
	n.leads.end()
	n.leads = nil
	n.log, n.accepted = log, term
	n.observe(model.Observation{Kind: model.Returned})
	n.follows(leader, term)
	n.ack()
	n.applyTo(committed)
}
