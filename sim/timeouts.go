package sim

import "time"

// Timeouts are lengths of faults relative to a client's timeout. Bugs lie just
// short of a timeout, where the client uses a late answer; just beyond it, where it
// has given up and asks again; and around twice the timeout, where a late segment
// meets the next request. The timeouts are those that clients set on their
// connections.
type Timeouts struct {
	// Percent are the lengths, each as a percentage of the timeout. 100 is just
	// over it, since latencies are added.
	Percent []int
	// Usual stands for the timeout if the client has set none, or one longer than
	// Most.
	Usual, Most time.Duration
}

// Length is the i-th length for a client's timeout, 0 if it has set none.
func (t Timeouts) Length(i int, timeout time.Duration) time.Duration {
	if timeout == 0 || timeout > t.Most {
		timeout = t.Usual
	}
	return timeout * time.Duration(t.Percent[i]) / 100
}

// Timeout is the longest read timeout that clients have set on the actor's open
// connections ([Conn.Timeout]), 0 if there is none.
func (n *Network) Timeout(a *Actor) (longest time.Duration) {
	for _, c := range n.Conns(a) {
		longest = max(longest, c.Timeout())
	}
	return longest
}
