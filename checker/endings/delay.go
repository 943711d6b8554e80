package endings

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// This file finds what held a client up, and how far its clock was off.

// ClientDelay returns how long, within a stretch of time, the thread of an acquisition was stopped, waited for a late
// message or was cut off, and the cause of the longest delay. A delay of an operation counts until the operation's return,
// since a request may have been given up and sent again.
func (es *Endings) ClientDelay(x *model.Operation, from, to time.Duration) (d time.Duration, cause string) {
	var list []Stretch
	for i := range es.h.Observations {
		o := &es.h.Observations[i]
		if o.At >= to {
			break
		}
		s, why := es.disturbance(x, o)
		if why == "" {
			continue
		}
		s.To = es.openUntil(x, s.To)
		s.From, s.To = max(s.From, from), min(s.To, to)
		if s.From < s.To {
			s.Cause = why
			list = append(list, s)
		}
	}
	return Union(list)
}

// disturbance returns the time for which an observed fault held up the acquisition's thread, and its cause; empty if it
// did not hold it up.
func (es *Endings) disturbance(x *model.Operation, o *model.Observation) (s Stretch, cause string) {
	s = Stretch{From: o.At, To: o.At + o.For}
	switch o.Kind {
	case model.Paused:
		if o.Node == x.Client {
			return es.Until(s, o, model.Resumed), model.HolderStopped
		}
		if !es.IsClient(o.Node) {
			return s, model.HolderCutOff // a node that hangs
		}
	case model.Delayed, model.ReplyLost:
		op := es.h.Operation(o.By.Op)
		if op != nil && op.Client == x.Client || op == nil && (o.Node == x.Client || !es.IsClient(o.Node)) {
			return s, model.HolderLate
		}
	case model.Parted:
		if !es.PartsElectors(o) {
			return es.Until(s, o, model.United), model.HolderCutOff
		}
	case model.Crashed:
		if !es.IsClient(o.Node) && !es.IsElector(o.Node) {
			return es.Until(s, o, model.Promoted, model.Returned), model.HolderCutOff
		}
	}
	return s, ""
}

// Stretch is a stretch of time with its cause.
type Stretch struct {
	From, To time.Duration
	Cause    string
}

// Union returns the length of the union of the stretches, and the cause of the
// longest.
func Union(list []Stretch) (d time.Duration, cause string) {
	slices.SortStableFunc(list, func(a, b Stretch) int { return int(a.From - b.From) })
	var longest, end time.Duration
	for _, s := range list {
		if s.To-s.From > longest {
			longest, cause = s.To-s.From, s.Cause
		}
		d += max(0, s.To-max(s.From, end))
		end = max(end, s.To)
	}
	return d, cause
}

// Until returns the stretch, extended to the next observation of one of the kinds if there is one; for a pause only observations of
// the same process count.
func (es *Endings) Until(s Stretch, o *model.Observation, kinds ...model.ObservationKind) Stretch {
	for i := range es.h.Observations {
		next := &es.h.Observations[i]
		if next.Seq > o.Seq && slices.Contains(kinds, next.Kind) && (o.Kind != model.Paused || next.Node == o.Node) {
			s.To = next.At
			return s
		}
	}
	return s
}

// openUntil returns the return of the operation that the acquisition's thread had open at the time: the end of the history
// if it did not return, or the time itself if no operation was open.
func (es *Endings) openUntil(x *model.Operation, at time.Duration) time.Duration {
	for i := range es.h.Operations {
		op := &es.h.Operations[i]
		if !holders.SameThread(op, x) || op.Call.At > at {
			continue
		}
		if !op.Return.Happened() {
			return max(at, es.h.End.At)
		}
		if op.Return.At > at {
			return op.Return.At
		}
	}
	return at
}

// ran returns how long, within a stretch of time, a process was not paused.
func (es *Endings) ran(client string, from, to time.Duration) time.Duration {
	if to <= from {
		return 0
	}
	var list []Stretch
	for _, o := range es.Pauses() {
		if o.Node != client || o.At >= to {
			continue
		}
		s := es.Until(Stretch{From: o.At, To: o.At + o.For}, o, model.Resumed)
		if s.From, s.To = max(s.From, from), min(s.To, to); s.From < s.To {
			list = append(list, s)
		}
	}
	stopped, _ := Union(list)
	return to - from - stopped
}

// clockAhead returns by how much the clock of a process gained between two events: by its rate, and by its jumps.
func (es *Endings) clockAhead(client string, from, to model.Stamp) (ahead time.Duration) {
	for i := range es.h.Observations {
		o := &es.h.Observations[i]
		switch {
		case o.Node != client || o.Seq > to.Seq || o.Unread:
		case o.Kind == model.ClockOff && o.Rate > 0:
			ahead += time.Duration(float64(to.At-from.At) * float64(o.Rate) / 1e6)
		case o.Kind == model.ClockJumped && o.Seq > from.Seq && !es.o.Measured:
			ahead += o.Ahead
		}
	}
	return max(ahead, 0)
}

// Hurried reports whether a process changed a record without an expiry, or one whose end clients measure, too early because its clock
// was ahead. Such a process waits until it has seen the record unchanged for a lease; a lease had passed by its clock, but not in truth.
func (es *Endings) Hurried(place, key string, o *model.Observation) bool {
	var before *model.Observation
	for _, w := range es.ObservationsOf(place, key, 0) {
		if w.Seq >= o.Seq {
			break
		}
		if w.Kind == model.RecordCreated || w.Kind == model.RecordChanged {
			before = w
		}
	}
	if o.Kind != model.RecordChanged || before == nil || before.ExpiresAt != 0 && !es.o.Measured || before.Session != "" {
		return false
	}
	lasts := es.h.TTL
	if before.ExpiresAt != 0 {
		lasts = before.ExpiresAt - before.At
	}
	age, ahead := o.At-before.At, es.clockAhead(es.ClientOf(o.By), before.Stamp, o.Stamp)
	return age < lasts && age+ahead >= lasts
}

// ClockError returns by how much a client's clock may have underestimated a stretch of time up to an event: by its slow rate, and by its jumps
// back, also those up to two leases before, for a client that enters again. Where clients measure the ends of records, jumps do not count.
func (es *Endings) ClockError(client string, from time.Duration, to model.Stamp) (off time.Duration) {
	var jumped time.Duration
	pace := 1.0
	for i := range es.h.Observations {
		o := &es.h.Observations[i]
		if o.Node != client || o.Seq > to.Seq || o.Unread {
			continue
		}
		switch {
		case o.Kind == model.ClockOff && o.Rate < 0:
			pace = 1 + float64(o.Rate)/1e6
			off += time.Duration(float64(es.h.TTL+to.At-from) * (1 - pace) / pace)
		case o.Kind == model.ClockJumped && o.Ahead < 0 && o.At >= from-2*es.h.TTL && !es.o.Measured:
			jumped -= o.Ahead
		}
	}
	return off + time.Duration(float64(jumped)/pace)
}

// IsFault reports whether an observation shows a fault. A clock that its client does not go by is none.
func IsFault(o *model.Observation) bool {
	switch o.Kind {
	case model.RecordDropped, model.Paused, model.Crashed, model.Returned, model.Promoted, model.Delayed,
		model.Parted, model.ReplyLost, model.ClockJumped, model.ClockOff, model.Closed:
		return !o.Unread
	}
	return false
}
