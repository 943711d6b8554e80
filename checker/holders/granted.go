package holders

import (
	"cmp"
	"math"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// This file finds until when the store had granted the lock, by the clock of the node.

// NoEnd is the end of a grant that does not end by itself.
const NoEnd = time.Duration(math.MaxInt64)

// SetBackFrom returns the end of a tenure before its node came back from a restart with
// an earlier state and an earlier end, as known at the event; 0 if that did not
// happen.
func (hs *Holders) SetBackFrom(t *Tenure, seq int64) (before time.Duration) {
	end, back := endIn(t, t.Wrote), false
	for i := range hs.h.Observations {
		o := &hs.h.Observations[i]
		switch {
		case o.Seq <= t.Wrote.Seq || o.Place() != t.Node:
		case o.Seq > seq || t.Over != nil && o.Seq >= t.Over.Seq:
			return before
		case o.Kind == model.Returned:
			back = true
		case o.By != (model.Origin{}):
			back = false // it has served since
			fallthrough
		default:
			if o.Key != t.Key || o.Kind != model.RecordChanged {
				continue
			}
			next := endIn(t, o)
			if before = 0; back && next < end {
				before = end
			}
			end = next
		}
	}
	return before
}

// GrantedUntil returns the granted end of a tenure, as known at the event, and when that end was given.
func (hs *Holders) GrantedUntil(t *Tenure, seq int64) (until time.Duration, at model.Stamp) {
	until, at = endIn(t, t.Wrote), ClockReadAt(t.Wrote)
	for _, o := range hs.ObservationsOf(t.Node, t.Key, t.Wrote.Seq+1) {
		if o.Seq > seq || t.Over != nil && o.Seq >= t.Over.Seq {
			break
		}
		if o.Kind != model.RecordChanged {
			continue
		}
		if next := endIn(t, o); next != until {
			until, at = next, ClockReadAt(o)
		}
	}
	if t.Until != 0 { // by the clock of the node, which may have jumped before
		until -= hs.Jumped(t.Node, 0, at.Seq)
	}
	return until, at
}

// ClockReadAt returns when the node read its clock to set the expiry that an observation shows.
func ClockReadAt(o *model.Observation) model.Stamp {
	if o.ClockRead.Happened() {
		return o.ClockRead
	}
	return o.Stamp
}

// ExpiredAtEnd reports whether a holder's share had expired when the tenure ended, by any reading of its node's clock that
// the request which ended it may have used.
func (hs *Holders) ExpiredAtEnd(t *Tenure) bool {
	if t.Until == 0 || t.Over == nil {
		return false
	}
	until, given := hs.GrantedUntil(t, t.Over.Seq)
	_, passed := hs.Passed(t, t.Over, until, given)
	return passed
}

// Passed reports whether a granted end had passed when a request changed the record, and when it passed. It uses the
// node's clock at the change and, since the request may have waited for its turn with an earlier reading, at any time in
// the Acquire before.
func (hs *Holders) Passed(t *Tenure, o *model.Observation, until time.Duration, given model.Stamp) (ends time.Duration, passed bool) {
	ends = until - hs.Jumped(t.Node, given.Seq, o.Seq)
	y := hs.h.Operation(o.By.Op)
	if o.At >= ends || y == nil || y.Kind != model.Acquire {
		return ends, o.At >= ends
	}
	for _, jump := range hs.strikes().jumps {
		if jump.Place() != t.Node || jump.Seq <= y.Call.Seq || jump.Seq > o.Seq {
			continue
		}
		if before := until - hs.Jumped(t.Node, given.Seq, jump.Seq-1); jump.At >= before {
			return before, true
		}
	}
	return ends, false
}

// JumpedOver returns how far a node's clock had jumped ahead before an event: the sum of as many of its last jumps as are
// needed to exceed the given time, or 0 if all of them are not enough.
func (hs *Holders) JumpedOver(node string, seq int64, more time.Duration) (by time.Duration) {
	for _, o := range slices.Backward(hs.strikes().jumps) {
		if by > more {
			break
		}
		if o.Place() == node && o.Seq < seq && o.Ahead > 0 {
			by += o.Ahead
		}
	}
	if by <= more {
		return 0
	}
	return by
}

// FirstGiven returns when the store first granted what the tenure has at the given place: a node that comes back with an
// earlier state grants nothing anew.
func (hs *Holders) FirstGiven(t *Tenure, given model.Stamp) model.Stamp {
	said := hs.observed(given.Seq)
	if said == nil || said.ExpiresAt == 0 {
		return given
	}
	writes := func(o *model.Observation) bool { return o.Kind == model.RecordCreated || o.Kind == model.RecordChanged }
	for _, o := range hs.ObservationsOf(t.Node, t.Key, 0) {
		if o.Seq >= given.Seq {
			break
		}
		if writes(o) && o.Owner == said.Owner && o.Value == said.Value && o.ExpiresAt == said.ExpiresAt {
			return o.Stamp
		}
	}
	return given
}

// endIn returns the end of a tenure as a write sets it: that of its holder's share, if it has one, or of the key.
func endIn(t *Tenure, o *model.Observation) time.Duration {
	if t.Until != 0 {
		for _, l := range t.ends {
			if l.seq == o.Seq {
				return l.until
			}
		}
	}
	if o.ExpiresAt == 0 {
		return NoEnd
	}
	return o.ExpiresAt
}

// Jumped returns how far a node's clock jumped ahead between two events. If to is before from, the result is the negated jump from to to from.
func (hs *Holders) Jumped(node string, from, to int64) (by time.Duration) {
	if to < from {
		return -hs.Jumped(node, to, from)
	}
	for _, o := range hs.strikes().jumps {
		if o.Place() == node && o.Seq > from && o.Seq <= to {
			by += o.Ahead
		}
	}
	return by
}

// ExpiryAt returns the expiry that a tenure's key had right after the event, 0
// if none. Other changes by the request that wrote the value count as part of that write.
func (hs *Holders) ExpiryAt(t *Tenure, seq int64) time.Duration {
	list := hs.h.Observations
	next, _ := slices.BinarySearchFunc(list, seq+1, func(o model.Observation, seq int64) int { return cmp.Compare(o.Seq, seq) })
	for next < len(list) && list[next].At == t.Wrote.At && list[next].By == t.Wrote.By {
		next++
	}
	expiry := t.Wrote.ExpiresAt
	for _, o := range hs.ObservationsOf(t.Node, t.Key, t.Wrote.Seq) {
		if next < len(list) && o.Seq >= list[next].Seq {
			break
		}
		if o.Kind == model.RecordChanged {
			expiry = o.ExpiresAt
		}
	}
	return expiry
}
