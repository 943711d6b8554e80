package sim

import "time"

// queue is a heap of pending events, earliest first. Those that are due in the
// same window are in the order of the actors that they happen to, then of those that
// they come from, then of scheduling. So the order of earlier events leaves no mark on
// it, except for events of these two actors.
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

// up and down bring an event to its place, as container/heap does. That calls its
// methods through an interface, which takes twice the time.
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
