package forecast

import (
	"container/heap"
	"time"
)

// event is an action at a time, unless it is void by then.
type event struct {
	at     time.Duration
	number int // in the order of creation: of two at one time, the first comes first
	do     func()
	void   bool
}

// events is a heap of events.
type events []*event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	if e[i].at != e[j].at {
		return e[i].at < e[j].at
	}
	return e[i].number < e[j].number
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(*event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// clock is virtual time.
type clock struct {
	now   time.Duration
	list  events
	count int
}

// at schedules an action at a time.
func (c *clock) at(when time.Duration, do func()) *event {
	c.count++
	e := &event{at: max(when, c.now), number: c.count, do: do}
	heap.Push(&c.list, e)
	return e
}

// after schedules an action after a duration.
func (c *clock) after(d time.Duration, do func()) *event { return c.at(c.now+d, do) }

// run goes from event to event until it is over.
func (c *clock) run(over func() bool) {
	for !over() && len(c.list) > 0 {
		e := heap.Pop(&c.list).(*event)
		if !e.void {
			c.now = e.at
			e.do()
		}
	}
}
