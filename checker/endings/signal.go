package endings

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// This file finds whether a client could know that its lease had ended.

// moment is the longest time that a client may take between reading its clock and answering: a process's own steps take
// next to no time.
const moment = time.Millisecond

// reportedLate reports whether Acquire, or an Extend before the place, reported success although the lease that it gave
// had ended and its process had run since.
func (es *Endings) reportedLate(x *model.Operation, ended time.Duration, at model.Stamp, off time.Duration) (late bool, cause string) {
	overdue := func(op *model.Operation) bool { return es.ran(op.Client, ended, op.Return.At) > moment+off }
	if ended <= x.Return.At && overdue(x) {
		return true, model.AcquiredTooLate
	}
	for i := x.ID; i < len(es.h.Operations); i++ {
		op := &es.h.Operations[i]
		if op.Kind == model.Extend && op.Acquisition == x.ID && op.Result == model.OK &&
			op.Return.Happened() && op.Return.Seq <= at.Seq && ended <= op.Return.At && overdue(op) {
			return true, model.ExtendedTooLate
		}
	}
	return false, ""
}

// SignalsLoss reports whether a lease without Until must signal its loss soon: it has a Lost, or it renews itself.
func (es *Endings) SignalsLoss(x *model.Operation) bool {
	return !x.Leased && (x.Notifies || es.renewsItself(x))
}

// OwesSignal reports whether a lease that ended as granted should have signalled that. A lease without Lost that lived
// with a connection which the network broke promised nothing: a connection is not renewed, and a client that sends nothing
// on it cannot know that it is broken.
func (es *Endings) OwesSignal(x *model.Operation, parts []Part, ended time.Duration) bool {
	return es.SignalsLoss(x) && (x.Notifies || !brokenOff(parts, ended))
}

// renewsItself reports whether the store, or a quorum of the servers, saw the lease renewed without a call, or has it live
// with a session, which is kept alive in the same way. On fewer servers the renewal may be a late or repeated request of
// an Acquire that did not wait for their answers.
func (es *Endings) renewsItself(x *model.Operation) bool {
	if es.selfRenewed == nil {
		es.selfRenewed = make(map[int][]string)
		for i := range es.h.Observations {
			o := &es.h.Observations[i]
			if o.Authority == "" || !es.renewal(o) {
				continue
			}
			owner, s := es.AcquisitionOf(o.Owner), es.Server(o.Place())
			if !slices.Contains(es.selfRenewed[owner], s) {
				es.selfRenewed[owner] = append(es.selfRenewed[owner], s)
			}
		}
	}
	return len(es.selfRenewed[x.ID]) >= es.Quorum()
}

// renewal reports whether an observation shows that a lease renews itself.
func (es *Endings) renewal(o *model.Observation) bool {
	owner := es.AcquisitionOf(o.Owner)
	switch {
	case owner == 0:
		return false
	case o.Session != "":
		return o.Kind == model.RecordCreated || o.Kind == model.RecordChanged
	case o.Kind != model.RecordChanged || o.Owner != o.OldOwner || es.ClientOf(o.By) != es.h.Operation(owner).Client:
		return false
	}
	by := es.h.Operation(o.By.Op)
	return by == nil || by.Kind == model.Read || by.Kind == model.Write
}

// UsedUp returns how much of a lease had passed when its Acquire returned, if that was most of it and nothing renewed the
// lease: it ended about its length after the record was created, or sooner (stores end leases somewhat late). It returns 0
// otherwise, if the lease had ended before Acquire returned, and for a lease that signals its loss.
func (es *Endings) UsedUp(x *model.Operation, over *model.Observation) time.Duration {
	if over == nil || over.Kind != model.RecordExpired || over.Session == "" || over.Broken || x.Notifies {
		return 0
	}
	granted, late := over.At-es.h.TTL, es.h.TTL/4
	for i := range es.h.Observations {
		o := &es.h.Observations[i]
		if o.Kind == model.RecordCreated && o.Place() == over.Place() && o.Key == over.Key && o.Owner == over.Owner && o.At+late < granted {
			return 0 // it was renewed
		}
	}
	if used := x.Return.At - granted; granted+rounding >= x.Call.At && used > es.h.TTL/2 && used <= es.h.TTL {
		return used
	}
	return 0
}

// UsedUpOf returns [Endings.UsedUp] for the part that decides when a grant ended.
func (es *Endings) UsedUpOf(x *model.Operation, parts []Part, ended time.Duration) time.Duration {
	for i := range parts {
		if p := &parts[i]; p.Gone == ended {
			return es.UsedUp(x, p.Over)
		}
	}
	return 0
}

// LossBound returns how long a process may run until the loss of its lease is signalled: a tenth of the lease, and at
// least 10 ms.
func (es *Endings) LossBound() time.Duration { return max(es.h.TTL/10, 10*time.Millisecond) }

// UnawareFor returns how long a process ran and still claimed the lock after its lease had ended. If its connection broke,
// time in which it could not be reached does not count.
func (es *Endings) UnawareFor(c *model.Claim, parts []Part, ended time.Duration) time.Duration {
	from, end := max(ended, c.Start.At), es.ClaimEnd(c).At
	if !brokenOff(parts, ended) {
		return es.ran(c.Acquire.Client, from, end)
	}
	d, _ := es.ClientDelay(c.Acquire, from, end)
	return end - from - d
}

// brokenOff reports whether the network ended a part by breaking the connection that it lived with.
func brokenOff(parts []Part, ended time.Duration) bool {
	return slices.ContainsFunc(parts, func(p Part) bool { return p.Gone == ended && p.Over != nil && p.Over.Broken })
}

// StoppedSince reports whether a process did not run from a time to the return of the operation, and so could not read its
// clock again.
func (es *Endings) StoppedSince(op *model.Operation, since time.Duration) bool {
	return since < op.Return.At && es.ran(op.Client, since, op.Return.At) <= moment
}
