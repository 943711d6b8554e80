package simetcd

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Stream is a call of a client as the transport sees it, one stream of an HTTP/2 connection.
// It must be comparable. The tasks are those of the answered request, nil if there is none.
type Stream interface {
	// Send sends a message of the answer.
	Send(message []byte, t *sim.Task)
	// End ends the call with one of gRPC's codes and a text; 0 and "" are success.
	End(code int, text string, t *sim.Task)
	// Refuse fails the run: see [sim.ServerConn.Refuse].
	Refuse(t *sim.Task, what string)
	// Origin returns the client and the connection.
	Origin() model.Origin
}

// Server is a server as the transport sees it.
type Server interface {
	// Open begins a call. The method is as in HTTP/2's path, "/etcdserverpb.KV/Range".
	Open(s Stream, method string, metadata map[string]string, t *sim.Task)
	// Message handles a message of the client, without gRPC's frame.
	Message(s Stream, message []byte, t *sim.Task)
	// HalfClose handles the end of the client's messages: no more will arrive.
	HalfClose(s Stream, t *sim.Task)
	// Reset ends a call from the client's side, or with its connection. No more is sent.
	Reset(s Stream)
}

// Transport accepts a connection and turns its bytes into calls of the server. If the server
// hangs, it is called when the hang is over.
type Transport func(c *sim.ServerConn, server Server) sim.Handler

// gate keeps what comes over a connection from a server that hangs until it goes on.
type gate struct {
	node    *Node
	handler sim.Handler // nil until the server has taken the connection
}

// accept handles a new connection. The machine accepts it at once. A server that hangs greets
// the client only when it resumes.
func (n *Node) accept(c *sim.ServerConn) sim.Handler {
	g := &gate{node: n}
	n.Do(func() { g.handler = n.cluster.options.Transport(c, n) })
	return g
}

// Receive passes on the bytes of a segment.
func (g *gate) Receive(data []byte, t *sim.Task) {
	g.node.Do(func() { g.handler.Receive(data, t) })
}

// Gone passes on the end of the connection. A server that crashes has not taken those that came
// while it hung.
func (g *gate) Gone() {
	g.node.Do(func() {
		if g.handler != nil {
			g.handler.Gone()
		}
	})
}

// Owes reports whether a request is not answered yet.
func (g *gate) Owes() bool {
	o, ok := g.handler.(sim.Owing)
	return ok && o.Owes()
}
