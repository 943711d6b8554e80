package stage

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// Cluster is all servers of a store in a world. Only the conductor uses it.
type Cluster []*Server

// Server is an independent part of a cluster: nodes that mean to hold the same
// records, of which one serves at a time.
type Server struct {
	Authority
	// Busy is set while a fault goes on that changes which nodes are up, or which
	// one serves. No other such fault strikes the server meanwhile.
	Busy bool
}

// Authority is the nodes of a server. What its serving node holds is the truth.
type Authority interface {
	// Nodes are all nodes, in the order of their lanes.
	Nodes() []Node
	// Serving is the node that new clients are led to.
	Serving() Node
	// Address is where clients find it, host:port.
	Address() string
}

// Replicated is an [Authority] of which another node may come to serve.
type Replicated interface {
	// Successors are the nodes that may be promoted now.
	Successors() []Node
	// Promote makes one of them the node that serves. The one that served until
	// now, if it is up, goes on serving the clients that it has.
	Promote(Node)
	// Rejoin brings a node back as a follower of the one that serves.
	Rejoin(Node)
}

// Restarting is an [Authority] whose nodes can start again after a crash.
type Restarting interface {
	// Restart brings a crashed node back with what [Terms].Kept says at the index.
	Restart(n Node, kept int)
}

// Node is one server process.
type Node interface {
	// Actor is the actor that events of the node happen to.
	Actor() *sim.Actor
	// Up reports whether it runs, and Serves whether it takes itself for one that
	// serves clients, rightly or not.
	Up() bool
	Serves() bool
	// Crash ends it: what is in flight on its connections is lost.
	Crash()
}

// Hanger is a [Node] that can do nothing for a while.
type Hanger interface {
	Hangs() bool
	// Hang lets it do nothing for d. It answers false if it does not run.
	Hang(d time.Duration) bool
}

// Jumper is a [Node] that reads a clock, which can jump.
type Jumper interface{ Jump(d time.Duration) }

// Node is the node that the actor is, or nil.
func (c Cluster) Node(a *sim.Actor) Node {
	for _, s := range c {
		for _, n := range s.Nodes() {
			if n.Actor() == a {
				return n
			}
		}
	}
	return nil
}

// Addresses are those of the servers.
func (c Cluster) Addresses() []string {
	list := make([]string, len(c))
	for i, s := range c {
		list[i] = s.Address()
	}
	return list
}

// Idle are how many servers are not busy.
func (c Cluster) Idle() int {
	n := 0
	for _, s := range c {
		if !s.Busy {
			n++
		}
	}
	return n
}

// IdleAt is one of those, by its place among them.
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

// Successors are the nodes of a server that may be promoted now, none if it has
// no followers.
func (s *Server) Successors() []Node {
	if r, can := s.Authority.(Replicated); can {
		return r.Successors()
	}
	return nil
}
