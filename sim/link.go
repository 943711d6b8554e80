package sim

import (
	"slices"
	"time"
)

// Link gives the travel times of segments.
type Link struct {
	// Base is the latency of a calm segment, one way. Jitter is the most that
	// a Latency decision adds to it, in JitterSteps steps.
	Base, Jitter time.Duration
	// Quantile, if set, replaces Base and Jitter: the latencies have the distribution whose
	// inverse it is. Its argument is greater than 0 and less than 1; a Latency decision
	// chooses it among 65,536 evenly spaced numbers, of which the least is calm.
	Quantile func(q float64) time.Duration
	// Late are the ways in which segments may be held back. They are tried in
	// order, until one holds the segment back.
	Late []Lateness
}

// Lateness is one way in which segments may be late: which segments, by how much,
// and how many.
type Lateness struct {
	// Kind is the kind of its decisions, [Delay] if empty.
	Kind Kind
	// Of reports whether segments may be late, by sender and receiver (nil if the
	// address has no listener); a nil Of means that all may.
	Of func(from, to *Actor) bool
	// By are the delay classes: how much later than otherwise a held-back
	// segment arrives.
	By []time.Duration
	// Timeouts are more classes, after those of By. They are relative to the
	// timeout of the client at one end of the segment: of its reads
	// ([Conn.Timeout]), or of its dial.
	Timeouts Timeouts
	// Budget is the most segments of a run that may be held back, and Odds how rare
	// that is for a random tape ([Decision].Odds).
	Budget, Odds int
}

// classes returns how many delay classes there are.
func (l *Lateness) classes() int { return len(l.By) + len(l.Timeouts.Percent) }

// class returns the length of the i-th delay class, for a client's timeout.
func (l *Lateness) class(i int, timeout time.Duration) time.Duration {
	if i < len(l.By) {
		return l.By[i]
	}
	return l.Timeouts.Length(i-len(l.By), timeout)
}

// asks reports whether a segment may be held back.
func (l *Lateness) asks(from, to *Actor) bool {
	return l.Budget > 0 && (l.Of == nil || l.Of(from, to))
}

// JitterSteps is the number of options of a Latency decision.
const JitterSteps = 32

// quantileSteps is the number of options of a Latency decision for a [Link] with a
// Quantile.
const quantileSteps = 1 << 16

// SetLink sets the latencies of all segments from now on.
func (n *Network) SetLink(l Link) {
	l.Late = slices.Clone(l.Late) // the budgets are used up here
	n.link = l
}

// OnReceive makes the conductor call f for each segment with data that arrives at an open
// end of a connection, in the order of arrival. At is the client process or the server. F
// replaces an earlier function.
func (n *Network) OnReceive(f func(at *Actor)) { n.received = f }

// latency asks the tape how long a segment travels, and whether it is held back.
// Timeout is the timeout of the client at one of its ends, 0 if it has set none or
// neither end is a client.
func (n *Network) latency(from, to *Actor, timeout time.Duration, t *Task) (d time.Duration, late bool) {
	w := n.world
	w.travelling = to
	strike := w.effects.strike
	defer func() { w.travelling, w.effects.strike = nil, strike }()
	w.effects.segment = nil
	d = n.link.time(func(options int) int {
		step := w.Choose(Decision{Kind: Latency, Actor: from.name, Options: options, Candidates: w.linkCandidate(from, to)})
		w.effects.inSegment(step, len(w.choices))
		return step
	})
	for i := range n.link.Late {
		if by := n.hold(&n.link.Late[i], from, to, timeout, t); by > 0 {
			return d + by, true
		}
	}
	return d, false
}

// time returns the latency of a segment that is not late. Choose returns one of the given number
// of options.
func (l *Link) time(choose func(options int) int) time.Duration {
	switch {
	case l.Quantile != nil:
		return l.Quantile((float64(choose(quantileSteps)) + 0.5) / quantileSteps)
	case l.Jitter > 0:
		return l.Base + l.Jitter*time.Duration(choose(JitterSteps))/(JitterSteps-1)
	}
	return l.Base
}

// linkCandidate returns the sender and the receiver of a segment as the candidate of a
// decision.
func (w *World) linkCandidate(from, to *Actor) []Candidate {
	c := Candidate{From: from.id, To: -1}
	if to != nil {
		c.To = to.id
	}
	w.candidateBuffer = append(w.candidateBuffer[:0], c)
	return w.candidateBuffer
}

// hold asks the tape whether a segment is late in one of the ways, and by how
// much.
func (n *Network) hold(l *Lateness, from, to *Actor, timeout time.Duration, t *Task) time.Duration {
	if !l.asks(from, to) {
		return 0
	}
	kind := l.Kind
	if kind == "" {
		kind = Delay
	}
	class := n.world.Choose(Decision{Kind: kind, Actor: from.name, Options: 1 + l.classes(), Odds: l.Odds})
	if class == 0 {
		return 0
	}
	n.world.effects.inSegment(class, len(n.world.choices))
	n.world.effects.strike = len(n.world.choices)
	l.Budget--
	by := l.class(class-1, timeout)
	n.world.fault(Fault{Event: Event{Actor: from.name}, Kind: FaultLate, For: by, Task: t})
	return by
}

// Timeouts are lengths of faults relative to a client's timeout. Bugs lie just
// short of a timeout, where the client uses a late answer; just beyond it, where it
// has given up and asks again; and around twice the timeout, where a late segment
// meets the next request. The timeouts are those that clients set on their
// connections.
type Timeouts struct {
	// Percent are the lengths, each as a percentage of the timeout. 100 is just
	// over it, since latencies are added.
	Percent []int
	// Usual replaces the timeout if the client has set none, or one longer than Most.
	Usual, Most time.Duration
}

// Length returns the i-th length for a client's timeout, which is 0 if it has set none.
func (t Timeouts) Length(i int, timeout time.Duration) time.Duration {
	if timeout == 0 || timeout > t.Most {
		timeout = t.Usual
	}
	return timeout * time.Duration(t.Percent[i]) / 100
}

// Timeout returns the longest read timeout that clients have set on the actor's open
// connections ([Conn.Timeout]), 0 if there is none.
func (n *Network) Timeout(a *Actor) (longest time.Duration) {
	for _, c := range n.Conns(a) {
		longest = max(longest, c.Timeout())
	}
	return longest
}
