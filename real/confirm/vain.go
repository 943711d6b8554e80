package confirm

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// This file is about requests that wait at a gate and belong to no next step of their client: in the trace, the client
// sends a step's request after it has returned from its present call.

// isLater reports whether a client sends the request of a step only after it has returned from all of its Acquires under
// way.
func (d *driver) isLater(s *step, open []*model.Operation) bool {
	if s == nil {
		return false
	}
	for _, op := range open {
		if !slices.ContainsFunc(d.steps[d.position:], func(r step) bool {
			return r.kind == returned && r.op != nil && d.ops[r.op.ID] == op.ID && r.seq < s.seq && r.at <= s.sent
		}) {
			return false
		}
	}
	return len(open) > 0
}

// giveUp cuts off the connections of an operation that returns without an answer in the trace, and waits for one here: its
// request has no step, since the trace lost it, or its connection, on the way. The client would wait until its own
// time-out.
func (d *driver) giveUp(s *step, op *model.Operation) {
	if s.op.Result != model.Unknown || s.op.Cancelled.Happened() {
		return
	}
	for i := 0; i < len(d.waiting); {
		r := d.waiting[i]
		if r.by.Op != op.ID || r.gone || r.step != 0 || r.Signature == "" || time.Since(r.at) < headStart || time.Since(d.turn) < headStart || d.willExecute(r, s) {
			i++
			continue
		}
		d.waiting = slices.Delete(d.waiting, i, i+1)
		d.breakOff(r.link, nil)
	}
}

// willExecute reports whether the trace has a step for a request that was sent before a client's return.
func (d *driver) willExecute(r *request, before *step) bool {
	return slices.ContainsFunc(d.steps[d.position:], func(s step) bool {
		return (s.kind == executes || s.kind == sends) && d.fits(r, &s) && s.sent <= before.at
	})
}
