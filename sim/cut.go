package sim

import (
	"strings"
	"time"
)

// cut is a way on which nothing passes, and what it holds.
type cut struct {
	segments []*segment
	resets   []func() // each sends the word of a reset on
}

// Cut holds all segments from one actor to another from now on.
func (n *Network) Cut(from, to *Actor) {
	if n.sever(from, to) {
		n.world.fault(Fault{Event: Event{Actor: from.name, Peer: to.name}, Kind: FaultCut})
	}
}

// Heal ends a cut and sends on what it held, in the order in which it came.
func (n *Network) Heal(from, to *Actor) {
	if n.cuts[route{from, to}] != nil {
		n.world.fault(Fault{Event: Event{Actor: from.name, Peer: to.name}, Kind: FaultHeal})
		n.mend(from, to)
	}
}

// A Partition parts the actors of two sides from each other: nothing passes
// between them in the direction that is held. Within a side everything does.
type Partition struct {
	A, B []*Actor
	Held Direction
}

// Direction is what a partition holds.
type Direction int

// The directions.
const (
	BothWays Direction = iota
	FromAToB
	FromBToA
)

// String names the sides: "redis1, c1 | redis2, c2", or with an arrow if only
// what goes that way is held.
func (p Partition) String() string {
	between := [...]string{BothWays: " | ", FromAToB: " -> ", FromBToA: " <- "}[p.Held]
	return names(p.A) + between + names(p.B)
}

func names(list []*Actor) string {
	words := make([]string, len(list))
	for i, a := range list {
		words[i] = a.name
	}
	return strings.Join(words, ", ")
}

// ways calls f for every way that the partition cuts.
func (p Partition) ways(f func(from, to *Actor)) {
	for _, a := range p.A {
		for _, b := range p.B {
			if p.Held != FromBToA {
				f(a, b)
			}
			if p.Held != FromAToB {
				f(b, a)
			}
		}
	}
}

// Part makes a partition, which is one fault, of the first actor of side A. D
// is how long it will last, for people; [Network.Unite] ends it.
func (n *Network) Part(p Partition, d time.Duration) {
	p.ways(func(from, to *Actor) { n.sever(from, to) })
	n.world.fault(Fault{Event: Event{Actor: p.A[0].name}, Kind: FaultPartition, For: d, Sides: &p})
}

// Unite ends a partition: what it held is sent on.
func (n *Network) Unite(p Partition) {
	n.world.fault(Fault{Event: Event{Actor: p.A[0].name}, Kind: FaultUnited, Sides: &p})
	p.ways(n.mend)
}

// sever cuts a way and answers whether it was whole.
func (n *Network) sever(from, to *Actor) bool {
	way := route{from, to}
	whole := n.cuts[way] == nil
	if whole {
		n.cuts[way] = &cut{}
	}
	return whole
}

// mend makes a way whole again and sends on what was held.
func (n *Network) mend(from, to *Actor) {
	c := n.cuts[route{from, to}]
	if c == nil {
		return
	}
	delete(n.cuts, route{from, to})
	for _, s := range c.segments {
		s.due = n.world.now + n.link.Base
	}
	for _, s := range c.segments {
		if s.event.index < 0 { // else it was sent again with another
			s.pipe.resend()
		}
	}
	for _, again := range c.resets {
		again()
	}
}

// held keeps a segment back if its way is cut.
func (n *Network) held(s *segment) bool {
	c := n.cuts[route{s.pipe.from, s.pipe.to}]
	if c != nil {
		c.segments = append(c.segments, s)
	}
	return c != nil
}

// tell schedules the word of a reset, from one end of a connection to the
// other, a base latency from now. If the way is cut by then it waits, since
// nobody can tell a broken connection from one that is cut off.
func (n *Network) tell(from, to *Actor, vital bool, fire func()) {
	w := n.world
	w.schedule(&pending{at: w.now + n.link.Base, kind: EventReset, actor: to, vital: vital, fire: func() {
		if c := n.cuts[route{from, to}]; c != nil {
			c.resets = append(c.resets, func() { n.tell(from, to, vital, fire) })
			return
		}
		fire()
	}})
}
