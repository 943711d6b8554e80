package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// lengths are the classes of how long a fault lasts, or of how late a segment
// is: some that are fixed, and then those that go by how long a client waits.
type lengths struct {
	fixed    []time.Duration
	timeouts sim.Timeouts
}

// by are lengths that straddle the time-outs of clients as well: just over one,
// and between it and its double.
func by(fixed ...time.Duration) lengths {
	return lengths{fixed, sim.Timeouts{Halves: []int{2, 3}, Usual: usualTimeout, Most: mostTimeout}}
}

// usualTimeout is how long a client is taken to wait that has set no time-out:
// as long as most versions of go-redis wait for an answer. Time-outs of more than
// mostTimeout are not gone by: runs would end before anybody has recovered.
const (
	usualTimeout = 3 * time.Second
	mostTimeout  = 20 * time.Second
)

// classes is how many there are.
func (l lengths) classes() int { return len(l.fixed) + len(l.timeouts.Halves) }

// length is the one of a class, for an actor to which an event is about to
// happen: what counts is how long the client waits whose segment it is, or the
// longest that anybody waits at the connections of the actor.
func (l lengths) length(class int, w *sim.World, a *sim.Actor, c *sim.Conn) time.Duration {
	if class < len(l.fixed) {
		return l.fixed[class]
	}
	timeout := time.Duration(0)
	if c != nil {
		timeout = c.Timeout()
	}
	if timeout == 0 {
		timeout = w.Network().Timeout(a)
	}
	return l.timeouts.Length(class-len(l.fixed), timeout)
}

// longest is the most that one lasts where clients wait no longer than go-redis
// does.
func (l lengths) longest() (most time.Duration) {
	for _, d := range l.fixed {
		most = max(most, d)
	}
	for i := range l.timeouts.Halves {
		most = max(most, l.timeouts.Length(i, readTimeout))
	}
	return most
}

// texts say how long they are.
func (l lengths) texts() (words []string) {
	for _, d := range l.fixed {
		words = append(words, d.String())
	}
	for _, halves := range l.timeouts.Halves {
		words = append(words, map[int]string{2: "just over the client's time-out", 3: "one and a half times that"}[halves])
	}
	return words
}

// nearlyLease is when a lease is nearly over: there is time enough for another
// client to have had the lock, and whoever looks at the clock still believes in
// the lease.
func nearlyLease(p Params) time.Duration { return p.TTL * 9 / 10 }

// pauseLengths are how long a client pauses: past a lease; past the half of it;
// past go-redis's read timeouts as well; and not quite as long as a lease.
func pauseLengths(p Params) lengths {
	return by(p.TTL*5/4, p.TTL/2, p.TTL+readTimeout, nearlyLease(p))
}

// hangLengths are for how long a node hangs: past a lease and go-redis's read
// timeout; past a lease alone; past all tries of a command together, which are
// four; and not quite as long as a lease.
func hangLengths(p Params) lengths {
	return by(p.TTL+readTimeout, p.TTL*5/4, p.TTL+4*readTimeout, nearlyLease(p))
}

// partitionLengths are shorter than a lease, longer, and longer than go-redis
// waits for an answer, too; and not quite as long as a lease.
func partitionLengths(p Params) lengths {
	return by(p.TTL/2, p.TTL*5/4, p.TTL+readTimeout, nearlyLease(p))
}

// readTimeout is how long go-redis waits for an answer, in the versions that
// wait longest.
const readTimeout = 5 * time.Second
