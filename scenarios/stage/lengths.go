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

// Straddling are the given lengths and those that straddle what clients count on:
// just under a lease, just under and just over half of one, and just under and just
// over once and twice the time-out of the client in use. What is just over a lease is
// among the given ones.
func (t Timing) Straddling(p Params, lengths ...time.Duration) Lengths {
	lengths = append(lengths, p.TTL*9/10, p.TTL*11/20, p.TTL*9/20)
	return Lengths{lengths, sim.Timeouts{Percent: []int{95, 100, 195, 200}, Usual: t.Usual, Most: mostTimeout}}
}

// timeoutTexts say what the lengths are that go by time-outs.
var timeoutTexts = map[int]string{
	95:  "just under the client's time-out",
	100: "just over it",
	195: "just under twice that",
	200: "just over twice that",
}

// mostTimeout is the longest time-out that is gone by: with longer ones, runs would
// end before anybody has recovered.
const mostTimeout = 20 * time.Second

// Count is how many classes there are.
func (l Lengths) Count() int { return len(l.Fixed) + len(l.Timeouts.Percent) }

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

// Longest is the most that one lasts, for clients that wait so long for an answer.
func (l Lengths) Longest(timeout time.Duration) (most time.Duration) {
	for _, d := range l.Fixed {
		most = max(most, d)
	}
	for i := range l.Timeouts.Percent {
		most = max(most, l.Timeouts.Length(i, timeout))
	}
	return most
}

// Texts say how long they are.
func (l Lengths) Texts() (words []string) {
	for _, d := range l.Fixed {
		words = append(words, d.String())
	}
	for _, percent := range l.Timeouts.Percent {
		words = append(words, timeoutTexts[percent])
	}
	return words
}
