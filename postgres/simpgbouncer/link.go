package simpgbouncer

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/simpostgres"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// Node is a PostgreSQL server to which the pooler connects. A *simpostgres.Node is one.
type Node interface {
	// Machine returns the host of the server.
	Machine() *server.Host
	// Connect makes a connection to the server, which must be up.
	Connect(simpostgres.Transport) sim.Handler
}

// link is a connection of the pooler to a node: two lanes of the network, one for each direction, and what
// is known at both ends.
type link struct {
	network  *sim.Network
	world    *sim.World
	from, to *sim.Actor
	number   int
	up, down int64 // the lanes

	near       *backend
	opened     bool // the node's acceptance has arrived
	nearClosed bool
	broken     bool // one of the two processes has ended: what is under way is lost

	// At the node.
	node      Node
	far       sim.Handler // nil until the node has accepted
	farClosed bool
	origin    model.Origin    // of the request that arrived last
	client    *sim.ServerConn // of that request
}

var _ simpostgres.Transport = (*link)(nil)

// request is data on its way to the node, with its true sender.
type request struct {
	data   []byte
	task   *sim.Task
	client *sim.ServerConn // nil if it is the pooler's own
}

// newLink begins a connection to the node. The backend learns of the outcome by connected or failed.
func newLink(p *Pooler, b *backend, to Node) *link {
	n := p.world.Network()
	l := &link{network: n, world: p.world, from: p.Actor, to: to.Machine().Actor, number: n.NewConn(), near: b, node: to}
	l.up, l.down = n.NewLane(), n.NewLane()
	n.Propagate(l.from, l.to, l.up, 0, l.arriveDial)
	return l
}

// event returns an event of the link.
func (l *link) event(k sim.EventKind, at, peer *sim.Actor, sent time.Duration, late bool) sim.Event {
	return sim.Event{Kind: k, Actor: at.Name(), Peer: peer.Name(), Conn: l.number, Sent: sent, Late: late}
}

// arriveDial is the arrival of the connection attempt at the node. An attempt that has been given up is not accepted.
func (l *link) arriveDial(sent time.Duration, late bool) {
	switch {
	case l.nearClosed:
	case l.node.Machine().Down():
		l.network.Propagate(l.to, l.from, l.down, 0, func(sent time.Duration, late bool) {
			if !l.nearClosed {
				l.world.Log(l.event(sim.EventRefused, l.from, l.to, sent, late))
				l.end(true)
			}
		})
	default:
		l.world.Log(l.event(sim.EventDial, l.to, l.from, sent, late))
		l.network.Propagate(l.to, l.from, l.down, 0, func(sent time.Duration, late bool) {
			if !l.nearClosed && !l.broken {
				l.world.Log(l.event(sim.EventDial, l.from, l.to, sent, late))
				l.opened = true
				l.near.pooler.do(l.near.connected)
			}
		})
		l.far = l.node.Connect(l)
	}
}

// send sends data to the node.
func (l *link) send(r request) {
	if !l.opened || l.nearClosed || len(r.data) == 0 {
		return
	}
	l.network.Propagate(l.from, l.to, l.up, 0, func(sent time.Duration, late bool) {
		e := l.event(sim.EventDeliver, l.to, l.from, sent, late)
		e.Payload = r.data
		if l.farClosed || l.broken {
			e.Kind, e.Detail = sim.EventDrop, "nobody reads any more"
			l.world.Log(e)
			return
		}
		l.world.Log(e)
		if r.client != nil {
			l.client, l.origin = r.client, originOf(r.client)
		}
		l.far.Receive(r.data, r.task)
	})
}

// originOf returns the origin of a client's requests.
func originOf(c *sim.ServerConn) model.Origin {
	return model.Origin{Client: c.Client().Name(), Conn: c.ID()}
}

// close ends the connection from the pooler's side, after what was sent.
func (l *link) close() {
	if l.nearClosed {
		return
	}
	l.nearClosed = true
	l.network.Propagate(l.from, l.to, l.up, 0, func(sent time.Duration, late bool) { l.leave(sim.EventClose, sent, late) })
}

// lose ends the connection because the pooler's process has ended.
func (l *link) lose() {
	if l.nearClosed {
		return
	}
	l.nearClosed, l.broken = true, true
	l.network.Propagate(l.from, l.to, l.network.NewLane(), 0, func(sent time.Duration, late bool) { l.leave(sim.EventReset, sent, late) })
}

// leave is the arrival of the connection's end at the node.
func (l *link) leave(k sim.EventKind, sent time.Duration, late bool) {
	if l.far == nil || l.farClosed {
		return
	}
	l.farClosed = true
	l.world.Log(l.event(k, l.to, l.from, sent, late))
	l.far.Gone()
}

// end is the arrival of the connection's end at the pooler.
func (l *link) end(refused bool) {
	l.near.pooler.do(func() {
		if !l.nearClosed {
			l.near.ended(refused)
		}
	})
}

// Origin returns the client whose request arrived last.
func (l *link) Origin(t *sim.Task) model.Origin {
	o := l.origin
	if t != nil {
		o.Op = t.ID
	}
	return o
}

// Send sends data to the pooler.
func (l *link) Send(depart time.Duration, data []byte, t *sim.Task) {
	if l.farClosed || len(data) == 0 {
		return
	}
	l.network.Propagate(l.to, l.from, l.down, depart, func(sent time.Duration, late bool) {
		e := l.event(sim.EventDeliver, l.from, l.to, sent, late)
		e.Payload = data
		if l.nearClosed || l.broken {
			e.Kind, e.Detail = sim.EventDrop, "nobody reads any more"
			l.world.Log(e)
			return
		}
		l.world.Log(e)
		l.near.pooler.do(func() {
			if !l.nearClosed {
				l.near.receive(data, t)
			}
		})
	})
}

// Close ends the connection from the node's side.
func (l *link) Close() {
	if l.farClosed {
		return
	}
	l.farClosed = true
	l.network.Propagate(l.to, l.from, l.down, 0, func(sent time.Duration, late bool) { l.hear(sim.EventClose, sent, late) })
	if l.far != nil { // else the node closes it while it accepts
		l.far.Gone()
	}
}

// Lose ends the connection because the node's process has ended.
func (l *link) Lose() {
	if l.farClosed {
		return
	}
	l.farClosed, l.broken = true, true
	l.network.Propagate(l.to, l.from, l.network.NewLane(), 0, func(sent time.Duration, late bool) { l.hear(sim.EventReset, sent, late) })
}

// hear is the arrival of the connection's end at the pooler.
func (l *link) hear(k sim.EventKind, sent time.Duration, late bool) {
	if !l.nearClosed {
		l.world.Log(l.event(k, l.from, l.to, sent, late))
		l.end(false)
	}
}

// Broken reports whether one of the two processes has ended: to the client of a session, its connection has broken.
func (l *link) Broken() bool { return l.broken }

// Refuse fails the run in the name of the client whose request arrived last.
func (l *link) Refuse(t *sim.Task, what string) {
	if l.client != nil {
		l.client.Refuse(t, what)
	}
}
