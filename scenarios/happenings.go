package scenarios

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// span is an acquisition as seen from outside: from the return of Acquire to the call of
// Release (both as event numbers).
type span struct {
	acquisition *model.Operation
	from, to    int64
}

func (s span) contains(seq int64) bool { return s.from < seq && seq < s.to }

// spans lists the holds of a history, in the order of their acquires. For an object that
// nobody holds it lists the waits for others.
func spans(h *model.History) []span {
	var list []span
	for i := range h.Operations {
		op := &h.Operations[i]
		switch {
		case op.Kind == model.Acquire && op.Result == model.OK:
			list = append(list, span{op, op.Return.Seq, h.End.Seq + 1})
		case op.Kind.Waits() && op.Kind != model.Acquire && op.Return.Happened():
			list = append(list, span{op, op.Call.Seq, op.Return.Seq})
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

// takes reports whether an operation takes the object, as a holder does. Nobody holds a
// latch, a barrier or a stock: there, any operation counts.
func takes(h *model.History, op *model.Operation) bool {
	return op.Kind == model.Acquire || nobodyHolds(h)
}

// granted reports whether an observation is the store's grant to an operation that takes
// the object: it creates a record, or writes its own value over that of another, as in a row
// that stays. Of an object that nobody holds, any change counts.
func granted(h *model.History, o *model.Observation, op *model.Operation) bool {
	if !takes(h, op) {
		return false
	}
	switch o.Kind {
	case model.RecordCreated:
		return true
	case model.RecordChanged:
		return op.Kind != model.Acquire || o.Owner.Op == op.ID && o.OldOwner.Op != op.ID
	}
	return false
}

// givesBack reports whether an operation gives the object back. For an object that nobody
// holds, any operation counts.
func givesBack(h *model.History, op *model.Operation) bool {
	return op.Kind == model.Release || nobodyHolds(h)
}

// nobodyHolds reports whether the object is of a kind that has no holders.
func nobodyHolds(h *model.History) bool {
	return !slices.ContainsFunc(h.Operations, func(op model.Operation) bool { return op.Kind == model.Acquire })
}

func waitedForHolder(h *model.History) bool {
	for _, s := range spans(h) {
		for i := range h.Operations {
			op := &h.Operations[i]
			waited := op.Kind.Waits() && op.Client != s.acquisition.Client &&
				op.Call.Seq < s.to && (!op.Return.Happened() || op.Return.Seq > s.to)
			if waited {
				return true
			}
		}
	}
	return false
}

// failoverWhileHeld: another node was promoted, or the one that it replaced had crashed.
func failoverWhileHeld(h *model.History, run cell.RunContext) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return s.contains(o.Seq) && (o.Kind == model.Promoted || o.Kind == model.Crashed && replaced(h, o, run.Servers))
	})
}

// replaced reports whether, after the crash of a node, another of its server was promoted before it was back.
func replaced(h *model.History, crash *model.Observation, servers [][]string) bool {
	server := slices.IndexFunc(servers, func(nodes []string) bool { return slices.Contains(nodes, crash.Node) })
	if server < 0 {
		return false // a client has crashed
	}
	for i := range h.Observations {
		switch o := &h.Observations[i]; {
		case o.Seq <= crash.Seq || !slices.Contains(servers[server], o.Node):
		case o.Kind == model.Promoted:
			return o.Node != crash.Node
		case o.Kind == model.Returned && o.Node == crash.Node:
			return false
		}
	}
	return false
}

// splitWhileHeld: a promotion within a partition leaves a serving node on both
// sides.
func splitWhileHeld(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return o.Kind == model.Promoted && s.contains(o.Seq) && parted(h, o.Seq)
	})
}

// parted reports whether the network is parted at an event.
func parted(h *model.History, seq int64) bool {
	now := false
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Seq > seq {
			break
		}
		if o.Kind == model.Parted || o.Kind == model.United {
			now = o.Kind == model.Parted
		}
	}
	return now
}

func partedBeyondLease(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return o.Kind == model.Parted && s.contains(o.Seq) && o.For > h.TTL
	})
}

func restartWhileHeld(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return o.Kind == model.Returned && s.contains(o.Seq)
	})
}

func pausedBeyondLease(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return o.Kind == model.Paused && o.Node == s.acquisition.Client && s.contains(o.Seq) && o.For > h.TTL
	})
}

// observed reports whether any observation and any hold satisfy fits.
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

// goneDuring reports whether the release's key expired, was removed by another client or
// got another owner before the release returned.
func goneDuring(h *model.History, release *model.Operation) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Authority == "" || o.Seq < release.Call.Seq || release.Return.Happened() && o.Seq > release.Return.Seq {
			continue
		}
		switch o.Kind {
		case model.RecordExpired:
			if o.Owner.Op == release.Acquisition {
				return true
			}
		case model.RecordDeleted:
			if o.Owner.Op == release.Acquisition && o.By.Op != release.ID {
				return true
			}
		case model.RecordChanged:
			if o.OldOwner.Op == release.Acquisition && o.Owner != o.OldOwner {
				return true
			}
		}
	}
	return false
}

// crashedHolding: a client crashed while it had the lock. For an object that nobody holds,
// a client crashed during a call.
func crashedHolding(h *model.History) bool {
	if nobodyHolds(h) {
		return slices.ContainsFunc(h.Operations, func(op model.Operation) bool { return crashedDuring(h, &op) })
	}
	return observed(h, func(o *model.Observation, s span) bool {
		return o.Kind == model.Crashed && o.Node == s.acquisition.Client && s.contains(o.Seq)
	})
}

// grantedToTheDead: an Acquire that never returns, because its client has crashed, has
// created a key. For an object that nobody holds, any operation counts.
func grantedToTheDead(h *model.History) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		if op := h.Operation(o.By.Op); op != nil && granted(h, o, op) && crashedDuring(h, op) {
			return true
		}
	}
	return false
}

// crashedDuring reports whether the operation's client crashed before the operation
// returned.
func crashedDuring(h *model.History, op *model.Operation) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Kind == model.Crashed && o.Node == op.Client && o.Seq > op.Call.Seq && !op.Return.Happened() {
			return true
		}
	}
	return false
}

func heldWithClockOff(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return o.Kind == model.ClockOff && !o.Unread && o.Node == s.acquisition.Client
	})
}

func jumpedHolding(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return o.Kind == model.ClockJumped && !o.Unread && o.Node == s.acquisition.Client && s.contains(o.Seq)
	})
}

func serverJumpedWhileHeld(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return o.Kind == model.ClockJumped && o.Ahead > h.TTL && s.contains(o.Seq)
	})
}

// grantLost: an Acquire created a key, and then an answer to it was lost. For an object
// that nobody holds, any operation that changed something counts.
func grantLost(h *model.History) bool {
	had := map[int]bool{}
	for i := range h.Observations {
		o := &h.Observations[i]
		op := h.Operation(o.By.Op)
		switch {
		case op == nil:
		case granted(h, o, op):
			had[op.ID] = true
		case o.Kind == model.ReplyLost && had[op.ID]:
			return true
		}
	}
	return false
}

func releaseAnswerLost(h *model.History) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		if op := h.Operation(o.By.Op); o.Kind == model.ReplyLost && op != nil && givesBack(h, op) {
			return true
		}
	}
	return false
}

// grantFailed: a request that took the object was answered with an error of the node's own.
func grantFailed(h *model.History) bool {
	had := map[int]bool{}
	for i := range h.Observations {
		o := &h.Observations[i]
		if op := h.Operation(o.By.Op); op != nil && granted(h, o, op) {
			had[op.ID] = true
		}
		if o.Event() == stage.FailedDone && had[o.Owner.Op] {
			return true
		}
	}
	return false
}

// releaseFailed: a request of an operation that gives the object back was answered with an error of the node's own.
func releaseFailed(h *model.History) bool {
	return slices.ContainsFunc(h.Observations, func(o model.Observation) bool {
		op := h.Operation(o.Owner.Op)
		return (o.Event() == stage.Failed || o.Event() == stage.FailedDone) && op != nil && givesBack(h, op)
	})
}

// acquiredLate: an Acquire succeeded after a segment of it was late by more than a lease.
func acquiredLate(h *model.History) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		op := h.Operation(o.By.Op)
		if o.Kind == model.Delayed && o.For > h.TTL && op != nil && takes(h, op) && op.Result == model.OK && op.Return.At >= o.At+o.For {
			return true
		}
	}
	return false
}

// lateEffect: a request of an operation was late by more than a lease, and the operation
// changed a key afterwards.
func lateEffect(h *model.History) bool {
	for i := range h.Observations {
		late := &h.Observations[i]
		if late.Kind != model.Delayed || late.For <= h.TTL || late.By.Op == 0 {
			continue
		}
		for j := range h.Observations[i:] {
			o := &h.Observations[i+j]
			if o.Key != "" && o.By.Op == late.By.Op && o.At >= late.At+late.For {
				return true
			}
		}
	}
	return false
}

// abandonedEffect: a key changed for an operation that had already repeated its request on
// another connection, or had returned, or by a request whose client had hung up.
func abandonedEffect(h *model.History, run cell.RunContext) bool {
	if run.Abandoned {
		return true
	}
	latest := map[int]int{} // by operation, its connection with the highest number
	for i := range h.Observations {
		o := &h.Observations[i]
		op := h.Operation(o.By.Op)
		if o.Key == "" || op == nil || o.Authority == "" {
			continue
		}
		if op.Return.Happened() && o.Seq > op.Return.Seq || o.By.Conn < latest[op.ID] {
			return true
		}
		latest[op.ID] = max(latest[op.ID], o.By.Conn)
	}
	return false
}

func hungDuringRelease(h *model.History) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Kind != model.Paused || o.For <= h.TTL {
			continue
		}
		for j := range h.Operations {
			op := &h.Operations[j]
			if givesBack(h, op) && op.Call.Seq < o.Seq && (!op.Return.Happened() || op.Return.Seq > o.Seq) {
				return true
			}
		}
	}
	return false
}

// cancelledInFlight reports whether the store granted the lock to a cancelled Acquire: its
// request or answer was in flight, or it had more requests to make. For an object that
// nobody holds, it reports whether a cancelled operation changed something in the store.
func cancelledInFlight(h *model.History) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		op := h.Operation(o.By.Op)
		if op == nil || o.Authority == "" || !op.Cancelled.Happened() {
			continue
		}
		if op.Kind == model.Acquire && granted(h, o, op) || op.Acquisition == 0 {
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

// ranOutWhileHeld: a lease ended in the store before its holder released it. Its record expired, or the
// end that it names had passed.
func ranOutWhileHeld(h *model.History, run cell.RunContext) bool {
	expired := observed(h, func(o *model.Observation, s span) bool {
		return o.Kind == model.RecordExpired && o.Authority != "" && o.Owner.Op == s.acquisition.ID && o.Seq < s.to
	})
	return expired || run.View != nil && endPassedWhileHeld(h, run.View)
}

// endPassedWhileHeld reports whether a share of a hold ended, by the end that its record names, before the hold
// did: in a record that stays, such as a row, nothing shows it. A record that cannot be read names none.
func endPassedWhileHeld(h *model.History, view model.Ownership) bool {
	holds := spans(h)
	var records model.Records
	named := map[[2]string]lease{} // by place and key
	for i := range h.Observations {
		o := &h.Observations[i]
		if o.Authority == "" || !records.See(o) {
			continue
		}
		at := [2]string{o.Place(), o.Key}
		if named[at].endedIn(h, holds, o.At) {
			return true
		}
		delete(named, at)
		shares, err := view.Shares(records.At(o.Place()))
		if op := h.Operation(o.Owner.Op); op != nil && err == nil {
			for _, s := range shares {
				if s.Key == o.Key && s.Until > 0 {
					named[at] = lease{op.Acquisition, s.Until}
				}
			}
		}
	}
	for _, l := range named { // unordered: any will do
		if l.endedIn(h, holds, h.End.At) {
			return true
		}
	}
	return false
}

// lease is the end of an acquisition's share, in the run's time; 0 if it has none.
type lease struct {
	acquisition int
	until       time.Duration
}

// endedIn reports whether it had ended by a time, in one of the holds.
func (l lease) endedIn(h *model.History, holds []span, by time.Duration) bool {
	return l.until > 0 && l.until <= by && slices.ContainsFunc(holds, func(s span) bool {
		released := slices.IndexFunc(h.Operations, func(op model.Operation) bool { return op.Call.Seq == s.to })
		return s.acquisition.ID == l.acquisition && (released < 0 || l.until < h.Operations[released].Call.At)
	})
}

// lostWaiting: an answer or a message to a client was lost while the client waited. The
// wait began while another client held the lock.
func lostWaiting(h *model.History) bool {
	return whileWaiting(h, func(o *model.Observation, waiter string) bool {
		return o.Kind == model.ReplyLost && o.Node == waiter
	})
}

// restartWhileWaiting: a node restarted.
func restartWhileWaiting(h *model.History) bool {
	return whileWaiting(h, func(o *model.Observation, _ string) bool {
		return o.Kind == model.Returned
	})
}

// whileWaiting reports whether something was observed while a client waited. The wait
// began while another client held the lock.
func whileWaiting(h *model.History, fits func(o *model.Observation, waiter string) bool) bool {
	for _, s := range spans(h) {
		for i := range h.Operations {
			op := &h.Operations[i]
			if !op.Kind.Waits() || op.Client == s.acquisition.Client || op.Call.Seq > s.to || op.Return.Happened() && op.Return.Seq < s.from {
				continue
			}
			wait := span{op, max(op.Call.Seq, s.from), h.End.Seq + 1}
			if op.Return.Happened() {
				wait.to = op.Return.Seq
			}
			for j := range h.Observations {
				if o := &h.Observations[j]; wait.contains(o.Seq) && fits(o, op.Client) {
					return true
				}
			}
		}
	}
	return false
}
