package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// kinds are facts about the kinds of objects that are no mutex.
var kinds = map[model.Kind]struct {
	// noun is the thing that clients wait for.
	noun string
	// held is set if clients hold it, and counted if they hold permits.
	held, counted bool
	// leased is set if the model knows that holds may end by themselves.
	leased bool
}{

	model.KindReadWrite:       {noun: "the lock", held: true},
	model.KindReentrant:       {noun: "the lock", held: true},
	model.KindSemaphore:       {noun: "its permits", held: true, counted: true},
	model.KindPermitSemaphore: {noun: "a permit", held: true, counted: true, leased: true},
	model.KindLatch:           {noun: "the latch to open"},
	model.KindBarrier:         {noun: "the others at the barrier"},
	model.KindStock:           {noun: "its order to be served"},
}

// holdable reports whether clients can hold such an object.
func holdable(k model.Kind) bool {
	f, other := kinds[k]
	return !other || f.held
}

// counted reports whether it is held in permits.
func counted(k model.Kind) bool { return kinds[k].counted }

// noun is the thing that clients wait for.
func (j *Judge) noun() string {
	if f, other := kinds[j.o.Spec.Kind]; other {
		return f.noun
	}
	return "the lock"
}

// several reports whether several may hold the object at once, so that its key in
// the store has no single owner.
func (j *Judge) several() bool {
	return j.o.Spec.Kind == model.KindReadWrite || !holdable(j.o.Spec.Kind) || counted(j.o.Spec.Kind)
}

// amount is how many permits a claim is of.
func (j *Judge) amount(c *claim) int64 {
	if said := j.h.CallOf(c.op.ID); said != nil {
		return said.Amount()
	}
	return 1
}

// excludes reports whether the claim is exclusive.
func (j *Judge) excludes(c *claim) bool {
	said := j.h.CallOf(c.op.ID)
	return said == nil || said.Op != model.AcquireRead
}

// mode says how a read-write lock is held.
func (j *Judge) mode(c *claim) string {
	if j.excludes(c) {
		return "for writing"
	}
	return "for reading"
}

// served reports whether it was served. A refusal by an empty stock counts.
func (j *Judge) served(op *model.Operation) bool {
	if !op.Return.Happened() {
		return false
	}
	said := j.h.CallOf(op.ID)
	return op.Result == model.OK || said != nil && said.Refused
}

// unowed says why waiters need not be served, or nothing: they wait for a client
// that has crashed, or that may not have arrived.
func (j *Judge) unowed() string {
	if kind := j.o.Spec.Kind; kind != model.KindLatch && kind != model.KindBarrier {
		return ""
	}
	for i := range j.h.Calls {
		if c := &j.h.Calls[i]; c.Op == model.Crash {
			return c.Client + " crashed, for whom the others wait lawfully."
		}
	}
	for i := range j.h.Operations {
		op := &j.h.Operations[i]
		if j.o.Spec.Kind == model.KindBarrier && op.Result == model.Unknown && op.Return.Happened() && !op.Cancelled.Happened() {
			return j.who(op) + " was told by an error that it may have arrived at the barrier or not, and may be waited for in vain."
		}
	}
	return ""
}

// lockKeys are the lock's keys: Options.LockKeys, or else those of the history
// ([model.History.LockKeys]). There are none for an object that several may hold at
// once, without an Ownership.
func (j *Judge) lockKeys() []string {
	switch {
	case j.o.LockKeys != nil:
		return j.o.LockKeys
	case j.keys == nil && (!j.several() || j.o.Ownership != nil):
		j.keys = j.h.LockKeys(j.o.Ownership)
	}
	return j.keys
}

// lockKey returns the key that stands for the lock: the one that has its name, or
// else the first. It is empty if the lock has no key, has several records without a
// main one, or may be held by several at once: the last writer of the key need not
// hold it.
func (j *Judge) lockKey() string {
	keys := j.lockKeys()
	switch {
	case j.several():
	case slices.Contains(keys, j.h.LockName):
		return j.h.LockName
	case len(keys) == 1, len(keys) > 1 && j.o.Ownership == nil:
		return keys[0]
	}
	return ""
}
