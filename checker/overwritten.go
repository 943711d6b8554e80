package checker

import "github.com/lockpick-dev/lockpick/model"

// overwritten returns the acquisition whose live lock is overwritten by a change of
// the lock's value, observation i, which gives the lock to another's; or nil.
//
// It takes a lock whose key is one string, and a change that was the grant of an
// Acquire which succeeded: what others write into a value otherwise may mean
// anything, such as a count of those who wait. Who writes the value that is there
// already, or what a Release has handed over, or enters again in the same thread,
// overwrites nobody.
func (j *judge) overwritten(o *model.Observation, i int) *model.Operation {
	key, ok := j.owned()
	if !ok || o.Key != key || o.Type != "" || j.several() {
		return nil
	}
	old, y := j.h.Operation(o.OldOwner.Op), j.h.Operation(o.By.Op)
	if old == nil || y == nil || !writesLock(old.Kind) || y.Kind != model.Acquire {
		return nil
	}
	x := j.acquisition(old)
	before := j.before(i)
	if x == nil || x == y || sameThread(x, y) || before == nil || before.Value == o.Value || !j.takes(y, o) {
		return nil
	}
	over := func(s model.Stamp) bool { return s.Happened() && s.Seq < o.Seq }
	if r := j.h.Operation(j.released[x.ID]); r != nil && over(r.Call) || over(x.Return) && x.Result != model.OK {
		return nil
	}
	if before.ExpiresAt != 0 {
		return x // it stands until it expires
	}
	passed := o.At >= j.asked(x, o.Seq)+j.h.TTL || x.Leased && x.Until <= o.At // some keep the end in the value
	if passed || over(x.Lost) || over(j.crashAfter(x.Client, x.Call.Seq)) {
		return nil
	}
	return x
}

// before is the observation before number i of the same key on the same node, or nil.
func (j *judge) before(i int) *model.Observation {
	o := &j.h.Observations[i]
	for i--; i >= 0; i-- {
		if p := &j.h.Observations[i]; p.Place() == o.Place() && p.Key == o.Key {
			return p
		}
	}
	return nil
}
