package stage

import (
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// Lengths are classes of the length of a fault, or of the delay of a segment: first
// fixed ones, then those relative to the client's time-out.
type Lengths struct {
	Fixed    []time.Duration
	Timeouts sim.Timeouts
}

// Straddling adds lengths around the limits that clients rely on: just under a lease, just
// under and over half a lease, and just under and over once and twice the client's
// time-out. The given lengths include one that is just over a lease.
func (t Timing) Straddling(p Params, lengths ...time.Duration) Lengths {
	lengths = append(lengths, p.TTL*9/10, p.TTL*11/20, p.TTL*9/20)
	return Lengths{lengths, sim.Timeouts{Percent: []int{95, 100, 195, 200}, Usual: t.Usual, Most: mostTimeout}}
}

// timeoutTexts describe the lengths relative to the time-out.
var timeoutTexts = map[int]string{
	95:  "just under the client's time-out",
	100: "just over it",
	195: "just under twice that",
	200: "just over twice that",
}

// mostTimeout is the longest time-out that lengths relate to: with a longer one, runs
// would end before clients have recovered.
const mostTimeout = 20 * time.Second

// Count returns the number of classes.
func (l Lengths) Count() int { return len(l.Fixed) + len(l.Timeouts.Percent) }

// Of returns the length of a class for an actor whose event is next. The time-out is that of
// the segment's client or, without a segment, the longest on the actor's connections.
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

// Longest returns the greatest length, for clients with the given time-out.
func (l Lengths) Longest(timeout time.Duration) (most time.Duration) {
	for _, d := range l.Fixed {
		most = max(most, d)
	}
	for i := range l.Timeouts.Percent {
		most = max(most, l.Timeouts.Length(i, timeout))
	}
	return most
}

// Texts describe the lengths.
func (l Lengths) Texts() (words []string) {
	for _, d := range l.Fixed {
		words = append(words, d.String())
	}
	for _, percent := range l.Timeouts.Percent {
		words = append(words, timeoutTexts[percent])
	}
	return words
}
