package sim

import (
	"cmp"
	"slices"
	"time"
)

// Network carries connections between processes and servers, with TCP's
// semantics as applications see them.
//
//   - Each direction of a connection is a FIFO stream of segments, each with a
//     latency; nothing overtakes within a direction.
//   - Closing does not recall sent data: a request whose client has timed out still
//     arrives, perhaps after the client's next request on another connection.
//   - A reset, or the crash of an end, loses the segments in flight. A process that
//     is killed loses only segments on their way to it.
//   - A cut holds segments, as retransmission does, and delivers them after it has
//     healed. It works in one direction. Connection attempts are held as well,
//     until the dialer gives up, and so are resets. A partition cuts each actor of
//     one side from each of the other.
//   - A dial is accepted, refused, or runs into its timeout.
//
// Its methods are for the conductor. Processes dial with [Process.DialContext].
type Network struct {
	world     *World
	link      Link
	listeners map[string]*listener
	routes    map[string]func() string
	conns     []*Conn // those that are not over, in the order of dials
	dials     int     // so far
	pipes     []*pipe // of lanes -1, -2, ...
	cuts      map[route]*cut
	received  func(*Process) // of OnReceive; nil if nobody asks
}

func newNetwork(w *World) *Network {
	return &Network{
		world:     w,
		link:      Link{Base: 200 * time.Microsecond},
		listeners: map[string]*listener{},
		routes:    map[string]func() string{},
		cuts:      map[route]*cut{},
	}
}

// listener is who is at an address.
type listener struct {
	actor  *Actor
	accept func(*ServerConn) Handler // nil if dials are refused
}

// A Handler is the server's side of a connection. The conductor calls it.
type Handler interface {
	// Receive gets the bytes of one segment. The handler may keep them but not
	// change them, since the log has them, too. Task is the client's task when it
	// wrote them.
	Receive(data []byte, t *Task)
	// Gone is called once when no more bytes will come: the client or the
	// server closed its end, or the connection was reset.
	Gone()
}

// Owing is for a Handler that may answer one segment with several.
type Owing interface {
	// Owes reports whether a request is not answered yet.
	Owes() bool
}

// Listen makes the actor accept connections at the address, a host:port with an IP
// literal. The handler that accept returns gets the data.
func (n *Network) Listen(address string, a *Actor, accept func(*ServerConn) Handler) {
	n.listeners[address] = &listener{actor: a, accept: accept}
}

// Unlisten makes dials to the address be refused.
func (n *Network) Unlisten(address string) {
	if l := n.listeners[address]; l != nil {
		l.accept = nil
	}
}

// Route makes a virtual address lead to the address that resolve returns when a
// connection attempt arrives; an empty answer refuses it.
func (n *Network) Route(address string, resolve func() string) { n.routes[address] = resolve }

// listener is who is at an address now, or where it leads to.
func (n *Network) listener(addr string) *listener {
	if resolve := n.routes[addr]; resolve != nil {
		addr = resolve()
	}
	return n.listeners[addr]
}

// Conns returns the open connections in which the actor takes part, in the
// order in which they were dialed.
func (n *Network) Conns(a *Actor) []*Conn {
	return slices.DeleteFunc(n.connsOf(a), func(c *Conn) bool { return c.server.closed })
}

// connsOf returns the connections that the actor has an end of, dead or alive, and
// that are not yet over at both ends.
func (n *Network) connsOf(a *Actor) []*Conn {
	n.conns = slices.DeleteFunc(n.conns, (*Conn).over)
	var list []*Conn
	for _, c := range n.conns {
		if c.process.Actor == a || c.server.actor == a {
			list = append(list, c)
		}
	}
	return list
}

// add puts a connection on the list, in the order of dials.
func (n *Network) add(c *Conn) {
	n.conns = slices.DeleteFunc(n.conns, (*Conn).over)
	i, _ := slices.BinarySearchFunc(n.conns, c.id, func(o *Conn, id int) int { return cmp.Compare(o.id, id) })
	n.conns = slices.Insert(n.conns, i, c)
}

// shutDown ends all connections when the run is over.
func (n *Network) shutDown() {
	for _, c := range n.conns {
		c.abandon()
	}
	n.conns = nil
}

// address is a net.Addr.
type address string

func (address) Network() string  { return "tcp" }
func (a address) String() string { return string(a) }
