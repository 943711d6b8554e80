package stress

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/model"
)

// phase is what a client does in its turn.
type phase int

const (
	wanting phase = iota // to acquire
	entering
	working
	extending
	writing
	leaving // to release
	again   // to release a second time
)

// actor is a client in its workload. It repeats: acquire, read the protected resource, work, sometimes extend, write, release.
// Before an access it checks that its lease still claims the lock. Its choices are those of the clients in simulated runs: some
// tries do not wait, some holds are longer than a lease, some contexts end early, some releases are made twice.
type actor struct {
	*process
	thread  int
	random  *rand.Rand
	phase   phase
	op      int // under way, 0 if none
	last    int // the last one
	looking bool
	hold    int // the acquisition that it has
	order   int // the number of the last order, and held that of the acquisition
	held    int
	value   int64 // that it has read
	since   time.Time
	next    time.Time // when its next step is due
	cancel  time.Time // when its call's context ends, zero for never
	done    bool      // it has acquired and released once more after the faults
	healed  bool      // it has begun a turn after the faults
}

// maybe is true once in n times.
func (a *actor) maybe(n int) bool { return a.random.IntN(n) == 0 }

// part returns a random part of a time, up to all of it.
func (a *actor) part(d time.Duration) time.Duration {
	return time.Duration(a.random.Int64N(int64(d) + 1))
}

// tooLong reports whether a client's call has taken too long since the faults have ended.
func (r *run) tooLong(a *actor) bool {
	if a.dead || a.done || a.op == 0 {
		return false
	}
	from := max(a.since.Sub(r.Began), r.History.Healed)
	return time.Since(r.Began) > from+r.patience()+r.lease()/5
}

// patience is how long a client may wait for the lock: longer on a busy machine, but at most three times as long. Otherwise a round in
// which a client never gets the lock might not end.
func (r *run) patience() time.Duration {
	wait := r.wait(len(r.actors))
	return wait + min(r.slack, 2*wait)
}

// act does a client's next step, if that is due.
func (r *run) act(a *actor) error {
	now := time.Now()
	switch {
	case a.dead || a.stopped || a.looking || a.done:
		return nil
	case a.op != 0:
		if !a.cancel.IsZero() && now.After(a.cancel) {
			a.cancel = time.Time{}
			op := r.History.Operation(a.op)
			op.Cancelled = r.Mark(a.name, "cancelled")
			return a.orders.Encode(realclient.Order{Do: realclient.CancelCall, Thread: a.thread})
		}
		return nil
	case now.Before(a.next):
		return nil
	}
	switch a.phase {
	case wanting:
		if r.healing && a.healed {
			a.done = true
			return nil
		}
		a.healed = r.healing
		return r.order(a, model.Acquire)
	case entering, writing:
		return r.lookAtLease(a)
	case extending:
		return r.order(a, model.Extend)
	default:
		return r.order(a, model.Release)
	}
}

// order makes a client call its lock.
func (r *run) order(a *actor, kind model.OpKind) error {
	if err := r.send(a, kind, r.tries && kind == model.Acquire && a.maybe(4)); err != nil {
		return err
	}
	if !r.healing && a.maybe(10) { // some soon after the call, when its request is under way
		long := r.lease() / 2
		if a.maybe(2) {
			long = 3 * time.Millisecond
		}
		a.cancel = time.Now().Add(a.part(long))
	}
	return nil
}

// send sends the order of a call, and begins its operation.
func (r *run) send(a *actor, kind model.OpKind, try bool) error {
	r.orders++
	id := len(r.History.Operations) + 1
	op := model.Operation{ID: id, Client: a.name, Thread: a.thread, Kind: kind, Acquisition: a.hold, Call: r.Mark(a.name, string(kind)), Result: model.Unknown, Try: try}
	if kind == model.Acquire {
		op.Acquisition = id
	}
	r.History.Operations = append(r.History.Operations, op)
	a.op, a.last, a.since, a.cancel, a.order = id, id, time.Now(), time.Time{}, r.orders
	return a.orders.Encode(realclient.Order{N: r.orders, Do: kind, Thread: a.thread, Hold: a.held, Try: try})
}

// lookAtLease asks a client whether its lease still claims the lock, before an access.
func (r *run) lookAtLease(a *actor) error {
	r.orders++
	a.looking, a.order = true, r.orders
	return a.orders.Encode(realclient.Order{N: r.orders, Do: model.Read, Thread: a.thread, Hold: a.held})
}

// hear handles a report of a process.
func (r *run) hear(h heard) error {
	var a *actor
	for _, o := range r.actors {
		if o.process == h.process && o.thread == h.Thread {
			a = o
		}
	}
	switch {
	case a == nil || a.dead:
		return nil
	case h.end != nil:
		return fmt.Errorf("the process of %s has ended: %w\n%s", a.name, h.end, a.words.String())
	case h.Panic != "" && strings.Contains(h.Panic, "missing method Extend"):
		r.unextended, h.Err = true, "the lock cannot be extended"
	case h.Panic != "":
		return fmt.Errorf("the lock of %s panicked: %s", a.name, h.Panic)
	case h.Lost:
		if h.N == a.held {
			if op := r.History.Operation(a.hold); op != nil && !op.Lost.Happened() {
				op.Lost = r.Mark(a.name, "lost")
			}
		}
		return nil
	case h.N != a.order:
		return nil
	case a.looking:
		a.looking = false
		r.access(a, &h.Report)
		return nil
	}
	op := r.History.Operation(a.op)
	op.Return, op.Result, op.Err, op.NotHeld = r.Mark(a.name, string(op.Kind)+" "+string(h.Result)), h.Result, h.Err, h.NotHeld
	if op.Kind == model.Acquire && op.Result == model.OK {
		op.Fenced, op.Token, op.Notifies = h.Fenced, h.Token, h.Notifies
	}
	if op.Result == model.OK && op.Kind != model.Release && !h.Until.IsZero() {
		op.Leased, op.Until = true, r.In(h.Until)
	}
	a.op = 0
	r.proceed(a, op)
	return nil
}

// proceed sets what a client does after an operation. Most holds are short, so that the lock changes hands often.
func (r *run) proceed(a *actor, op *model.Operation) {
	lease := r.lease()
	a.next = time.Now().Add(a.part(lease / 50))
	switch op.Kind {
	case model.Acquire:
		if op.Result == model.OK {
			a.phase, a.hold, a.held = entering, op.ID, a.order
		}
	case model.Extend:
		a.phase = writing
		if op.NotHeld {
			a.phase = leaving
		}
		a.next = time.Now().Add(a.part(lease / 5))
	case model.Release:
		if a.phase != again && a.maybe(6) {
			a.phase = again
			return
		}
		a.phase, a.hold, a.held = wanting, 0, 0
	}
}

// work sets for how long a client works between its accesses, and whether it extends its lease.
func (r *run) work(a *actor) {
	lease := r.lease()
	a.phase = writing
	long := a.part(lease / 20)
	switch {
	case r.healing:
	case a.maybe(12 * r.calm):
		long = lease + a.part(lease/2) // longer than a lease, and not extended
	case a.maybe(8) && !r.unextended:
		long, a.phase = a.part(lease/20), extending
		if a.maybe(r.calm) {
			long = lease/3 + a.part(lease/4)
		}
	case a.maybe(6 * r.calm):
		long = a.part(lease)
	}
	a.next = time.Now().Add(long)
}

// access reads or writes the protected resource, if the lease still claims the lock. The resource refuses a token lower than one
// that it has seen.
func (r *run) access(a *actor, report *realclient.Report) {
	kind := model.Read
	if a.phase == writing {
		kind = model.Write
	}
	if report.Result != model.OK {
		a.phase = leaving
		return
	}
	id := len(r.History.Operations) + 1
	hold := r.History.Operation(a.hold)
	fenced, token := hold.Fenced, hold.Token
	op := model.Operation{ID: id, Client: a.name, Thread: a.thread, Kind: kind, Acquisition: a.hold, Call: r.Mark(a.name, string(kind)), Result: model.OK}
	if !report.Until.IsZero() {
		op.Leased, op.Until = true, r.In(report.Until)
	}
	o := model.Observation{Node: "resource", Kind: model.ResourceRead, By: model.Origin{Client: a.name, Op: id}, Fenced: fenced, Token: token}
	switch {
	case fenced && r.fenced && token < r.highest:
		o.Kind, op.Result = model.ResourceRefused, model.Failed
	case kind == model.Write:
		r.value = a.value + 1
		op.Value, o.Kind = r.value, model.ResourceWritten
	default:
		a.value, op.Value = r.value, r.value
	}
	if fenced && o.Kind != model.ResourceRefused {
		r.fenced, r.highest = true, max(r.highest, token)
	}
	o.Number = r.value
	r.Observe(o)
	op.Return = r.Mark(a.name, string(kind)+" "+string(op.Result))
	r.History.Operations = append(r.History.Operations, op)
	a.last = id
	a.next = time.Now()
	switch {
	case kind == model.Read && op.Result == model.OK:
		r.work(a)
	default:
		a.phase = leaving
	}
}
