package histories

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// part is a part of a call that happens at one instant.
type part int

const (
	whole    part = iota
	enter         // the queue of a fair mutex, or a barrier
	leave         // it, granted, or let go
	withdraw      // from the queue
)

// point is something that happens at one instant, not before one event and not after another.
type point struct {
	call     *model.Call
	part     part
	from, to int64
	// must is set if it certainly happened.
	must bool
}

const infinity = int64(1) << 62

// Linearizable reports whether calls of objects of one kind have an order that the kind allows. It tries all orders, and
// executes each, except continuations of a situation that it has seen before. It is too slow for more than about eight
// calls.
//
// Each order is one of instants: the next one may not be before the latest event that any earlier one had to wait for. A
// hold with a lease, or with a crashed client, may end between any two.
func Linearizable(spec model.Spec, calls []model.Call) bool {
	var names []string
	for i := range calls {
		if c := &calls[i]; c.Op != model.Crash && !slices.Contains(names, c.Object) {
			names = append(names, c.Object)
		}
	}
	for _, name := range names {
		s := search{calls: calls, name: name, stuck: make(map[string]bool)}
		if !s.extend(newObject(spec), s.points(spec.Kind), 0) {
			return false
		}
	}
	return true
}

// search is the search for an order of one object's points.
type search struct {
	calls []model.Call
	name  string
	// stuck are the situations from which there is no order, kept if there are many points: several calls without an answer
	// have too many orders to try.
	stuck map[string]bool
}

// many is the number of points from which situations are kept.
const many = 6

// points returns the points of the object's calls.
func (s *search) points(kind model.Kind) []point {
	var all []point
	for i := range s.calls {
		c := &s.calls[i]
		if c.Object != s.name || c.Op == model.Crash || c.Op == model.Expire {
			continue
		}
		to, known := c.Return, !c.Pending()
		if !known {
			to = infinity
		}
		switch {
		case kind == model.KindFair && c.Op == model.Acquire && !c.Try:
			all = append(all, queueing(c, to, known)...)
		case kind == model.KindBarrier && c.Outcome == model.OK:
			all = append(all, point{c, enter, c.Call, to, true}, point{c, leave, c.Call, to, true})
		case kind == model.KindBarrier && !known:
			all = append(all, point{c, enter, c.Call, to, false})
		case c.Outcome == model.Failed && !c.Try && !c.Refused && !c.Op.Releases():
			// it proves nothing
		default:
			all = append(all, point{c, whole, c.Call, to, known})
		}
	}
	return all
}

// queueing returns the points of an Acquire that waits for a fair mutex.
func queueing(c *model.Call, to int64, known bool) []point {
	from, by := max(c.Call, c.QueuedFrom), c.Queued
	if by == 0 {
		by = to
	}
	in := point{c, enter, from, by, known || c.Queued != 0}
	switch {
	case !known:
		return []point{in, {c, leave, from, to, false}, {c, withdraw, from, to, false}}
	case c.Outcome == model.OK:
		return []point{in, {c, leave, from, to, true}}
	}
	return []point{in, {c, withdraw, from, to, true}}
}

// extend reports whether the points have an order from here on, with the object in its present state, not before now.
func (s *search) extend(o *object, points []point, now int64) bool {
	if !slices.ContainsFunc(points, func(p point) bool { return p.must }) {
		return true
	}
	if slices.ContainsFunc(points, func(p point) bool { return p.must && p.to < now }) {
		return false
	}
	situation := ""
	if len(points) >= many {
		if situation = fmt.Sprint(now, points, *o); s.stuck[situation] {
			return false
		}
	}
	if s.goOn(o, points, now) {
		return true
	}
	if situation != "" {
		s.stuck[situation] = true
	}
	return false
}

// goOn tries all points that may happen next.
func (s *search) goOn(o *object, points []point, now int64) bool {
	for i, p := range points {
		next := o.clone()
		if happens(next, p) && s.extend(next, slices.Delete(slices.Clone(points), i, i+1), max(now, p.from)) {
			return true
		}
	}
	for _, e := range o.entries {
		if at, may := s.mayEnd(o, e); may {
			next := o.clone()
			next.end(o.group(e))
			if s.extend(next, points, max(now, at)) {
				return true
			}
		}
	}
	return false
}

// happens applies a point, and reports whether that could be with the answer of its call.
func happens(o *object, p point) bool {
	c := p.call
	switch {
	case p.part == enter && o.spec.Kind == model.KindBarrier:
		o.arrived = append(o.arrived, c.ID)
		return true
	case p.part == enter:
		o.queue = append(o.queue, c.ID)
		return true
	case p.part == withdraw:
		i := slices.Index(o.queue, c.ID)
		if i >= 0 {
			o.queue = slices.Delete(o.queue, i, i+1)
		}
		return i >= 0
	case p.part == leave && o.spec.Kind == model.KindBarrier && !slices.Contains(o.arrived, c.ID):
		return false
	case c.Op.Releases() && c.Outcome == model.Failed:
		o.deny(c)
		return true
	case c.Op.Releases():
		return o.give(c) || c.Pending()
	case c.Op == model.Extend:
		return o.extend(c)
	case isAccess(o.spec.Kind) && c.Pending() && !o.able(c):
		o.see(c) // it arrived, and was refused
		return true
	case c.Outcome == model.Failed:
		able := o.able(c)
		o.see(c) // refused for want of stock, perhaps
		return !able
	}
	return o.able(c) && o.serve(c)
}

// mayEnd reports whether the hold of an entry may end by itself, and from which event.
func (s *search) mayEnd(o *object, e entry) (at int64, may bool) {
	at, may = e.until, e.until != 0
	x := s.call(e.id)
	for i := range s.calls {
		c := &s.calls[i]
		crashed := c.Op == model.Crash && c.Client == x.Client && x.Call <= c.Call && (c.Object == "" || c.Object == s.name)
		lapsed := c.Op == model.Expire && c.Object == s.name && o.means(c, e)
		if (crashed || lapsed) && (!may || c.Call < at) {
			at, may = c.Call, true
		}
	}
	return at, may
}

func (s *search) call(id int) *model.Call {
	return &s.calls[slices.IndexFunc(s.calls, func(c model.Call) bool { return c.ID == id })]
}
