package sim

import "time"

// Timeouts are lengths of faults that go by how long a client waits: bugs lie
// just short of a time-out, when the answer is used that comes last; just beyond
// it, when the client has given up and asks again; and short of and beyond its
// double, when what comes late meets the next request. How long clients wait
// is learnt from what they set on their connections.
type Timeouts struct {
	// Percent are the lengths, each as a share of the time-out. One of 100 is just
	// over it, since latencies come on top.
	Percent []int
	// Usual is what counts as the time-out where the client has set none, or one
	// of more than Most.
	Usual, Most time.Duration
}

// Length is the i-th length, with a time-out that a client has set, 0 if it has
// set none.
func (t Timeouts) Length(i int, timeout time.Duration) time.Duration {
	if timeout == 0 || timeout > t.Most {
		timeout = t.Usual
	}
	return timeout * time.Duration(t.Percent[i]) / 100
}

// Timeout is the longest read time-out that clients have set on the open
// connections in which the actor takes part ([Conn.Timeout]), 0 if there is
// none.
func (n *Network) Timeout(a *Actor) (longest time.Duration) {
	for _, c := range n.Conns(a) {
		longest = max(longest, c.Timeout())
	}
	return longest
}
