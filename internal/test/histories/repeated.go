package histories

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Repeated returns a history that repeats another one a number of times, one after the other: each begins when the one
// before has ended, with other numbers of events, operations, connections, tokens and values, and without the records that
// it left.
func Repeated(h *model.History, times int) *model.History {
	all := *h
	all.Operations, all.Observations, all.Calls, all.Statements, all.Actions = nil, nil, nil, nil, nil
	all.End = model.Stamp{}
	each := measured(h)
	left := leftRecords(h)
	for range times {
		n := len(all.Operations)
		by := each.moved(all.End, n, len(all.Calls), n/max(len(h.Operations), 1))
		for _, op := range h.Operations {
			all.Operations = append(all.Operations, by.operation(op))
		}
		for _, o := range h.Observations {
			all.Observations = append(all.Observations, by.observation(o))
		}
		for _, c := range h.Calls {
			all.Calls = append(all.Calls, by.call(c))
		}
		all.End = by.stamp(h.End)
		for _, o := range left {
			all.End.Seq++
			o.Stamp, o.Kind = all.End, model.RecordExpired
			all.Observations = append(all.Observations, o)
		}
		all.End.At += time.Minute // whatever is due has happened
	}
	return &all
}

// leftRecords returns the last observations of the records that exist at the end.
func leftRecords(h *model.History) (left []model.Observation) {
	for _, o := range h.Observations {
		of := func(l model.Observation) bool { return l.Place() == o.Place() && l.Key == o.Key }
		switch o.Kind {
		case model.RecordExpired, model.RecordDeleted, model.RecordDropped:
			left = slices.DeleteFunc(left, of)
		case model.RecordCreated, model.RecordChanged:
			left = append(slices.DeleteFunc(left, of), o)
		}
	}
	for i := range left {
		left[i].By, left[i].ExpiresAt, left[i].Note = model.Origin{}, 0, nil
	}
	return left
}

// extent is the amounts that are added to the numbers of a repetition.
type extent struct {
	at                     model.Stamp
	ops, calls, conn       int
	token, value, revision int64
}

func measured(h *model.History) (e extent) {
	for i := range h.Operations {
		op := &h.Operations[i]
		e.token, e.value = max(e.token, op.Token), max(e.value, op.Value)
	}
	for i := range h.Observations {
		o := &h.Observations[i]
		e.token, e.value, e.revision = max(e.token, o.Token), max(e.value, o.Number), max(e.revision, o.Revision)
		e.conn = max(e.conn, o.By.Conn, o.Owner.Conn)
	}
	for i := range h.Calls {
		c := &h.Calls[i]
		e.token, e.value = max(e.token, c.Token), max(e.value, c.Value)
	}
	return e
}

// moved returns the amounts for the n-th repetition.
func (e extent) moved(at model.Stamp, ops, calls, n int) extent {
	k := int64(n)
	return extent{at: at, ops: ops, calls: calls, conn: e.conn * n, token: e.token * k, value: e.value * k, revision: e.revision * k}
}

func (e extent) stamp(s model.Stamp) model.Stamp {
	if s.Happened() || s.Seq > 0 {
		s.Seq, s.At = s.Seq+e.at.Seq, s.At+e.at.At
	}
	return s
}

// after moves a time or a number, unless it is zero.
func after[T int | int64 | time.Duration](n, by T) T {
	if n == 0 {
		return 0
	}
	return n + by
}

func (e extent) origin(o model.Origin) model.Origin {
	o.Conn, o.Op = after(o.Conn, e.conn), after(o.Op, e.ops)
	return o
}

func (e extent) operation(op model.Operation) model.Operation {
	op.ID, op.Acquisition = op.ID+e.ops, after(op.Acquisition, e.ops)
	op.Call, op.Return, op.Cancelled, op.Lost = e.stamp(op.Call), e.stamp(op.Return), e.stamp(op.Cancelled), e.stamp(op.Lost)
	op.Until, op.Token, op.Value = after(op.Until, e.at.At), after(op.Token, e.token), op.Value+e.value
	op.Tries = slices.Clone(op.Tries)
	for i := range op.Tries {
		op.Tries[i] += e.at.At
	}
	return op
}

func (e extent) observation(o model.Observation) model.Observation {
	o.Stamp, o.ClockRead = e.stamp(o.Stamp), e.stamp(o.ClockRead)
	o.Owner, o.OldOwner, o.By = e.origin(o.Owner), e.origin(o.OldOwner), e.origin(o.By)
	o.ExpiresAt, o.Token, o.Revision = after(o.ExpiresAt, e.at.At), after(o.Token, e.token), after(o.Revision, e.revision)
	o.Number += e.value
	return o
}

func (e extent) call(c model.Call) model.Call {
	c.ID += e.calls
	c.Call, c.Return = after(c.Call, e.at.Seq), after(c.Return, e.at.Seq)
	c.QueuedFrom, c.Queued, c.Until = after(c.QueuedFrom, e.at.Seq), after(c.Queued, e.at.Seq), after(c.Until, e.at.Seq)
	c.Token = after(c.Token, e.token)
	return c
}
