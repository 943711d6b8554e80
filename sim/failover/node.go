package failover

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/server"
)

// Node is a server as a part of its cluster.
type Node[S any] struct {
	*server.Host
	Server   S
	Position int64      // the length of the stream of writes that it has or, for a primary, has written
	Replicas []*Link[S] // to the nodes that follow it

	cluster *Cluster[S]
	resync  func(source S)
	primary bool
	source  *Node[S] // of a replica
	syncing bool     // until its first full copy has arrived
}

// Link is the stream of writes from a primary to one replica.
type Link[S any] struct {
	Replica *Node[S]
	Acked   int64 // the length of the stream that the replica has acknowledged

	source *Node[S]
	lane   *server.Lane
	acks   *server.Lane // of acknowledgements, once there is one
	broken bool
}

// IsPrimary reports whether the node takes itself for a primary.
func (n *Node[S]) IsPrimary() bool { return n.primary }

// Source returns the node that a replica follows, nil if it follows none.
func (n *Node[S]) Source() (source S) {
	if n.source != nil {
		source = n.source.Server
	}
	return source
}

// Copying reports whether the replica waits for a full copy of its source's data, and has its
// old data until then.
func (n *Node[S]) Copying() bool { return n.syncing }

// Lag returns the length of the part of its source's stream that the replica does not
// have yet.
func (n *Node[S]) Lag() int64 {
	if n.source == nil {
		return 0
	}
	return n.source.Position - n.Position
}

// StepDown makes the node not a primary any more.
func (n *Node[S]) StepDown() { n.primary = false }

// follow makes the node a replica of the source, with its data as it is.
func (n *Node[S]) follow(source *Node[S]) *Link[S] {
	n.primary, n.source = false, source
	l := &Link[S]{Replica: n, source: source, lane: server.NewLane(n.cluster.world, source.Actor, n.Actor)}
	source.Replicas = append(source.Replicas, l)
	n.Position = source.Position
	return l
}

// Leave ends the stream from the node's source; messages under way are lost.
func (n *Node[S]) Leave() {
	if n.source == nil {
		return
	}
	n.source.Replicas = slices.DeleteFunc(n.source.Replicas, func(l *Link[S]) bool {
		l.broken = l.broken || l.Replica == n
		return l.Replica == n
	})
	n.source, n.syncing = nil, false
}

// Resync makes the node follow the source, beginning with a full copy of its present data. What
// names the copy in events. Load is called when it has arrived.
func (n *Node[S]) Resync(source *Node[S], what string, load func()) *Link[S] {
	n.Leave()
	l := n.follow(source)
	n.Position, n.syncing = 0, true
	position := source.Position
	l.Send(what, func() {
		n.Position, n.syncing = position, false
		load()
	})
	return l
}

// Send sends a message to the replica. It is lost if the source crashes, or the stream ends, before
// it has arrived.
func (l *Link[S]) Send(what string, receive func()) {
	l.lane.Send(what, l.lost, func() {
		if !l.source.cluster.Holds {
			receive()
			return
		}
		l.Replica.Do(func() {
			if !l.broken {
				receive()
			}
		})
	})
}

// Ack sends a message of the replica to its source. It is lost if the source crashes, or the stream
// ends, before it has arrived.
func (l *Link[S]) Ack(what string, receive func()) {
	if l.acks == nil {
		l.acks = server.NewLane(l.source.cluster.world, l.Replica.Actor, l.source.Actor)
	}
	l.acks.Send(what, l.lost, receive)
}

func (l *Link[S]) lost() bool { return l.broken || l.source.Down() }

// Observe adds an observation of the node, with an event of the log. A node that takes itself for
// a primary is the authority.
func (n *Node[S]) Observe(o model.Observation) {
	o = n.Logged(o)
	if n.primary {
		o.Authority = o.Node
	}
	n.cluster.observe(o)
}
