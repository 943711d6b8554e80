package checker

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/checker/holders"
	"github.com/lockpick-dev/lockpick/model"
)

// ownerOnlyReleaseJudge judges a history by owner-only-release.
type ownerOnlyReleaseJudge struct{ base *Judge }

// overwritten returns the acquisition whose live lock another acquisition overwrites by observation i, a change of the
// lock's value; or nil.
//
// The lock's key must be one string, and the change the grant of an Acquire that succeeded: any other write to the value
// may mean anything, such as a count of waiters. Writing the present value again, completing a hand-over by a Release, or
// entering again in the same thread overwrites no acquisition.
func (j ownerOnlyReleaseJudge) overwritten(o *model.Observation, i int) *model.Operation {
	key, ok := j.base.LockRecord()
	if !ok || o.Key != key || o.Type != "" || j.base.Several() {
		return nil
	}
	old, y := j.base.h.Operation(o.OldOwner.Op), j.base.h.Operation(o.By.Op)
	if old == nil || y == nil || !holders.WritesLock(old.Kind) || y.Kind != model.Acquire {
		return nil
	}
	x := j.base.EndedHolder(o)
	before := j.base.Previous(i)
	if x == nil || x == y || holders.SameThread(x, y) || before == nil || before.Value == o.Value || !j.base.Takes(y, o) {
		return nil
	}
	over := func(s model.Stamp) bool { return s.Happened() && s.Seq < o.Seq }
	if r := j.base.h.Operation(j.base.Released(x.ID)); r != nil && over(r.Call) || over(x.Return) && x.Result != model.OK {
		return nil
	}
	if measured := j.base.o.Terms.Measured; before.ExpiresAt != 0 && !(measured && (o.At >= before.ExpiresAt || j.base.Hurried(o.Place(), key, o))) {
		return x // it is valid until it expires
	}
	passed := o.At >= j.base.AskedAt(x, o.Seq)+j.base.h.TTL || x.Leased && x.Until <= o.At // some locks keep the end in the value
	if passed || j.sessionPassed(x, o) || j.base.Hurried(o.Place(), key, o) || over(x.Lost) || over(j.base.CrashAfter(x.Client, x.Call.Seq)) {
		return nil
	}
	return x
}

// OwnerOnlyRelease is violated when a request of one acquisition deletes a key of the lock at an authority although
// another acquisition wrote its value, by Acquire or Extend, and is still entitled to it; or when the request changes the
// value and an Acquire succeeds by that. The two acquisitions may belong to one process: a late request of an earlier one
// that removes the lock of a later one counts. If the operation that caused the deletion is not known, processes are
// compared. Expiry and changes at followers do not count.
//
// A process may remove a key that it has itself given up. Any client may remove a key without expiry once its holder has
// crashed, its Acquire has failed or its lease has ended, since some locks keep the expiry in the value and take over this
// way. If its Acquire has not returned, in a lock whose leases have an Until, the lease has ended when the key is as old
// as a lease. Any client may change the value of a key without expiry once a lease has passed since the holder's request,
// or its Until; a key with an expiry is live until it expires. Any client may remove or change the value once the holder's
// session, another record of its process that names the holder, has expired by itself. A record that lives with a session
// is live as long as the session.
//
// A value has an owner only if it is one string under the one key of an exclusive lock. For hashes and the like, and after
// a Release that hands the lock over, only an Ownership's shares are judged. In a lock with an Ownership, a record put
// before the holder's overwrites it. Not applicable if no Acquire created a key whose value is one acquisition's.
const OwnerOnlyRelease = "owner-only-release"

var ownerOnlyRelease = Property{
	ID: OwnerOnlyRelease, Letter: "R", Legend: "removes another's live lock",
	About: "nobody removes or overwrites a live lock of another acquisition in the store",
	Description: model.Description{
		Asks:   "Nobody removes a live lock that is not its own.",
		Window: "another's lock is removed",
		Harm:   model.FirstHarm,
	},
	Doc: "Nobody removes or overwrites a live lock of another acquisition. A client that repeats a request after a time-out must repeat it " +
		"with NX. A release by GET, compare and DEL in three steps violates the property: between the GET and the DEL the lease may end " +
		"and another client may take the lock. Compare and delete in one script.",
	NeedsHolder: true,
	Verdict:     func(j *Judge) model.Verdict { return ownerOnlyReleaseJudge{j}.verdict() },
}

// verdict looks at authorities only: what followers delete was judged where it was deleted first.
func (j ownerOnlyReleaseJudge) verdict() model.Verdict {
	if j.base.o.Ownership != nil {
		return j.holderRemoved()
	}
	created, keys := false, j.base.LockKeys()
	for i := range j.base.h.Observations {
		o := &j.base.h.Observations[i]
		if o.Authority == "" {
			continue
		}
		owner := j.base.h.Operation(o.Owner.Op)
		if o.Kind == model.RecordCreated && owner != nil && owner.Kind == model.Acquire {
			created = true
		}
		if o.Kind == model.RecordChanged {
			if x := j.overwritten(o, i); x != nil {
				return j.removed(x, o)
			}
		}
		if o.Kind != model.RecordDeleted || owner == nil || !holders.WritesLock(owner.Kind) || !slices.Contains(keys, o.Key) {
			continue
		}
		x := j.base.EndedHolder(o)
		if x == nil || !j.foreign(x, o) || !j.live(x, o, j.expires(o.Key, i)) || j.sessionPassed(x, o) {
			continue
		}
		return j.removed(x, o)
	}
	switch {
	case !created:
		return j.base.noneStored()
	case len(keys) == 0:
		return notApplicable("No " + j.base.record() + " is known whose value is one acquisition's.")
	}
	return holds()
}

// holderRemoved is verdict for a lock with an Ownership: the holder's record must not be removed.
func (j ownerOnlyReleaseJudge) holderRemoved() model.Verdict {
	if !j.base.EverStored() {
		return j.base.noneStored()
	}
	all := j.base.Tenures()
	for k := range all {
		t, x := &all[k], j.base.h.Operation(all[k].Acquisition)
		o := t.Over
		if x == nil || o == nil || o.Authority == "" || !removedBy(t, o) || !j.foreign(x, o) {
			continue
		}
		i, _ := slices.BinarySearchFunc(j.base.h.Observations, o.Seq, func(other model.Observation, seq int64) int { return cmp.Compare(other.Seq, seq) })
		if j.live(x, o, j.expires(t.Key, i)) && !j.ranOut(t, x) {
			return j.removed(x, o)
		}
	}
	return holds()
}

// removedBy reports whether a request ended the tenure: it deleted or overwrote the record, or put another before it.
func removedBy(t *holders.Tenure, o *model.Observation) bool {
	return o.Kind == model.RecordDeleted || o.Kind == model.RecordChanged || o.Kind == model.RecordCreated && o.Key != t.Key
}

// ranOut reports whether the lease of a holder that was removed from a shared key had ended: the key's expiry does not
// show it.
func (j ownerOnlyReleaseJudge) ranOut(t *holders.Tenure, x *model.Operation) bool {
	until, _ := j.base.GrantedUntil(t, t.Over.Seq)
	measured := j.base.o.Terms.Measured && until != holders.NoEnd
	if j.base.ExpiredAtEnd(t) || measured && until <= t.Over.At || j.base.SessionEnd(x, t) < t.Over.At || (t.Until == 0 || measured) && j.base.Hurried(t.Node, t.Key, t.Over) {
		return true
	}
	r := j.base.h.Operation(j.base.Released(x.ID))
	if t.Over.Kind == model.RecordDeleted || (t.Until != 0 || measured) && (r == nil || r.Call.Seq > t.Over.Seq) {
		return false // its own end says so
	}
	since := x.Call.At
	for i := range j.base.h.Operations {
		if op := &j.base.h.Operations[i]; op.Kind == model.Extend && op.Acquisition == x.ID && op.Call.Seq < t.Over.Seq {
			since = op.Call.At
		}
	}
	return t.Over.At >= since+j.base.h.TTL || x.Leased && x.Until <= t.Over.At
}

// sessionPassed reports whether the holder's session, a record of its own, had ended when an observation ended its share.
func (j ownerOnlyReleaseJudge) sessionPassed(x *model.Operation, o *model.Observation) bool {
	return slices.ContainsFunc(j.base.EndedAt(o.Seq), func(t *holders.Tenure) bool {
		return t.Acquisition == x.ID && j.base.SessionEnd(x, t) < o.At
	})
}

// foreign reports whether another acquisition than the key's owner caused the deletion. If no operation is known the
// processes are compared.
func (j ownerOnlyReleaseJudge) foreign(x *model.Operation, o *model.Observation) bool {
	y := j.base.AcquisitionOf(o.By)
	if y == 0 {
		client := j.base.ClientOf(o.By)
		return client != "" && client != x.Client
	}
	return y != x.ID
}

// live reports whether the lock that an observation removes was live; expires is set if its record had an expiry.
//
// The owner's process may delete the lock once it has called Release, failed to acquire, crashed, or seen its lease end by
// its own clock: the clean-up of an earlier acquisition may be attributed to an operation that happens to be open by then.
//
// Others may delete a lock that the store would keep for ever (its key has no expiry) once its Acquire failed, its holder
// crashed or its lease ended: locks that keep their expiry in the value take over in this way. A key with an expiry, or
// with a session, is live until it expires.
func (j ownerOnlyReleaseJudge) live(x *model.Operation, o *model.Observation, expires bool) bool {
	over := func(s model.Stamp) bool { return s.Happened() && s.Seq < o.Seq }
	gone := x.Result != model.OK && over(x.Return) || over(j.base.CrashAfter(x.Client, x.Call.Seq))
	ended := over(x.Lost) || holders.Acquired(x) && over(x.Return) && x.Leased && j.base.ClaimAt(x, o.Stamp) == nil ||
		!over(x.Return) && j.grewOld(x, o)
	if j.base.ClientOf(o.By) == x.Client {
		r := j.base.h.Operation(j.base.Released(x.ID))
		return !gone && !ended && (r == nil || !over(r.Call))
	}
	return expires || !gone && !ended
}

// grewOld reports whether the record that an observation removes was a lease old while its Acquire had not returned. In a
// lock whose leases have an Until no lease of that record could still be valid, unless the Acquire in the end claims a
// later Until without having written again.
func (j ownerOnlyReleaseJudge) grewOld(x *model.Operation, o *model.Observation) bool {
	var wrote *model.Observation
	again := false
	for i := range j.base.h.Observations {
		w := &j.base.h.Observations[i]
		if w.Place() != o.Place() || w.By.Op != x.ID || w.Kind != model.RecordCreated && w.Kind != model.RecordChanged {
			continue
		}
		if w.Seq < o.Seq {
			wrote = w
		} else {
			again = true
		}
	}
	if wrote == nil || o.At < wrote.At+j.base.h.TTL {
		return false
	}
	if holders.Acquired(x) {
		return x.Leased && (again || x.Until <= o.At)
	}
	return slices.ContainsFunc(j.base.h.Operations, func(op model.Operation) bool { return op.Leased })
}

// expires reports whether the record of a key had an expiry at observation i, or lived with a session. If the history does
// not show it, the record is assumed to have had one.
func (j ownerOnlyReleaseJudge) expires(key string, i int) bool {
	o := &j.base.h.Observations[i]
	ends := func(o *model.Observation) bool { return o.ExpiresAt != 0 || o.Session != "" }
	if o.Key == key && ends(o) {
		return true
	}
	for i--; i >= 0; i-- {
		before := &j.base.h.Observations[i]
		if before.Place() != o.Place() || before.Key != key {
			continue
		}
		if before.Kind == model.RecordCreated || before.Kind == model.RecordChanged {
			return ends(before)
		}
	}
	return true
}

// removed returns the verdict on the deletion of x's lock.
func (j ownerOnlyReleaseJudge) removed(x *model.Operation, o *model.Observation) model.Verdict {
	var why reason
	ops := []int{x.ID, o.By.Op}
	y := j.base.Acquisition(j.base.h.Operation(o.By.Op))
	if y != nil && y.ID != x.ID {
		ops = append(ops, y.ID)
		if key := j.base.LockKey(); key == o.Key {
			why = j.whyRemoved(y, key, o)
		}
	}
	did := " removed"
	if o.Kind == model.RecordChanged {
		did = " overwrote"
	}
	sentence := j.base.author(o.By) + did + " the lock of " + j.base.who(x)
	if y != nil && holders.SameThread(x, y) {
		sentence = j.base.author(o.By) + did + " the lock that " + j.base.who(x) + " had acquired since"
	}
	to := o.Stamp
	if holders.Acquired(x) {
		if c := j.base.ClaimAt(x, o.Stamp); c != nil {
			sentence += " while " + j.base.who(x) + " held it"
			to = j.base.ClaimEnd(c)
		}
	}
	return WithCause(violated(because(sentence, why), o.Stamp, to,
		append(ops, why.ops...), append(why.seqs, o.Seq)), j.base.UnlessStale(model.RemovedByAnother, j.base.h.Operation(o.By.Op), o.Seq))
}

// whyRemoved returns why the deletion did not meet y's own key: it was gone by then, maybe through the same operation,
// whose command was sent again when its answer did not arrive.
func (j ownerOnlyReleaseJudge) whyRemoved(y *model.Operation, key string, o *model.Observation) reason {
	lost := j.base.Loss(y.ID, key, o.Seq-1)
	if lost != nil && lost.Kind == model.RecordDeleted && lost.By.Op == o.By.Op {
		return reason{text: "it had deleted its own before, and deleted once more", seqs: []int64{lost.Seq}}
	}
	return j.base.whyLost(y, key, o.Seq-1)
}
