package scenarios

import (
	"github.com/lockpick-dev/lockpick/model"
)

// span is what an acquisition looked like from outside: from the return of
// Acquire to the call of Release (both as event numbers).
type span struct {
	acquisition *model.Operation
	from, to    int64
}

func (s span) contains(seq int64) bool { return s.from < seq && seq < s.to }

// spans lists the holds of a history, in the order of their acquires.
func spans(h *model.History) []span {
	var list []span
	for i := range h.Operations {
		op := &h.Operations[i]
		switch {
		case op.Kind == model.Acquire && op.Result == model.OK:
			list = append(list, span{op, op.Return.Seq, h.End.Seq + 1})
		case op.Kind == model.Release:
			for j := range list {
				if list[j].acquisition.ID == op.Acquisition {
					list[j].to = min(list[j].to, op.Call.Seq)
				}
			}
		}
	}
	return list
}

func waitedForHolder(h *model.History) bool {
	for _, s := range spans(h) {
		for i := range h.Operations {
			op := &h.Operations[i]
			waited := op.Kind == model.Acquire && op.Client != s.acquisition.Client &&
				op.Call.Seq < s.to && (!op.Return.Happened() || op.Return.Seq > s.to)
			if waited {
				return true
			}
		}
	}
	return false
}

func failoverWhileHeld(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return o.Kind == model.Promoted && s.contains(o.Seq)
	})
}

func pausedBeyondLease(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return o.Kind == model.Paused && o.Node == s.acquisition.Client && s.contains(o.Seq) && o.For > h.TTL
	})
}

// observed reports whether any observation and any hold fit together.
func observed(h *model.History, fits func(*model.Observation, span) bool) bool {
	for _, s := range spans(h) {
		for i := range h.Observations {
			if fits(&h.Observations[i], s) {
				return true
			}
		}
	}
	return false
}

func goneDuringRelease(h *model.History) bool {
	for i := range h.Operations {
		op := &h.Operations[i]
		if op.Kind == model.Release && goneDuring(h, op) {
			return true
		}
	}
	return false
}

// goneDuring reports whether the release's key expired, was removed by
// somebody else or came to another owner before the release returned.
func goneDuring(h *model.History, release *model.Operation) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		if !o.Primary || o.Seq < release.Call.Seq || release.Return.Happened() && o.Seq > release.Return.Seq {
			continue
		}
		switch o.Kind {
		case model.KeyExpired:
			if o.Owner.Op == release.Acquisition {
				return true
			}
		case model.KeyDeleted:
			if o.Owner.Op == release.Acquisition && o.By.Op != release.ID {
				return true
			}
		case model.KeyChanged:
			if o.OldOwner.Op == release.Acquisition && o.Owner != o.OldOwner {
				return true
			}
		}
	}
	return false
}

// cancelledInFlight reports whether the store gave the lock to an Acquire that
// was cancelled: its request was on its way then, or the answer, or it had more
// to do.
func cancelledInFlight(h *model.History) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		op := h.Operation(o.By.Op)
		if o.Kind == model.KeyCreated && o.Primary && op != nil && op.Kind == model.Acquire && op.Cancelled.Happened() {
			return true
		}
	}
	return false
}

func cancelledWaiting(h *model.History) bool {
	for _, s := range spans(h) {
		for i := range h.Operations {
			op := &h.Operations[i]
			if op.Cancelled.Happened() && op.Client != s.acquisition.Client && s.contains(op.Cancelled.Seq) {
				return true
			}
		}
	}
	return false
}
