package simetcd

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// forPeer is the name of the work that a member does for another one of the cluster.
const forPeer = "peer"

// Meter sets the function that returns how long each message of a client takes the member, given the name
// of its method: "Range", "Txn", "LeaseKeepAlive", "Watch". Members of a cluster call it with the name
// "peer", too: a follower for each entry of the log that it accepts, and the leader for each request that
// a follower passes on. So a write takes time at the member that the client is connected to, at the leader
// and at every follower. Acknowledgements, commits and heartbeats, with which reads are confirmed, take
// none.
//
// A member serves one message at a time, in the order of their arrival. Without a meter
// messages take no time.
func (n *Node) Meter(time func(request string) time.Duration) { n.meter = time }

// serve makes the member spend the time of a request on it. The task is the client's; it is
// nil if the request is nobody's.
func (n *Node) serve(request string, t *sim.Task) {
	n.world.Served(t, request)
	if n.meter != nil {
		n.Serve(n.meter(request))
	}
}
