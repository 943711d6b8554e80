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
func (j *judge) noun() string {
	if f, other := kinds[j.o.Spec.Kind]; other {
		return f.noun
	}
	return "the lock"
}

// several reports whether several may hold the object at once, so that its key in
// the store has no single owner.
func (j *judge) several() bool {
	return j.o.Spec.Kind == model.KindReadWrite || !holdable(j.o.Spec.Kind) || counted(j.o.Spec.Kind)
}

// amount is how many permits a claim is of.
func (j *judge) amount(c *claim) int64 {
	if said := j.h.CallOf(c.op.ID); said != nil {
		return said.Amount()
	}
	return 1
}

// excludes reports whether the claim is exclusive.
func (j *judge) excludes(c *claim) bool {
	said := j.h.CallOf(c.op.ID)
	return said == nil || said.Op != model.AcquireRead
}

// mode says how a read-write lock is held.
func (j *judge) mode(c *claim) string {
	if j.excludes(c) {
		return "for writing"
	}
	return "for reading"
}

// waitsFor reports whether the operation is one that waits until it is served.
func waitsFor(op *model.Operation) bool {
	return slices.Contains([]model.OpKind{model.Acquire, model.Await, model.Take}, op.Kind)
}

// served reports whether it was served. A refusal by an empty stock counts.
func (j *judge) served(op *model.Operation) bool {
	if !op.Return.Happened() {
		return false
	}
	said := j.h.CallOf(op.ID)
	return op.Result == model.OK || said != nil && said.Refused
}

// unowed says why waiters need not be served, or nothing: they wait for a client
// that has crashed, or that may not have arrived.
func (j *judge) unowed() string {
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
