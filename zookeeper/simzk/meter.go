package simzk

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// forPeer is the name of the work that a server does for another one of the ensemble.
const forPeer = "peer"

// Meter sets the function that returns how long each request takes the server, given its name as in
// ZooKeeper's documentation: "create", "getChildren2", "ping", "createSession". A multi is one request.
// Servers of an ensemble call it with the name "peer", too: a follower for each transaction that it
// accepts, and the leader for each request that a follower passes on. So a write takes time at the server
// that the client is connected to, at the leader and at every follower. Acknowledgements, commits and
// pings between servers take none.
//
// A server serves one request at a time, in the order of their arrival. Without a meter
// requests take no time.
func (n *Node) Meter(time func(request string) time.Duration) { n.meter = time }

// serve makes the server spend the time of a request on it. The task is the client's; it is
// nil if the request is nobody's.
func (n *Node) serve(request string, t *sim.Task) {
	n.world.Served(t, request)
	if n.meter != nil {
		n.Serve(n.meter(request))
	}
}
