package attach

import (
	"cmp"
	"maps"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// stage is what a client does in its round.
type stage int

const (
	resting stage = iota // between rounds
	wanting              // to acquire
	holding
	leaving // to release
)

// actor is a client in its workload.
type actor struct {
	*client
	first order // to prepare
	ready bool
	dead  bool // killed by a fault
	asks  bool // it has sent a request in its workload

	round   int
	phase   stage
	id      int           // of the last order
	op      int           // under way, 0 if none
	asked   model.OpKind  // the kind of the operation under way
	hold    int           // the acquisition that it has, 0 if none
	since   time.Time     // when it began to want the lock
	sent    time.Time     // when the last order was sent
	waits   time.Duration // how long that may take
	next    time.Time     // when the next order is due
	got     time.Time     // when it acquired the lock
	sure    time.Time     // when it asked for the lease that it knows to have
	leaves  time.Time     // when the hold is over
	tries   int           // of the release
	extends bool          // the library can extend
	reports bool          // the library reports that a lock is lost
	row     *row          // the columns of a lock that is a row
}

// patience is how long a client may take for an answer, besides the wait that it was given.
const patience = 10 * time.Second

const (
	// between is the time between two attempts of a client, and pause that between two rounds.
	between = 25 * time.Millisecond
	pause   = 5 * time.Millisecond
	// releases is how often a release is tried whose result is unknown.
	releases = 3
)

// act sends a client its next order, if that is due.
func (r *run) act(a *actor) error {
	now := time.Now()
	switch {
	case a.dead || a.stopped:
		return nil
	case a.op != 0:
		if now.Sub(a.sent) > a.waits+patience && !r.disturbed() {
			return errClient(a, "does not answer the order to %s within %s", a.asked, patience)
		}
		return nil
	case now.Before(a.next), a.round == 0 && !r.begins(a), r.yields(a) && (a.phase != holding || !now.Before(a.leaves)):
		return nil
	}
	lease := r.lease
	switch a.phase {
	case resting:
		if a.round >= r.rounds {
			return nil
		}
		a.round++
		a.phase, a.since = wanting, now
		fallthrough
	case wanting:
		if r.tooLong(a, now) {
			r.stuck = true
			return nil
		}
		r.order(a, model.Acquire, part(lease, r.work.Wait))
	case holding:
		if !now.Before(a.leaves) || r.unrenewed(a, now) {
			a.phase, a.tries = leaving, 0
			return r.act(a)
		}
		if !a.extends {
			a.next = a.leaves
			return nil
		}
		r.order(a, model.Extend, 0)
	case leaving:
		a.tries++
		r.order(a, model.Release, 0)
	}
	return nil
}

// tooLong reports whether a client has waited for the lock for longer than it may.
func (r *run) tooLong(a *actor, now time.Time) bool {
	if r.disturbed() {
		return false
	}
	from := max(a.since.Sub(r.Began), r.History.Healed)
	return now.Sub(r.Began) > from+r.bound+part(r.lease, 0.2)
}

// order sends an order, and begins its operation.
func (r *run) order(a *actor, kind model.OpKind, wait time.Duration) {
	a.id++
	o := order{ID: a.id, Do: string(kind)}
	id := len(r.History.Operations) + 1
	op := model.Operation{ID: id, Client: a.name, Kind: kind, Acquisition: a.hold, Call: r.Mark(a.name, string(kind)), Result: model.Unknown}
	if kind == model.Acquire {
		ms := wait.Milliseconds()
		o.Wait, op.Try, op.Acquisition = &ms, wait == 0, id
	}
	r.History.Operations = append(r.History.Operations, op)
	a.op, a.asked, a.sent, a.waits = id, kind, time.Now(), wait
	a.send(o)
}

// hear handles a report.
func (r *run) hear(h heard) error {
	i := slices.IndexFunc(r.actors, func(a *actor) bool { return a.client == h.client })
	a := r.actors[i]
	switch {
	case a.dead:
		return nil
	case h.end:
		return a.gone()
	case h.err != nil:
		return errClient(a, "prints a line that is no report: %v", h.err)
	case h.kind() == "ready":
		return r.hearReady(a, h)
	case h.kind() == "lost":
		if op := r.History.Operation(a.hold); op != nil && !op.Lost.Happened() {
			op.Lost, op.Notifies = r.Mark(a.name, "lost"), true
		}
		return nil
	case a.op == 0 && h.ID == a.id && a.id > 0:
		return errClient(a, "answers order %d twice", h.ID)
	case a.op == 0 || h.ID != a.id:
		return errClient(a, "answers an order with the id %d, which it does not have", h.ID)
	}
	return r.answered(a, h)
}

// hearReady handles the report that a client is ready.
func (r *run) hearReady(a *actor, h heard) error {
	switch {
	case a.ready:
		return errClient(a, "reports twice that it is ready")
	case *h.Protocol != Protocol:
		e := a.broken("speaks version %d of the protocol, and this simrun speaks version %d (docs/attach.md)", *h.Protocol, Protocol)
		e.Fatal = true
		return e
	case !*h.Ready:
		e := a.broken("cannot work: %s", cmp.Or(h.Error, "it does not say why"))
		e.Fatal = true
		return e
	}
	a.ready, a.lock, a.lease, a.reports, a.row = true, h.Lock, r.Lease, h.Reports, h.Row
	if h.Lease != nil {
		a.lease = time.Duration(*h.Lease) * time.Millisecond
	}
	// The next one prepares after this one: both may make the same table.
	if i := slices.Index(r.actors, a); i+1 < len(r.actors) {
		r.actors[i+1].send(r.actors[i+1].first)
	}
	return nil
}

// answered ends the operation of a client with its answer.
func (r *run) answered(a *actor, h heard) error {
	op := r.History.Operation(a.op)
	if h.Result == resultUnsupported && op.Kind != model.Extend {
		return errClient(a, "cannot %s (unsupported)", op.Kind)
	}
	op.Return, op.Err, op.Result = r.Mark(a.name, string(op.Kind)+" "+string(h.Result)), h.Error, model.Unknown
	switch h.Result {
	case resultOK:
		op.Result = model.OK
	case resultFailed:
		op.Result, op.NotHeld = model.Failed, op.Kind != model.Acquire
	case resultUnsupported:
		op.Err, a.extends = "the library cannot extend a lock", false
	}
	if until := h.until(h.at); op.Result == model.OK && op.Kind != model.Release && !until.IsZero() {
		op.Leased, op.Until = true, r.In(until)
	}
	op.Notifies = a.reports && op.Kind == model.Acquire && op.Result == model.OK
	if h.Token != nil && op.Kind == model.Acquire && op.Result == model.OK {
		op.Fenced, op.Token = true, *h.Token
	}
	a.op = 0
	r.proceed(a, op)
	return nil
}

// proceed sets what a client does after an operation.
func (r *run) proceed(a *actor, op *model.Operation) {
	now := time.Now()
	a.next = now.Add(between)
	switch {
	case op.Kind == model.Acquire && op.Result == model.OK:
		a.phase, a.hold, a.got, a.sure = holding, op.ID, now, a.sent
		long := r.work.Hold
		if r.probing {
			long = Turns.Hold
		}
		a.leaves = now.Add(part(r.lease, long))
		r.nextExtend(a, now)
		r.reach(a)
	case op.Kind == model.Extend && op.Result == model.Failed:
		a.phase, a.tries, a.next = leaving, 0, now
	case op.Kind == model.Extend:
		if op.Result == model.OK {
			a.sure = a.sent
		} else if end := a.sure.Add(part(a.lease, renewal)); a.extends && a.lease > 0 && end.Before(a.leaves) {
			a.leaves = end // it does not know that it has more than the last lease
		}
		r.nextExtend(a, now)
	case op.Kind == model.Release && (op.Result != model.Unknown || a.tries >= releases):
		a.phase, a.hold = resting, 0
		r.meet(a)
		a.next = now.Add(pause)
	}
}

// nextExtend sets when a client that holds the lock has its next order.
func (r *run) nextExtend(a *actor, now time.Time) {
	a.next = a.leaves
	switch lease := min(cmp.Or(a.lease, r.lease), r.lease); {
	case !r.work.Extends:
		return
	case a.extends:
		a.next = now.Add(part(lease, 1.0/3))
	case a.lease > 0 && now.Before(a.got.Add(part(lease, renewal))):
		a.next = a.got.Add(part(lease, renewal))
	}
	if a.next.After(a.leaves) {
		a.next = a.leaves
	}
}

// renewal is the part of a lease after which a lock that cannot be extended, and has not renewed itself, is released.
const renewal = 0.9

// unrenewed reports whether a client holds a lock that is about to end, since nothing extends or renews it.
func (r *run) unrenewed(a *actor, now time.Time) bool {
	return r.work.Extends && !a.extends && a.lease > 0 && !r.renews(a) && !now.Before(a.got.Add(part(min(a.lease, r.lease), renewal)))
}

// renews reports whether a client's library renews the lock by itself: it has sent a request during a hold.
func (r *run) renews(a *actor) bool {
	return slices.ContainsFunc(r.profile, func(s Seen) bool { return s.Client == a.name && s.Phase == Holding && s.Request != "" })
}

// pointOf returns the phase and the round to which a client's request belongs; its round is 0 before the first one.
func (a *actor) pointOf() Point {
	p := Point{Client: a.name, Round: a.round}
	switch {
	case a.op != 0:
		p.Phase = Phase(a.asked)
	case a.hold != 0:
		p.Phase = Holding
	case a.phase == wanting:
		p.Phase = Acquiring
	default:
		p.Phase = Releasing
	}
	return p
}

// sortedKeys returns the keys of a map in their order.
func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
