package simetcd

import "github.com/lockpick-dev/lockpick/sim/quorum"

// leadership is what a server has while it leads.
//
// It appends operations to its log, sends them to its followers, and commits them in order,
// each when a majority has accepted it (Ongaro and Ousterhout, "In search of an
// understandable consensus algorithm", 2014). Followers learn of that by a later message.
type leadership struct {
	*quorum.Leadership[*Node, *entry]
	node    *Node
	start   int  // how long the log was when it was elected
	primary bool // it has applied all of that: leases end by its clock
	leases  map[int64]*tracked
	expiry  func()   // cancels the next look at leases; nil if there is none
	waiting []func() // what waits until it is primary
}

// lead is called when the server has been elected.
func (n *Node) lead() {
	n.leads = &leadership{Leadership: n.Leadership(), node: n, start: len(n.Log), leases: map[int64]*tracked{}}
	n.follows()
}

// endLead makes the server stop leading, if it led.
func (n *Node) endLead() {
	if l := n.leads; l != nil && l.expiry != nil {
		l.expiry()
		l.expiry = nil
	}
	n.leads = nil
}

// propose appends an operation to the log, and sends it to the followers.
func (l *leadership) propose(x *entry) {
	l.Append(x, "append "+x.String())
	l.node.advance()
}

// advance commits what a majority has accepted. The log of earlier terms is committed when a
// majority has accepted it from this leader, which counts as an entry of its term: etcd appends
// an empty one.
func (n *Node) advance() {
	l := n.leads
	sure := l.Accepted()
	if sure < l.start {
		return
	}
	if !n.Leads() {
		l.Establish()
		n.cluster.Join()
	}
	for n.leads == l && n.Applied < sure {
		l.Commit()
	}
	if n.leads == l && !l.primary {
		l.promote()
	}
}

// whenPrimary calls f as soon as the server has applied all that was committed before it
// led.
func (l *leadership) whenPrimary(f func()) {
	if l.primary {
		f()
		return
	}
	l.waiting = append(l.waiting, f)
}
