package ownstore

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/examples/ownstore/leases"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/quorum"
)

// entry is a request in the servers' log, or the end of a lease whose time is over.
type entry struct {
	leases.Request
	ends *lease // nil for a request
	from *conn
	task *sim.Task
	by   model.Origin
}

// lease is a lease in the state that the committed entries make.
type lease struct {
	holder string
	token  int64
	length time.Duration
	owner  model.Origin
}

// node is one simulated server. Only the conductor uses it.
type node struct {
	*quorum.Member[*node, *entry]
	group  *group
	leases map[string]*lease
	ends   map[string]func() // of the leader: each cancels the end of a lease
	tokens int64
	conns  []*conn
}

// group is the servers, which replicate one log.
type group struct {
	*quorum.Group[*node, *entry]
	world *sim.World
}

// newGroup adds servers to a world. The first leads.
func newGroup(w *sim.World, members int, patience, vote time.Duration, observe func(model.Observation)) *group {
	g := &group{world: w}
	g.Group = quorum.NewGroup[*node, *entry](w, quorum.Rules[*node]{
		Name: "lease store", Patience: patience, Vote: vote, AtOnce: true, HangCounts: true,
		Compare: func(a, b *node) int { return cmp.Or(cmp.Compare(a.Term, b.Term), cmp.Compare(len(a.Log), len(b.Log))) },
		Joins:   func(n, _ *node) bool { return n.Leader() == nil && !n.Admitted() },
	}, observe)
	for i := range members {
		n := &node{group: g, leases: map[string]*lease{}, ends: map[string]func(){}}
		n.Member = g.Add(n, fmt.Sprint("server", i+1), fmt.Sprintf("10.0.1.%d:70", i+1), n.accept, quorum.Hooks[*entry]{
			Looks: n.looks, Leads: func() {}, Follows: func() {}, Advance: n.advance, Apply: n.apply, Resume: n.resume,
		})
	}
	g.Begin(1)
	return g
}

// looks ends what the server had as a leader: it does not know whether its requests are carried out.
func (n *node) looks() {
	for _, name := range slices.Sorted(maps.Keys(n.ends)) {
		n.cancel(name)
	}
	for _, c := range slices.Clone(n.conns) {
		c.sock.Close()
		c.end()
	}
	n.Held()
}

// resume does what has come in a hang, unless the server gives up its role.
func (n *node) resume() {
	n.group.Changed()
	life := n.Life
	for _, f := range n.Held() {
		if n.Life != life {
			return
		}
		f()
	}
}

// propose appends an entry to the log, if the server leads.
func (n *node) propose(x *entry) {
	if n.Leads() {
		n.Leadership().Append(x, "propose "+x.Op)
		n.advance()
	}
}

// advance commits what a majority has accepted. When the server begins to lead, leases that another leader has granted
// begin anew: the server does not know when that was.
func (n *node) advance() {
	l := n.Leadership()
	sure := l.Accepted()
	if !n.Leads() {
		if sure < len(n.Log) {
			return
		}
		l.Establish()
		n.group.Join()
		defer n.renew()
	}
	for n.Leadership() == l && n.Applied < sure {
		l.Commit()
	}
}

// renew begins anew the leases whose end the leader does not know.
func (n *node) renew() {
	for _, name := range slices.Sorted(maps.Keys(n.leases)) {
		if n.Leads() && n.ends[name] == nil {
			n.observe(true, model.RecordChanged, name, n.leases[name], model.Origin{Client: n.leases[name].owner.Client})
			n.endLater(name)
		}
	}
}

// endLater lets the leader end a lease when its time is over.
func (n *node) endLater(name string) {
	l := n.leases[name]
	n.ends[name] = n.group.world.At(n.Actor, n.group.world.Now()+l.length, sim.EventWork, sim.EventOptions{}, func() {
		delete(n.ends, name)
		n.Do(func() { n.propose(&entry{Request: leases.Request{Op: "END", Name: name}, ends: l}) })
	})
}

func (n *node) cancel(name string) {
	if cancel := n.ends[name]; cancel != nil {
		cancel()
		delete(n.ends, name)
	}
}

// apply carries out a committed entry. First is set for the leader that has committed it.
func (n *node) apply(x *entry, first bool) {
	answer := n.execute(x, first)
	if x.from != nil && x.from.node == n && !x.from.ended {
		x.from.sock.Send(0, []byte(answer+"\n"), x.task)
	}
}

func (n *node) execute(x *entry, first bool) string {
	l := n.leases[x.Name]
	switch {
	case x.Op == leases.Take && l == nil:
		n.tokens++
		l = &lease{x.Holder, n.tokens, x.Length, x.by}
		n.leases[x.Name] = l
		n.observe(first, model.RecordCreated, x.Name, l, x.by)
		if first {
			n.endLater(x.Name)
		}
		return fmt.Sprint("OK ", l.token)
	case x.Op == leases.Take && l.holder == x.Holder:
		return fmt.Sprint("OK ", l.token)
	case x.Op == leases.Take:
		return "BUSY"
	case l == nil, x.Op == leases.Free && l.holder != x.Holder, x.ends != nil && x.ends.token != l.token:
		return "NO"
	case x.Op == leases.Show:
		return "OK " + l.holder
	}
	kind := model.RecordDeleted
	if x.ends != nil {
		kind = model.RecordExpired
	}
	delete(n.leases, x.Name)
	n.cancel(x.Name)
	n.observe(first, kind, x.Name, l, x.by)
	return "OK"
}

// observe reports a change of a lease: the truth if the leader has just made it, and otherwise its arrival at a follower.
func (n *node) observe(first bool, kind model.ObservationKind, name string, l *lease, by model.Origin) {
	o := model.Observation{Kind: kind, Key: name, Value: l.holder, Owner: l.owner, By: by, Revision: l.token}
	if first {
		o.Authority = n.group.Name()
	}
	if kind == model.RecordChanged {
		o.OldOwner = l.owner
	}
	if kind == model.RecordChanged || kind == model.RecordCreated {
		o.ExpiresAt = n.group.world.Now() + l.length
	}
	n.Observe(o)
}

// conn is the connection of a client.
type conn struct {
	node  *node
	sock  *sim.ServerConn
	in    []byte
	ended bool
}

func (n *node) accept(s *sim.ServerConn) sim.Handler {
	c := &conn{node: n, sock: s}
	n.conns = append(n.conns, c)
	return c
}

// Gone is the end of the connection, from whichever side.
func (c *conn) Gone() { c.node.Do(c.end) }

func (c *conn) end() {
	c.ended = true
	c.node.conns = slices.DeleteFunc(c.node.conns, func(o *conn) bool { return o == c })
}

// Receive carries out the requests that have arrived whole.
func (c *conn) Receive(data []byte, t *sim.Task) {
	c.node.Do(func() {
		c.in = append(c.in, data...)
		for !c.ended {
			line, rest, whole := bytes.Cut(c.in, []byte("\n"))
			if !whole {
				return
			}
			c.in = rest
			c.request(string(line), t)
		}
	})
}

func (c *conn) request(line string, t *sim.Task) {
	r, err := leases.Parse(line)
	switch {
	case err != nil:
		c.sock.Send(0, []byte("ERR\n"), t)
	case !c.node.Leads():
		c.sock.Send(0, []byte(leases.NotLeader+"\n"), t)
	default:
		by := model.Origin{Client: c.sock.Client().Name(), Conn: c.sock.ID()}
		if t != nil {
			by.Op = t.ID
		}
		c.node.propose(&entry{Request: r, from: c, task: t, by: by})
	}
}
