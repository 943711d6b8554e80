package sim

import (
	"sync/atomic"
	"time"
)

// pending is an event that has not happened yet.
type pending struct {
	at    time.Duration // a whole number of windows
	order int64         // of scheduling; breaks ties
	index int           // in the heap, -1 if it is in none

	serial int64 // its name in the trail: the first order that it had
	cause  int   // the step that scheduled it
	nth    int   // of those that it scheduled

	kind  EventKind
	actor *Actor
	from  *Actor // who sent or scheduled it
	// lane, if not zero, is a FIFO that the event belongs to: it may not
	// overtake an earlier event of the same lane.
	lane int64
	// gated events wait while their process is paused.
	gated bool
	// vital events are waited for when the workloads are done: segments in
	// flight, faults that have not ended.
	vital bool
	// awaited events have goroutines that wait for them. When the run ends
	// before they happen, they are fired to let these go.
	awaited bool
	// asked is how many of the injectors have been asked about the event.
	asked int
	// cancelled may be set by any goroutine; the conductor looks only when
	// all are quiet.
	cancelled atomic.Bool
	fire      func()
	segment   *segment // that arrives, instead of fire
	// Of recorded runs: the choice by which the fault struck that this is a part
	// of, and those that show in the event. Choices are counted from 1.
	strike int
	shows  []int
}

// happen is the event itself.
func (p *pending) happen() {
	if p.segment != nil {
		p.segment.land()
		return
	}
	p.fire()
}

// Cancel makes the event not happen. Any goroutine of the run may call it,
// more than once. It stays in the queue until its time has come, so it is not
// for vital events: the conductor, which may take events out, discards those.
func (p *pending) Cancel() { p.cancelled.Store(true) }

// held reports whether the event has to wait until its process goes on.
func (p *pending) held() bool {
	return p.gated && p.actor.process != nil && p.actor.process.paused
}

// queue is a heap of pending events, earliest first. Those that are due in the
// same window are in the order of whom they happen to, then of whom they come
// from: an order that does not depend on the order of what went before, but
// for what the two have done themselves.
type queue []*pending

func (q queue) less(i, j int) bool {
	a, b := q[i], q[j]
	switch {
	case a.at != b.at:
		return a.at < b.at
	case a.actor != b.actor:
		return a.actor.id < b.actor.id
	case a.from != b.from:
		return a.from.id < b.from.id
	}
	return a.order < b.order
}

func (q queue) swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}

func (q *queue) add(p *pending) {
	p.index = len(*q)
	*q = append(*q, p)
	q.up(p.index)
}

func (q *queue) remove(p *pending) {
	i, last := p.index, len(*q)-1
	if i < 0 {
		return
	}
	if i < last {
		q.swap(i, last)
	}
	(*q)[last] = nil
	*q = (*q)[:last]
	if i < last && !q.down(i) {
		q.up(i)
	}
	p.index = -1
}

// up and down bring an event to its place, as container/heap does; that works
// by an interface, which takes twice the time.
func (q queue) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !q.less(i, parent) {
			break
		}
		q.swap(i, parent)
		i = parent
	}
}

func (q queue) down(i int) (moved bool) {
	for child := 2*i + 1; child < len(q); child = 2*i + 1 {
		if child+1 < len(q) && q.less(child+1, child) {
			child++
		}
		if !q.less(child, i) {
			break
		}
		q.swap(i, child)
		i, moved = child, true
	}
	return moved
}

// first returns the earliest event that is not cancelled, or nil, and
// discards cancelled ones on the way.
func (q *queue) first() *pending {
	for len(*q) > 0 {
		p := (*q)[0]
		if !p.cancelled.Load() {
			return p
		}
		q.remove(p)
	}
	return nil
}

// crowded reports whether any event but the earliest may be due by t. It
// looks at the two that can be the second in a heap.
func (q queue) crowded(t time.Duration) bool {
	return len(q) > 1 && q[1].at <= t || len(q) > 2 && q[2].at <= t
}
