package stage

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// Cluster is the servers of a store in a world. Only the conductor may use it.
type Cluster []*Server

// Server is an independent part of a cluster: nodes that replicate the same records. One
// of them serves at a time.
type Server struct {
	Authority
	// Busy is set while a fault changes which nodes are up, or which one serves. No other
	// such fault strikes the server meanwhile.
	Busy bool
	// Of is the server's store, if the world has several ([Together]); nil if it has one.
	Of Store
}

// Of returns the servers of the store with an ID, in a world with several stores.
func (c Cluster) Of(id string) (list Cluster) {
	for _, s := range c {
		if s.Of != nil && s.Of.ID() == id {
			list = append(list, s)
		}
	}
	return list
}

// With returns the servers whose authority has a capability, such as [Restarting].
func With[Capability any](c Cluster) (list Cluster) {
	for _, s := range c {
		if _, can := s.Authority.(Capability); can {
			list = append(list, s)
		}
	}
	return list
}

// Authority is the nodes of a server. The records of its serving node decide who holds
// the lock.
type Authority interface {
	// Nodes returns all nodes, in the order of their lanes.
	Nodes() []Node
	// Serving returns the node that new clients connect to.
	Serving() Node
	// Addresses returns its addresses for clients, host:port: one that leads to the serving
	// node, or one for each node.
	Addresses() []string
}

// Syncing is a [Node] that cannot be promoted at times.
type Syncing interface {
	// Syncing reports whether the node follows the serving node and does not have its data yet.
	Syncing() bool
}

// Replicated is an [Authority] that can promote another node.
type Replicated interface {
	// Promote makes one of [Server.Successors] the serving node. The old serving node, if
	// it is up, goes on serving its own clients.
	Promote(Node)
	// Rejoin brings a node back as a follower of the serving node.
	Rejoin(Node)
}

// Elected is an [Authority] whose serving node is chosen by electors or by an election of its nodes.
// Faults do not promote a node of it.
type Elected interface {
	// Electors returns the processes beside the nodes that choose the serving node.
	// They serve no records.
	Electors() []Node
}

// Ordered is an [Elected] authority whose serving node an operator can replace.
type Ordered interface {
	// Orders returns the orders that an operator may give now. The same state must give the same list.
	Orders() []Order
}

// Order is an operator's order to replace the serving node.
type Order struct {
	// To is the receiver of the order: an elector, or the follower that is to serve.
	To Node
	// How names the way to do it, in the store's words; empty for the usual or only way.
	How string
	// Give gives the order. To may refuse it.
	Give func()
}

// Contesting is an [Elected] authority whose electors vote for one of them to decide. If several stand
// at the same moment, none has the votes, and they try again later.
type Contesting interface {
	// Contested reports whether an elector takes the serving node for down, and none has the
	// votes yet.
	Contested() bool
	// Contest makes all candidates of the next election stand at the same moment.
	Contest()
}

// Preferred is a [Node] that electors can be made to prefer, whatever data it has.
type Preferred interface{ Prefer() }

// Restarting is an [Authority] whose nodes can restart after a crash.
type Restarting interface {
	// Restart restarts a crashed node with the data that [Terms].Kept[kept] describes.
	Restart(n Node, kept int)
}

// Node is one server process.
type Node interface {
	// Actor returns the actor of the node's events.
	Actor() *sim.Actor
	// Up reports whether the node runs. Serves reports whether it acts as the serving
	// node, rightly or not.
	Up() bool
	Serves() bool
	// Crash ends the node; everything in flight on its connections is lost.
	Crash()
}

// Hanger is a [Node] that can hang.
type Hanger interface {
	Hangs() bool
	// Hang makes the node hang for d. It returns false if the node is down.
	Hang(d time.Duration) bool
}

// Jumper is a [Node] whose clock can jump by d, back if d is negative.
type Jumper interface{ Jump(d time.Duration) }

// Metered is a [Node] whose service times can be set.
type Metered interface {
	// Meter makes the node serve one request at a time. Time is called once for each
	// request, in the order in which they are served, with the store's name for it, such
	// as SET or SELECT, and returns its service time. A node of a replicated log also
	// serves [Peer] requests.
	Meter(time func(request string) time.Duration)
}

// Peer is the name of a request of another node of the same server: an entry of the log for
// a follower, or a client's request that a follower has passed on to the leader. Small
// messages that real servers batch take no time: acknowledgements, commits and heartbeats.
const Peer = "peer"

// Committing is a [Node] that acknowledges commits to its clients.
type Committing interface {
	// Acknowledges reports whether the node's last message on a connection acknowledges
	// a commit.
	Acknowledges(*sim.Conn) bool
}

// Deadlocking is a [Node] whose transactions lock records, and wait for each other. It shows
// the end of a transaction in a deadlock by a note of the event [Deadlocked], whose owner is
// the client.
type Deadlocking interface {
	// Contenders returns the connections whose transaction waits for a lock, or requests one by
	// the segment that is about to arrive.
	Contenders(sim.Upcoming) []*sim.Conn
	// Deadlock ends the transaction of a contender as the victim of a deadlock: at once
	// if it waits, and otherwise when it requests a lock.
	Deadlock(*sim.Conn)
}

// Failing is a [Node] that can answer single requests with errors of its own. It shows each by a note of the event
// [Failed] or [FailedDone], whose owner is the client.
type Failing interface {
	// Failures returns the errors with which the node may answer the request that is about to arrive; none if no request
	// does.
	Failures(sim.Upcoming) []Failure
}

// Failure is an error with which a node may answer a request.
type Failure struct {
	// Text is the error, and what becomes of the request: "503 SlowDown (not executed)".
	Text string
	// Give makes the node answer with it.
	Give func()
}

// Failed is the event of a note that a node has answered a request with an error of its own, and has not carried it out.
// FailedDone is that of one that was carried out.
const (
	Failed     = "request-failed"
	FailedDone = "request-failed-done"
)

// Deadlocked is the event of a note that a transaction is ended because of a deadlock.
const Deadlocked = "transaction-deadlocked"

// Node returns the node of an actor, or nil. Electors count as nodes.
func (c Cluster) Node(a *sim.Actor) Node {
	for _, s := range c {
		for _, n := range s.Nodes() {
			if n.Actor() == a {
				return n
			}
		}
		for _, n := range s.Electors() {
			if n.Actor() == a {
				return n
			}
		}
	}
	return nil
}

// Electors returns the electors of an [Elected] server, and none of another.
func (s *Server) Electors() []Node {
	if e, is := s.Authority.(Elected); is {
		return e.Electors()
	}
	return nil
}

// Addresses returns the servers' addresses.
func (c Cluster) Addresses() []string {
	var list []string
	for _, s := range c {
		list = append(list, s.Addresses()...)
	}
	return list
}

// Idle returns the number of servers that are not busy.
func (c Cluster) Idle() int {
	n := 0
	for _, s := range c {
		if !s.Busy {
			n++
		}
	}
	return n
}

// IdleAt returns the server at a place, from 0, among those that are not busy, or nil.
func (c Cluster) IdleAt(place int) *Server {
	for _, s := range c {
		if s.Busy {
			continue
		}
		if place == 0 {
			return s
		}
		place--
	}
	return nil
}

// Successors appends to list the nodes of a server that may be promoted now: those that are up,
// except the serving one and those that are [Syncing]; none if the server is not [Replicated]. It
// takes a list because failovers call it before each event.
func (s *Server) Successors(list []Node) []Node {
	if _, can := s.Authority.(Replicated); !can {
		return list
	}
	serving := s.Serving()
	for _, n := range s.Nodes() {
		s, can := n.(Syncing)
		if n.Up() && n != serving && !(can && s.Syncing()) {
			list = append(list, n)
		}
	}
	return list
}
