package sim

import (
	"strings"
	"time"
)

// A Partition separates the actors of two sides: nothing passes between them in the
// held direction. Within a side everything passes.
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

// String names the sides: "n1, c1 | n2, c2", or with an arrow if only
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

// ways calls f for every route that the partition cuts.
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

// Part begins a partition. It is one fault, of the first actor of side A. D is its
// length, for the log; [Network.Unite] ends it.
func (n *Network) Part(p Partition, d time.Duration) {
	p.ways(func(from, to *Actor) { n.sever(from, to) })
	n.world.fault(Fault{Event: Event{Actor: p.A[0].name}, Kind: FaultPartition, For: d, Sides: &p})
}

// Unite ends a partition: what it held is sent on.
func (n *Network) Unite(p Partition) {
	n.world.fault(Fault{Event: Event{Actor: p.A[0].name}, Kind: FaultUnited, Sides: &p})
	p.ways(n.mend)
}
