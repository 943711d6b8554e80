package sim

import (
	"slices"
	"sync"
)

// Turn is for goroutines of a process that may do something at the same instant
// which leaves a mark of who was first, such as drawing from math/rand: it blocks
// until it is the caller's turn. Of those that call it in one step the first goes
// on at once and each of the others by an event of its own, in the order of what
// it is about; to who calls it alone nothing happens. About is an address or a
// name; several about the same are told apart by what they have failed on (see
// [FailedOn]), by how often they have called it, and by the workload or timer that
// has started them. Any goroutine of the process may
// call it.
func (p *Process) Turn(about string) {
	p.turn(laneTurn, int64(hashUint(uint64(dialKey(about, FailedOn())), oftenTurned())>>1))
}

// TurnFor is Turn for goroutines that are about to use the same thing, such as a pool
// of connections, and where who comes first gets another than who comes next: only
// those of one step that name the same thing wait for each other. They are told apart
// by the workload that has started them and by what they have failed on, so nobody
// waits in a process without threads ([ProcessOptions]). Any goroutine of the process
// may call it.
func (p *Process) TurnFor(thing string) {
	if p.threads == nil {
		return
	}
	p.await(laneTurnFor, dialKey(thing, FailedOn()), dialKey(thing, 0))
}

// turned is how often a goroutine has asked for its turn, by its own number.
var turned sync.Map

// oftenTurned counts the calling goroutine's requests for a turn.
func oftenTurned() uint64 {
	me := goroutine()
	before, _ := turned.Load(me)
	n, _ := before.(uint64)
	turned.Store(me, n+1)
	return n
}

// turn is Turn for what the lane and the key say.
func (p *Process) turn(lane, key int64) { p.await(lane, key, 0) }

// await blocks until it is the caller's turn among those of the same line.
func (p *Process) await(lane, key, line int64) {
	w := p.world
	mine := make(chan struct{})
	p.emitFor(who(), lane, key, func() {
		if len(p.lines) == 0 {
			w.turning = append(w.turning, p)
		}
		at := slices.IndexFunc(p.lines, func(l turns) bool { return l.line == line })
		if at < 0 {
			at = len(p.lines)
			p.lines = append(p.lines, turns{line: line})
		}
		p.lines[at].list = append(p.lines[at].list, mine)
	})
	select {
	case <-mine:
	case <-w.ended:
	}
}

// turns are those who have asked for their turn in the present step, in one line.
type turns struct {
	line int64 // 0 for [Process.Turn]
	list []chan struct{}
}

// grant lets those go on who have asked for their turn in the present step.
func (w *World) grant() {
	for _, p := range w.turning {
		lines := p.lines
		p.lines = nil
		for _, l := range lines {
			p.takeTurns(l.list)
		}
	}
	w.turning = w.turning[:0]
}

// takeTurns lets goroutines go on, the first at once and each of the others by an
// event of its own.
func (p *Process) takeTurns(turns []chan struct{}) {
	if len(turns) == 0 {
		return
	}
	close(turns[0])
	if len(turns) == 1 {
		return
	}
	w := p.world
	w.schedule(&pending{at: w.now, kind: EventStep, actor: p.Actor, gated: true, fire: func() {
		w.Log(Event{Kind: EventStep, Actor: p.name, Detail: "goes on"})
		p.takeTurns(turns[1:])
	}})
}
