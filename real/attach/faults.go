package attach

import (
	"errors"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/sim"
)

// fault is a fault of the plan in a run.
type fault struct {
	Fault
	struck, ended bool
	at            time.Time
	request       *request // nil at the beginning of a hold
	actor         *actor
	node          string          // whose records it awaits
	keys          map[string]bool // the client's records when it struck
	gone          time.Time       // when the store had none of them any more
	passed        int
	got, free     bool      // another client has the lock since; and it has released it
	over          time.Time // when it ended
	met           bool      // its client has ended its round since
	seen          int       // the index of its observation
}

// acts reports whether it has begun, and not ended.
func (f *fault) acts() bool { return f.struck && !f.ended && f.Do.lasts() }

// holds reports whether the answer to a request may not be delivered: the fault decides about it once its effect is known,
// and a delay holds it.
func (f *fault) holds(q *request) bool {
	if f.Do.early() {
		return false
	}
	return !f.struck || f.Do == DelayAnswer && f.acts() || f.Do == LoseAnswer && f.request == q
}

// disturbed reports whether a fault acts.
func (r *run) disturbed() bool { return slices.ContainsFunc(r.faults, (*fault).acts) }

// strikes returns the fault at a request, nil if there is none: an early one before it is sent, or another.
func (r *run) strikes(q *request, early bool) *fault {
	for _, f := range r.faults {
		if f.struck || f.Do.early() != early {
			continue
		}
		at := q.point
		if f.At.N == 0 {
			at.N = 0
		}
		if f.At == at {
			return f
		}
	}
	return nil
}

// reach strikes with the faults at the beginning of a client's hold.
func (r *run) reach(a *actor) {
	for _, f := range r.faults {
		if !f.struck && f.At == (Point{Client: a.name, Phase: Holding, Round: a.round}) {
			f.actor = a
			r.strike(f, nil)
			if err := r.carryOut(f, nil); err != nil {
				r.failed = errors.Join(r.failed, err)
			}
		}
	}
}

// strike begins a fault, and records it.
func (r *run) strike(f *fault, q *request) {
	f.struck, f.at, f.request, f.keys = true, time.Now(), q, map[string]bool{}
	var by model.Origin
	if q != nil {
		f.actor, f.node, by = q.actor, q.Node, q.by
	} else {
		f.node = r.seats.of(0)
		by = r.originOf(f.actor)
	}
	for key, k := range r.Known[r.place(f.node)] { // unordered: into a set
		if k.Owner.Client == f.actor.name {
			f.keys[key] = true
		}
	}
	f.seen = len(r.History.Observations)
	name := f.actor.name
	switch f.Do {
	case LoseRequest:
		r.Observe(model.Observation{Node: name, Kind: model.Noted, By: by, Note: &model.Note{
			Event: "request-lost", Detail: q.Signature, Bad: true, Text: "{node} sends a request, which is lost with its connection"}})
		r.heal()
	case DelayQuery:
		r.Observe(model.Observation{Node: name, Kind: model.Delayed, By: by})
	case DelayAnswer:
		r.Observe(model.Observation{Node: f.node, Kind: model.Delayed, By: by})
	case LoseAnswer:
		r.Observe(model.Observation{Node: name, Kind: model.ReplyLost, By: by})
	case StopClient:
		r.Observe(model.Observation{Node: name, Kind: model.Paused})
	case KillClient:
		r.Observe(model.Observation{Node: name, Kind: model.Crashed})
	}
}

// heal records that a fault is over by now.
func (r *run) heal() { r.History.Healed = max(r.History.Healed, time.Since(r.Began)) }

// carryOut does what a fault does to a client, or to an answer.
func (r *run) carryOut(f *fault, q *request) error {
	switch f.Do {
	case LoseAnswer:
		r.loseAnswer(q)
	case StopClient:
		return f.actor.hang(true)
	case KillClient:
		f.actor.dead = true
		f.actor.kill()
	case FailOver:
		return r.failOver(f)
	}
	return nil
}

// loseAnswer ends the connection of a request before its answer.
func (r *run) loseAnswer(q *request) {
	i := slices.IndexFunc(q.inbox, func(a *answer) bool { return a.to == q })
	var lost *answer
	if i >= 0 {
		lost = q.inbox[i]
	}
	r.breakOff(q.link, lost)
}

// countPassed counts a request for the faults that await others.
func (r *run) countPassed(q *request) {
	if q.point.Phase == "" || r.free(q.Signature) {
		return
	}
	for _, f := range r.faults {
		if f.acts() && f.actor != q.actor {
			f.passed++
		}
	}
}

// free reports whether a request only keeps a session alive.
func (r *run) free(signature string) bool {
	e, is := r.Store.(confirm.Ensemble)
	return is && e.Free(signature)
}

// endFaults ends the faults whose end has come.
func (r *run) endFaults() error {
	for _, f := range r.faults {
		if !f.acts() || !r.isOver(f) {
			continue
		}
		f.ended, f.over = true, time.Now()
		o := &r.History.Observations[f.seen]
		o.For = time.Since(r.Began) - o.At
		r.History.Healed = max(r.History.Healed, realclient.HealedBy(o))
		switch f.Do {
		case DelayAnswer:
			r.flush(f.request.link)
		case StopClient:
			r.Observe(model.Observation{Node: f.actor.name, Kind: model.Resumed})
			if err := f.actor.hang(false); err != nil {
				return err
			}
			r.goesOn(f.actor)
		}
	}
	return nil
}

// goesOn lets a client that was stopped use what it believes to have: for a moment, or, in a long hold, for long enough to
// learn that it has lost it.
func (r *run) goesOn(a *actor) {
	now := time.Now()
	a.sent, a.next = now, now.Add(part(r.lease, Turns.Hold/2))
	if r.work.Extends && a.phase == holding {
		a.leaves = now.Add(part(r.lease, Long.Hold/2))
		r.nextExtend(a, now)
	}
}

const (
	// longest is the maximum length of a delay or a stop, in leases, while nothing changes.
	longest = 1.6
	// unused is how long a delay or a stop lasts on, in leases, when the store has no record any more, unless another client
	// gets the lock.
	unused = 0.7
	// courtesy is how long others wait for a client at most, in leases, once its delay or stop is over.
	courtesy = 0.85
)

// isOver reports whether a delay or a stop is over.
func (r *run) isOver(f *fault) bool {
	lasted := time.Since(f.at)
	late := lasted > part(r.lease, longest)
	if f.Passed > 0 {
		return late || f.passed >= f.Passed
	}
	if has, _ := r.holders(f); has || len(f.keys) == 0 && lasted < part(r.lease, 1.02) {
		return late
	}
	if f.gone.IsZero() {
		f.gone = time.Now()
	}
	if f.Passed == UntilFree && f.got {
		return f.free || late && time.Since(f.gone) > part(r.lease, longest)
	}
	return f.got || time.Since(f.gone) > part(r.lease, unused)
}

// holders reports whether a fault's client still has the records that it had when the fault struck, and whether others have
// any.
func (r *run) holders(f *fault) (has, others bool) {
	for key, k := range r.Known[r.place(f.node)] { // unordered: any
		has = has || f.keys[key] && k.Owner.Client == f.actor.name
		others = others || k.Owner.Client != "" && k.Owner.Client != f.actor.name
	}
	return has, others
}

// watchFaults notes for the faults that act what other clients have.
func (r *run) watchFaults() {
	for _, f := range r.faults {
		if !f.acts() {
			continue
		}
		has, others := r.holders(f)
		f.free = f.got && !others
		f.got = f.got || !has && others
	}
}

// yields reports whether a client's next order waits for another client, whose delay or stop ends because of what this one
// has, or has released: what the other one does then is not to come too late on a busy machine.
func (r *run) yields(a *actor) bool {
	return slices.ContainsFunc(r.faults, func(f *fault) bool {
		if f.actor == a || !f.struck || !f.Do.lasts() || f.Passed > 0 || !f.got || f.met || f.ended && time.Since(f.over) > part(r.lease, courtesy) {
			return false
		}
		return f.Passed == UntilGone && a.phase != wanting && !f.gone.IsZero() || f.Passed == UntilFree && a.phase == resting
	})
}

// meet notes that a client has ended its round.
func (r *run) meet(a *actor) {
	for _, f := range r.faults {
		f.met = f.met || f.ended && f.actor == a
	}
}

// settleFaults ends those that still act at the end of a run, for the history alone.
func (r *run) settleFaults() {
	for _, f := range r.faults {
		if f.acts() {
			o := &r.History.Observations[f.seen]
			o.For = time.Since(r.Began) - o.At
		}
	}
}

// replicate gives the followers of a node what it has. What it gets after that they lack.
func (r *run) replicate(node string) error {
	if err := r.servers.Replicate(node); err != nil {
		return err
	}
	for _, nodes := range r.nodes() {
		for _, n := range nodes {
			if slices.Contains(nodes, node) && n != node {
				r.Follow(n, node)
			}
		}
	}
	return nil
}

// failOver kills the node that serves a client, and lets its follower serve.
func (r *run) failOver(f *fault) error {
	server := slices.IndexFunc(r.nodes(), func(nodes []string) bool { return slices.Contains(nodes, f.node) })
	nodes := r.nodes()[server]
	i := slices.Index(nodes, f.node)
	if i+1 >= len(nodes) {
		return errors.New("a failover needs a follower: give --followers 1")
	}
	r.seats.set(server, "")
	r.Observe(model.Observation{Node: f.node, Kind: model.Crashed, Authority: f.node})
	if err := r.servers.Kill(f.node); err != nil {
		return err
	}
	next := nodes[i+1]
	if err := r.servers.Promote(next); err != nil {
		return err
	}
	r.Observe(model.Observation{Node: next, Kind: model.Promoted, Authority: next})
	r.seats.set(server, next)
	r.Log(sim.Event{Kind: sim.EventNote, Actor: next, Detail: "serves"})
	_, err := r.look(next, model.Origin{})
	return err
}
