package sim

import (
	"slices"
	"sync"
)

// Turn blocks until it is the caller's turn. It is for goroutines of a process
// whose next action shows which of them was first, such as a draw from math/rand.
// Of those that call it in one step the first goes on at once, and each of the
// others by an event of its own; a single caller does not wait. The order is by
// about (an address or a name), then by the last failure ([FailedOn]), the number
// of calls, and the workload or timer that started the goroutine. Any goroutine of
// the process may call it.
func (p *Process) Turn(about string) {
	if p.world.draining() {
		return
	}
	p.awaitTurn(laneTurn, int64(hashUint(uint64(keyOf(about, FailedOn())), countTurn())>>1))
}

// TurnFor is Turn for goroutines that are about to use one resource, such as a pool
// of connections. Only callers that name the same thing in one step wait for each
// other. Their order is by the workload that started them and by their last
// failure, so no caller waits in a process without threads ([ProcessOptions]). Any
// goroutine of the process may call it.
func (p *Process) TurnFor(thing string) {
	if p.threads == nil {
		return
	}
	p.awaitTurnIn(laneTurnFor, keyOf(thing, FailedOn()), keyOf(thing, 0))
}

// turnCounts maps the number of a goroutine to how often it has asked for its turn.
var turnCounts sync.Map

// countTurn counts the calling goroutine's requests for a turn.
func countTurn() uint64 {
	g := me()
	before, _ := turnCounts.Load(g)
	n, _ := before.(uint64)
	turnCounts.Store(g, n+1)
	return n
}

// awaitTurn is Turn for what the lane and the key say.
func (p *Process) awaitTurn(lane, key int64) { p.awaitTurnIn(lane, key, 0) }

// awaitTurnIn blocks until it is the caller's turn among those of the same line.
func (p *Process) awaitTurnIn(lane, key, line int64) {
	w := p.world
	mine := make(chan struct{})
	p.emitFor(who(), lane, key, func() {
		if len(p.lines) == 0 {
			w.turnTakers = append(w.turnTakers, p)
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

// turns are the goroutines of one line that have asked for their turn in the present
// step.
type turns struct {
	line int64 // 0 for [Process.Turn]
	list []chan struct{}
}

// grant lets the goroutines go on that have asked for their turn in the present step.
func (w *World) grant() {
	for _, p := range w.turnTakers {
		lines := p.lines
		p.lines = nil
		for _, l := range lines {
			p.takeTurns(l.list)
		}
	}
	w.turnTakers = w.turnTakers[:0]
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
