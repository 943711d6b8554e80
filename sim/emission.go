package sim

import (
	"cmp"
	"slices"
	"sync"
)

// emission is what a goroutine did to the world during a step: wrote a
// segment, set a timer, marked the history. Goroutines ran in any order;
// emissions are put into the canonical order (actor, lane, key, who, began, n)
// before any of them gets a latency, an event number or a decision, so that the
// scheduler's order leaves no trace.
type emission struct {
	actor *Actor
	lane  int64 // stream within the actor
	key   int64 // what it is, if n depends on the scheduler
	who   int64 // tells apart the goroutines that make one of the same key: see who
	began int64 // tells apart those of one starter: see beganIn
	n     int64 // number in the order of arrival
	apply func()
}

// Lanes of what is not a connection; those of connections are positive.
// History marks come before what is sent, so that what a mark begins is known
// to the segments that follow.
const (
	laneFailure int64 = laneMark - 1
	laneMark    int64 = -1 << 32 // plus the thread
	laneTurnFor int64 = -4       // waits for a turn among those that want the same
	laneTurn    int64 = -3       // waits for a turn
	laneStep    int64 = -2       // steps and clock timers
	laneDial    int64 = -1       // dials
)

// compareEmissions is the canonical order.
func compareEmissions(a, b emission) int {
	switch {
	case a.actor != b.actor:
		return cmp.Compare(a.actor.id, b.actor.id)
	case a.lane != b.lane:
		return cmp.Compare(a.lane, b.lane)
	case a.key != b.key:
		return cmp.Compare(a.key, b.key)
	case a.who != b.who:
		return cmp.Compare(a.who, b.who)
	case a.began != b.began:
		return cmp.Compare(a.began, b.began)
	}
	return cmp.Compare(a.n, b.n)
}

// emit hands f to the conductor, which calls it when the step is over, in
// canonical order. Any goroutine of the run may call it.
func (a *Actor) emit(lane, key int64, f func()) { a.emitFor(0, lane, key, f) }

// emitFor is emit on behalf of a goroutine, which sorts emissions of one key: see [who].
func (a *Actor) emitFor(who, lane, key int64, f func()) {
	a.put(emission{lane: lane, key: key, who: who, apply: f})
}

// put puts an emission of the actor's into the inbox.
func (a *Actor) put(e emission) {
	e.actor = a
	a.world.inbox.put(e)
	a.world.bubble.wake()
}

// inbox collects the emissions of a step.
type inbox struct {
	mu    sync.Mutex
	n     int64      // emissions so far
	list  []emission // those since the last take
	spare []emission // memory of those that were taken
}

// put adds an emission.
func (in *inbox) put(e emission) {
	in.mu.Lock()
	in.n++
	e.n = in.n
	in.list = append(in.list, e)
	in.mu.Unlock()
}

// take returns the emissions since the last call, in canonical order. The
// slice is good until the next call.
func (in *inbox) take() []emission {
	in.mu.Lock()
	list := in.list
	in.list, in.spare = in.spare[:0], list
	in.mu.Unlock()
	if len(list) > 1 {
		slices.SortFunc(list, compareEmissions)
	}
	return list
}

// empty reports whether nothing has been put since the last take.
func (in *inbox) empty() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	return len(in.list) == 0
}
