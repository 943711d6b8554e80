package simetcd

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// forPeer is the name of what a member does for another one of the cluster.
const forPeer = "peer"

// Meter sets the function that says how long each message of a client takes the member, by the name of its
// method: "Range", "Txn", "LeaseKeepAlive", "Watch". Members of a cluster call it with the name
// "peer", too: a follower for each entry of the log that it accepts, and the leader for each
// request that a follower passes on. So a write takes the member that the client is connected
// to, the leader and every follower their time. Acknowledgements, commits and heartbeats,
// with which reads are confirmed, take none.
//
// A member serves one message at a time, in the order of their arrival. Without a meter
// messages take no time.
func (n *Node) Meter(time func(request string) time.Duration) { n.meter = time }

// serve lets the member take its time for a request of a client's task, nil if it is nobody's.
func (n *Node) serve(request string, t *sim.Task) {
	n.world.Served(t, request)
	if n.meter != nil {
		n.Serve(n.meter(request))
	}
}
