package stage

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// Lengths are the classes of how long a fault lasts, or of how late a segment
// is: some that are fixed, and then those that go by how long a client waits.
type Lengths struct {
	Fixed    []time.Duration
	Timeouts sim.Timeouts
}

// Straddling are lengths that straddle the time-outs of clients as well: just over
// one, and between it and its double.
func Straddling(fixed ...time.Duration) Lengths {
	return Lengths{fixed, sim.Timeouts{Halves: []int{2, 3}, Usual: usualTimeout, Most: mostTimeout}}
}

// usualTimeout is how long a client is taken to wait that has set no time-out:
// as long as most versions of go-redis wait for an answer. Time-outs of more than
// mostTimeout are not gone by: runs would end before anybody has recovered.
const (
	usualTimeout = 3 * time.Second
	mostTimeout  = 20 * time.Second
)

// LongTimeout is how long clients wait for an answer that wait longest, if nobody
// has set how long: the newer versions of go-redis.
const LongTimeout = 5 * time.Second

// Count is how many classes there are.
func (l Lengths) Count() int { return len(l.Fixed) + len(l.Timeouts.Halves) }

// Of is the length of a class, for an actor to which an event is about to happen:
// what counts is how long the client waits whose segment it is, or the longest
// that anybody waits at the connections of the actor.
func (l Lengths) Of(class int, w *sim.World, a *sim.Actor, c *sim.Conn) time.Duration {
	if class < len(l.Fixed) {
		return l.Fixed[class]
	}
	timeout := time.Duration(0)
	if c != nil {
		timeout = c.Timeout()
	}
	if timeout == 0 {
		timeout = w.Network().Timeout(a)
	}
	return l.Timeouts.Length(class-len(l.Fixed), timeout)
}

// Longest is the most that one lasts where clients have set no time-out.
func (l Lengths) Longest() (most time.Duration) {
	for _, d := range l.Fixed {
		most = max(most, d)
	}
	for i := range l.Timeouts.Halves {
		most = max(most, l.Timeouts.Length(i, LongTimeout))
	}
	return most
}

// Texts say how long they are.
func (l Lengths) Texts() (words []string) {
	for _, d := range l.Fixed {
		words = append(words, d.String())
	}
	for _, halves := range l.Timeouts.Halves {
		words = append(words, map[int]string{2: "just over the client's time-out", 3: "one and a half times that"}[halves])
	}
	return words
}
