package history

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// event is something that has a stamp.
type event struct {
	stamp int64
	class class
	// target is set to its number.
	target *int64
}

// class orders events of one stamp; see [Read].
type class uint8

const (
	lapse         class = iota // the end of a lease
	earlierReturn              // the return of an operation called before this stamp
	instantCall                // the call of an operation that returns at this stamp
	queueing                   // a known instant of queueing
	instantReturn
	laterCall
)

// history orders the operations and numbers their events.
func (c *collection) history(uncertainty int64) (*History, error) {
	if err := c.oneAtATime(); err != nil {
		return nil, err
	}
	h := &History{Calls: make([]model.Call, len(c.lines)), Origins: make([]Origin, len(c.lines)), Annotations: c.notes}
	order := make([]int32, len(c.lines))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(c.lines[a].call.Call, c.lines[b].call.Call) })
	place := make([]int, len(c.lines)+1)
	for at, i := range order {
		l := &c.lines[i]
		place[i+1] = at + 1
		h.Calls[at] = l.call
		h.Calls[at].ID = at + 1
		h.Origins[at] = Origin{File: l.file, Line: l.number, Call: l.call.Call, Return: l.call.Return, Until: l.call.Until}
	}
	for i := range h.Calls {
		h.Calls[i].Of = place[h.Calls[i].Of] // place[0] is 0
	}
	h.number(uncertainty)
	return h, nil
}

// oneAtATime returns an error if a thread of a client calls while its previous call is
// under way: holds and queues are identified by their caller.
func (c *collection) oneAtATime() error {
	type thread struct {
		client string
		number int
	}
	last := make(map[thread]int32)
	order := make([]int32, len(c.lines))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int {
		one, two := &c.lines[a].call, &c.lines[b].call
		return cmp.Or(cmp.Compare(one.Call, two.Call), cmp.Compare(one.Return, two.Return))
	})
	for _, i := range order {
		l := &c.lines[i]
		if l.call.Op == model.Crash || l.call.Op == model.Expire {
			continue // nobody calls these
		}
		who := thread{l.call.Client, l.call.Thread}
		if j, ok := last[who]; ok {
			before := &c.lines[j]
			if l.call.Call < before.call.Return {
				return &LineError{File: l.file, Line: l.number, Problem: fmt.Sprintf(
					"%s calls %s at %d while its %s of %s is under way, from %d to %d: give concurrent calls different threads or clients, and set owner where holds are passed on",
					quote(l.call.Who()), l.call.Op, l.call.Call, before.call.Op, placeOf(before), before.call.Call, before.call.Return)}
			}
		}
		if l.call.Pending() {
			delete(last, who) // it continues as another client
		} else {
			last[who] = i
		}
	}
	return nil
}

func placeOf(l *collected) string { return place(l.file, l.number) }

// number replaces all stamps by event numbers.
func (h *History) number(uncertainty int64) {
	events := make([]event, 0, 2*len(h.Calls))
	var instants []*model.Call // those with a known instant of queueing
	for i := range h.Calls {
		c := &h.Calls[i]
		if uncertainty == 0 && c.Queued != 0 && c.Queued == c.QueuedFrom {
			instants = append(instants, c)
		}
		events = appendEvents(events, c, uncertainty)
	}
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.stamp, b.stamp), cmp.Compare(a.class, b.class))
	})
	for i := range h.Annotations {
		h.Annotations[i].number(events)
	}
	for i, e := range events {
		*e.target = int64(i + 1)
		if i > 0 && events[i-1].stamp == e.stamp || i+1 < len(events) && events[i+1].stamp == e.stamp {
			h.Shared++
		}
	}
	for _, c := range instants {
		c.Queued = c.QueuedFrom
	}
	for i := range h.Calls {
		settleQueueing(&h.Calls[i])
	}
}

// appendEvents adds the events of a call. If clocks may differ, calls are moved earlier
// by the uncertainty: one operation precedes another only if it returned that much
// before the other was called.
func appendEvents(events []event, c *model.Call, uncertainty int64) []event {
	called, returned := laterCall, earlierReturn
	if c.Return == c.Call && uncertainty == 0 {
		called, returned = instantCall, instantReturn
	}
	if c.Until != 0 {
		events = append(events, event{c.Until - uncertainty, lapse, &c.Until})
	}
	if c.QueuedFrom != 0 {
		class := laterCall
		if uncertainty == 0 && c.Queued == c.QueuedFrom {
			class = queueing
		}
		events = append(events, event{c.QueuedFrom - uncertainty, class, &c.QueuedFrom})
	}
	if c.Queued != 0 && (c.Queued != c.QueuedFrom || uncertainty != 0) {
		events = append(events, event{c.Queued, earlierReturn, &c.Queued})
	}
	events = append(events, event{c.Call - uncertainty, called, &c.Call})
	if c.Return != 0 {
		events = append(events, event{c.Return, returned, &c.Return})
	}
	return events
}

// settleQueueing keeps queueing between call and return if they had the same stamp.
func settleQueueing(c *model.Call) {
	last := c.Return
	if last == 0 {
		last = math.MaxInt64
	}
	if c.QueuedFrom != 0 {
		c.QueuedFrom = min(max(c.QueuedFrom, c.Call), last)
	}
	if c.Queued != 0 {
		c.Queued = min(max(c.Queued, c.QueuedFrom, c.Call), last)
	}
}

// number gives an annotation event numbers: from the first event that is not before it
// to the last that is not after it.
func (a *Annotation) number(events []event) {
	a.Began, a.Ended = a.From, a.To
	from, _ := slices.BinarySearchFunc(events, a.From, func(e event, stamp int64) int { return cmp.Compare(e.stamp, stamp) })
	to, _ := slices.BinarySearchFunc(events, a.To, func(e event, stamp int64) int {
		if e.stamp <= stamp {
			return -1
		}
		return 1
	})
	a.From, a.To = int64(from+1), int64(max(to, from+1))
}
