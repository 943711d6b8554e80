package simpostgres

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// Transport is a node's end of a connection: one that a process has dialed, or one that another
// simulated server, a pooler, uses for its clients. The node's handler of the connection is a
// [sim.Handler].
type Transport interface {
	// Origin returns the origin of what the node does because of the request that arrived last: the
	// process that has sent it and the number of that process's connection, which is the one to the
	// pooler if there is one. T is the request's task, nil if there is none. Origin may be called
	// after the connection has ended.
	Origin(t *sim.Task) model.Origin
	// Send sends data, as [sim.ServerConn.Send] does.
	Send(depart time.Duration, data []byte, t *sim.Task)
	// Close ends the connection from the node's side. Data sent before still arrives. If the connection
	// had not ended, the handler's Gone is called before Close returns.
	Close()
	// Lose ends the connection because the node's process has ended: what is under way is lost, and the
	// other end learns of it by a reset. The handler is not called any more. It does nothing to a
	// connection that a process has dialed, which [sim.Network.Crash] or [sim.Conn.Reset] resets.
	Lose()
	// Broken reports whether the network broke the connection before either end closed it.
	Broken() bool
	// Refuse fails the run, as [sim.ServerConn.Refuse] does, in the name of the client whose request
	// arrived last.
	Refuse(t *sim.Task, what string)
}

// Connect makes a connection to the node for another server, which calls the result. The node must be
// up.
func (n *Node) Connect(t Transport) sim.Handler { return n.accept(t) }

// acceptDial accepts a connection that a process has dialed.
func (n *Node) acceptDial(s *sim.ServerConn) sim.Handler { return n.accept(dialed{s}) }

// Machine returns the host on which the node runs.
func (n *Node) Machine() *server.Host { return n.Host }

// dialed is the transport of a connection that a process has dialed.
type dialed struct{ *sim.ServerConn }

// Origin returns the process's name and the number of its connection.
func (d dialed) Origin(t *sim.Task) model.Origin {
	o := model.Origin{Client: d.Client().Name(), Conn: d.ID()}
	if t != nil {
		o.Op = t.ID
	}
	return o
}

// Lose does nothing.
func (dialed) Lose() {}
