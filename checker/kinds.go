package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// kinds are what the properties have to know of the kinds of objects that are no
// mutex.
var kinds = map[model.Kind]struct {
	// noun is what one waits for.
	noun string
	// held is set if one has it for a while, and counted if in permits.
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

// holdable reports whether one can have such an object for a while.
func holdable(k model.Kind) bool {
	f, other := kinds[k]
	return !other || f.held
}

// counted reports whether it is held in permits.
func counted(k model.Kind) bool { return kinds[k].counted }

// noun is what somebody waits for who waits.
func (j *judge) noun() string {
	if f, other := kinds[j.o.Spec.Kind]; other {
		return f.noun
	}
	return "the lock"
}

// several reports whether several may hold the object at once, so that its key
// in the store is nobody's own.
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

// excludes reports whether whoever has the claim is to be alone.
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

// served reports whether it was: who is told that the stock does not suffice has
// had an answer, too.
func (j *judge) served(op *model.Operation) bool {
	if !op.Return.Happened() {
		return false
	}
	said := j.h.CallOf(op.ID)
	return op.Result == model.OK || said != nil && said.Refused
}

// unowed says why nobody can be asked to serve those who wait, or nothing: what
// they wait for others to do, and these are no more.
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
