package confirm

import (
	"bytes"

	"github.com/lockpick-dev/lockpick/sim"
)

// Passing is a [Store] in which some servers have no records: they pass requests on to another one, by connections of
// their own, as a pooler does. Its [Servers] are [Senders].
type Passing interface {
	Store
	// Behind returns the node to which a node passes requests on, empty if it executes them itself.
	Behind(servers [][]string, node string) string
}

// Senders are [Servers] of a [Passing] store.
type Senders interface {
	// Sender returns the address of the client's connection, at the node that passes requests on, whose requests a session
	// got last; empty if that is not known, or the session is over.
	Sender(session string) string
}

// setExecutors notes which nodes pass requests on.
func (p *plan) setExecutors(store Store) {
	passing, is := store.(Passing)
	if !is {
		return
	}
	p.executor = map[string]string{}
	for _, node := range p.nodes {
		if other := passing.Behind(p.byServer, node); other != "" {
			p.executor[node] = other
		}
	}
}

// passesOn reports whether a node passes requests on.
func (p *plan) passesOn(node string) bool { return p.executor[node] != "" }

// passedOn returns the event at which a request arrives at the node that executes it.
func (r *reading) passedOn(m *sent) int64 {
	front := m.event.Actor
	if !r.passesOn(front) {
		return m.event.Seq
	}
	for i := range r.trace.Events {
		e := &r.trace.Events[i]
		if e.Seq > m.event.Seq && e.Kind == sim.EventDeliver && e.Actor == r.executor[front] && e.Peer == front && bytes.Contains(e.Payload, m.Bytes) {
			return e.Seq
		}
	}
	return m.event.Seq
}

// isHung reports whether a node hangs, or the one to which it passes requests on.
func (d *driver) isHung(node string) bool { return d.hung[node] || d.hung[d.place(node)] }

// senderOf returns the link whose requests a session behind a node got last, nil if there is none.
func (d *driver) senderOf(session string) *link {
	s, are := d.servers.(Senders)
	if len(d.executor) == 0 || !are {
		return nil
	}
	address := s.Sender(session)
	for i := len(d.links) - 1; i >= 0 && address != ""; i-- { // a port may be used again
		if k := d.links[i]; d.passesOn(k.Node) && k.Server.LocalAddr().String() == address {
			return k
		}
	}
	return nil
}
