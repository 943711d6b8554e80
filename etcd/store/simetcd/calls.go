package simetcd

import (
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// rpc is a call of a client, from its first byte to its status.
type rpc struct {
	node        *Node
	stream      Stream
	name        string // of the method
	method      method
	needsLeader bool
	ended       bool
	halfClosed  bool
	queue       []*call // of keep-alives: the first is being answered
	watches     *watchStream
}

// call is a request: a message of a call, and when it arrived.
type call struct {
	*rpc
	task    *sim.Task
	started time.Duration
	done    bool
	waiting *keepAliveRequest // while others are before it
	giveUp  func()            // cancels the end of the server's patience
}

// hasLeader is the metadata with which a client asks for a server that has a leader.
const hasLeader = "hasleader"

// Open begins a call.
func (n *Node) Open(s Stream, path string, metadata map[string]string, t *sim.Task) {
	r := &rpc{node: n, stream: s, name: path[strings.LastIndex(path, "/")+1:], needsLeader: metadata[hasLeader] == "true"}
	m, found := methods[path]
	r.method = m
	n.calls = append(n.calls, r)
	switch {
	case !found:
		refuses(s, path, t)
		r.close(unknown(path), t)
	case r.needsLeader && n.Leader() == nil:
		r.close(errNoLeader, t)
	case m.kind == watching:
		r.watches = &watchStream{rpc: r}
	}
}

// find returns the call of a stream, or nil if it has ended.
func (n *Node) find(s Stream) *rpc {
	for _, r := range n.calls {
		if r.stream == s {
			return r
		}
	}
	return nil
}

// Message handles a message of the client.
func (n *Node) Message(s Stream, message []byte, t *sim.Task) {
	r := n.find(s)
	if r == nil {
		return
	}
	request := r.method.request()
	if !unmarshal(string(message), request) {
		r.close(errMalformed, t)
		return
	}
	n.serve(r.name, t)
	c := &call{rpc: r, task: t, started: n.world.Now()}
	r.method.serve(c, request)
}

// HalfClose handles the end of the client's messages: no more will arrive.
func (n *Node) HalfClose(s Stream, t *sim.Task) {
	if r := n.find(s); r != nil {
		r.halfClosed = true
		if r.method.kind == keepingAlive && len(r.queue) == 0 {
			r.close(status{}, t)
		}
	}
}

// Reset ends a call from the client's side, or with its connection.
func (n *Node) Reset(s Stream) {
	if r := n.find(s); r != nil {
		r.end()
	}
}

// end forgets a call.
func (r *rpc) end() {
	r.ended = true
	r.node.calls = slices.DeleteFunc(r.node.calls, func(o *rpc) bool { return o == r })
}

// close ends a call with a status, which may be success.
func (r *rpc) close(s status, t *sim.Task) {
	if !r.ended {
		r.end()
		r.stream.End(s.code, s.text, t)
	}
}

// send sends a message of the answer.
func (r *rpc) send(m response, t *sim.Task) {
	if !r.ended {
		r.node.fill(m.head())
		r.stream.Send(marshal(m), t)
	}
}

// fill completes a header.
func (n *Node) fill(h *header) {
	h.cluster, h.member, h.term = identity(n.cluster.Name()), n.id, uint64(n.Term)
}

// by returns the origin of what a request does.
func (c *call) by() model.Origin {
	o := c.stream.Origin()
	if c.task != nil {
		o.Op = c.task.ID
	}
	return o
}

// over reports whether nobody waits for the answer.
func (c *call) over() bool { return c.done || c.ended }

// finish answers a request, with a message or an error. Only the first call answers.
func (c *call) finish(m response, s status) {
	if c.over() {
		return
	}
	c.done = true
	if c.giveUp != nil {
		c.giveUp()
	}
	if s == (status{}) {
		if m.head().revision == 0 && !c.method.noRevision {
			m.head().revision = c.node.state.revision
		}
		c.send(m, c.task)
	}
	switch {
	case c.method.kind == unary || s != (status{}):
		c.close(s, c.task)
	case c.method.kind == keepingAlive:
		c.nextKeepAlive()
	}
}

// within answers a request with an error unless it is answered within the server's patience.
func (c *call) within(late func() status) {
	if c.over() || c.giveUp != nil {
		return
	}
	n := c.node
	c.giveUp = n.world.At(n.Actor, c.started+n.cluster.options.patience(), sim.EventWork, sim.EventOptions{}, func() {
		n.Do(func() { c.finish(nil, late()) })
	})
}

// write has an operation appended to the log. The request is answered when this server has
// applied it. Without a leader it waits for one; what a leader does not commit is not asked
// for again.
func (c *call) write(x operation) {
	n := c.node
	e := &entry{operation: x, from: c, by: c.by()}
	n.withLeader(func() {
		switch {
		case c.over():
		case n.leads != nil:
			n.leads.propose(e)
		default:
			n.sendToLeader(x.String(), func(l *leadership) {
				l.node.serve(forPeer, nil)
				l.propose(e)
			})
		}
	})
	c.within(c.lateWrite)
}

// withLeader calls f as soon as the server has a leader.
func (n *Node) withLeader(f func()) {
	if n.Leader() == nil {
		n.parked = append(n.parked, f)
		return
	}
	f()
}

// lateWrite returns the status that says why a write may have taken too long.
func (c *call) lateWrite() status {
	n := c.node
	lost := n.followed - 2*n.cluster.options.Election
	switch {
	case c.started > lost && c.started < n.followed:
		return errTimeoutLeaderFail
	case n.Leader() != nil && !n.Attended():
		return errTimeoutConnection
	}
	return errTimeout
}
