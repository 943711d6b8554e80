package attach

import (
	"errors"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/confirm"
	"github.com/lockpick-dev/lockpick/real/internal/gate"
	"github.com/lockpick-dev/lockpick/sim"
)

// link is a connection of a client's. All of it belongs to the run.
type link struct {
	*gate.Link
	actor  *actor
	number int
	asked  map[int]*request // let through, by their numbers
	inbox  []*answer        // sent by the server, and not delivered yet
	gone   bool             // the client has hung up
	ended  bool             // the server has hung up
	broken bool             // the server has done so by a reset
	over   bool             // for the client
	logged bool             // its end is in the events
	hungUp bool             // the server knows that the connection has ended
	last   *request         // that was let through last, and asks for something
	left   model.Origin     // whose doing is that the client has hung up; empty if it was killed, or broke off
}

// request is a request of a client.
type request struct {
	*link
	confirm.Message
	at       time.Time
	sent     time.Time // to its server
	by       model.Origin
	point    Point // its phase is empty for one that only serves the connection
	answered bool  // or never will be
	changed  bool
	// held is the fault that holds it, or its answer. waits is set while it may wait for a lock at its server.
	held  *fault
	waits bool
}

// answer is a message of a server. It may come unasked.
type answer struct {
	confirm.Message
	at time.Time
	to *request
}

// linked returns the link of a gate's connection, and records a new one.
func (r *run) linked(g *gate.Link) *link {
	if i := slices.IndexFunc(r.links, func(k *link) bool { return k.Link == g }); i >= 0 {
		return r.links[i]
	}
	i := slices.IndexFunc(r.actors, func(a *actor) bool { return a.name == g.Gate.Client })
	k := &link{Link: g, actor: r.actors[i], number: len(r.links) + 1, asked: map[int]*request{}}
	r.links = append(r.links, k)
	r.Log(sim.Event{Kind: sim.EventDial, Actor: k.Node, Peer: g.Gate.Client, Conn: k.number})
	return k
}

// note handles what an end of a connection has sent.
func (r *run) note(p gate.Passage) {
	k := r.linked(p.Link)
	switch {
	case p.Message == nil && p.ByServer:
		k.ended, k.broken = true, p.Broken
		for _, q := range k.asked { // unordered: each by itself
			q.answered = true
		}
		r.flush(k)
	case p.Message == nil:
		k.gone = true
		if !p.Broken && !k.actor.dead && !k.over {
			k.left = r.originOf(k.actor)
		}
		r.ends(k, sim.EventClose, k.Node, k.actor.name)
	case p.ByServer:
		a := &answer{Message: *p.Message, at: p.At, to: k.asked[p.Message.Number]}
		if a.to != nil && a.Number != 0 {
			a.to.answered = true
			delete(k.asked, a.Number)
		}
		r.lives(a)
		k.inbox = append(k.inbox, a)
		if a.to != nil && a.to.waits {
			r.waited(a.to)
		}
		r.flush(k)
	default:
		r.arrived(&request{link: k, Message: *p.Message, at: p.At})
	}
}

// arrived records the arrival of a request at its gate.
func (r *run) arrived(q *request) {
	q.by = r.originOf(q.actor)
	q.by.Conn = q.number
	if q.Signature != "" && q.Number != 0 && r.ready && q.actor.round > 0 {
		q.point = q.actor.pointOf()
		q.point.Request = q.Signature
	}
	r.waiting = append(r.waiting, q)
}

// originOf returns the operation to which a client's current request belongs: the one under way, or its last one.
func (r *run) originOf(a *actor) model.Origin {
	o := model.Origin{Client: a.name, Op: a.op}
	for i := len(r.History.Operations) - 1; i >= 0 && o.Op == 0; i-- {
		if op := &r.History.Operations[i]; op.Client == a.name {
			o.Op = op.ID
		}
	}
	return o
}

// passAll lets requests through, except those that a fault holds or loses.
func (r *run) passAll() error {
	for i := 0; i < len(r.waiting); {
		q := r.waiting[i]
		first := !slices.ContainsFunc(r.waiting[:i], func(o *request) bool { return o.link == q.link })
		if !first {
			i++
			continue
		}
		passes, err := r.decide(q)
		if err != nil {
			return err
		}
		if !passes {
			i++
			continue
		}
		r.waiting = slices.Delete(r.waiting, i, i+1)
		if err := r.execute(q); err != nil {
			return err
		}
	}
	return nil
}

// decide reports whether a request passes now. One that is lost is removed by execute.
func (r *run) decide(q *request) (bool, error) {
	switch {
	case q.held != nil:
		return !q.held.acts(), nil
	case q.point.Phase == "" || q.point.N > 0 || !r.serves(q.Node):
		return true, nil
	}
	refuses, err := r.servers.Refuses(q.Node, q.Bytes)
	if err != nil || refuses {
		q.point.Phase = "" // it comes again in another form
		return true, err
	}
	q.actor.asks = true
	r.counts[q.point]++
	q.point.N = r.counts[q.point]
	f := r.strikes(q, true)
	if f == nil {
		return true, nil
	}
	q.held = f
	r.strike(f, q)
	return f.Do == LoseRequest, nil
}

// sessional reports whether a node has a record that ends with a session, so that its end is not known before.
func (r *run) sessional(node string) bool {
	for _, k := range r.Known[r.place(node)] { // unordered: any
		if k.Session != "" && k.Ends.IsZero() {
			return true
		}
	}
	return false
}

// serves reports whether a node serves.
func (r *run) serves(node string) bool {
	r.seats.mu.Lock()
	defer r.seats.mu.Unlock()
	return slices.Contains(r.seats.names, node)
}

// timeToAnswer is how long a request is let run alone, so that its effect is known to be its own.
const timeToAnswer = time.Second

// execute sends a request to its server, waits for its answer, and looks for its effect.
func (r *run) execute(q *request) error {
	if q.held != nil && q.held.Do == LoseRequest || !r.serves(q.Node) {
		r.breakOff(q.link, nil)
		return nil
	}
	if q.Number != 0 {
		q.asked[q.Number] = q
	}
	sent := r.SentAt(q.at)
	r.Log(sim.Event{Kind: sim.EventDeliver, Actor: q.Node, Peer: q.actor.name, Conn: q.number, Sent: sent, Late: q.held != nil, Payload: q.Bytes})
	asks := q.Signature != "" && q.Number != 0
	alone := asks && !r.Store.Blocks(q.Signature)
	q.held, q.waits = nil, asks && !alone
	if asks {
		q.held, q.last = r.strikes(q, false), q
	}
	if alone && r.sessional(q.Node) { // what has ended by itself is not this request's doing
		if _, err := r.look(q.Node, model.Origin{}); err != nil {
			return err
		}
	}
	if q.held != nil && q.held.Do == FailOver {
		if err := r.replicate(q.Node); err != nil {
			return err
		}
	}
	q.sent = time.Now()
	_, _ = q.Server.Write(q.Bytes) // if the server is gone, its client will see
	if !alone {
		return nil
	}
	for end := time.Now().Add(timeToAnswer); !q.answered && !q.ended && time.Now().Before(end); {
		select {
		case p := <-r.passes:
			r.note(p)
		case <-time.After(time.Until(end)):
		}
	}
	changed, err := r.effect(q)
	if err != nil {
		return err
	}
	return r.executed(q, changed)
}

// effect looks for the effect of a request.
func (r *run) effect(q *request) (changed bool, err error) {
	r.executing = q
	defer func() { r.executing = nil }()
	return r.look(q.Node, q.by)
}

// waited looks for the effect of a request that may have waited at its server, and now has its answer.
func (r *run) waited(q *request) {
	q.waits = false
	changed, err := r.effect(q)
	if err == nil {
		err = r.executed(q, changed || q.changed)
	}
	r.failed = errors.Join(r.failed, err)
}

// executed strikes with the faults behind a request, and lets its answer through.
func (r *run) executed(q *request, changed bool) error {
	q.changed = changed
	r.countPassed(q)
	if q.point.Phase != "" {
		r.profile = append(r.profile, Seen{q.point, changed})
	}
	f := q.held
	if f != nil && f.At.N == 0 && !changed {
		f, q.held = nil, nil
	}
	if f != nil {
		r.strike(f, q)
		if err := r.carryOut(f, q); err != nil {
			return err
		}
	}
	r.flush(q.link)
	return nil
}

// flush delivers to a client the messages that it may have, and then the end of the connection.
func (r *run) flush(k *link) {
	for !k.over && len(k.inbox) > 0 {
		a := k.inbox[0]
		if a.to != nil && a.to.held != nil && a.to.held.holds(a.to) {
			return
		}
		r.returns(k, a, sim.EventDeliver)
		_, _ = k.Client.Write(a.Bytes) // it may have hung up
		k.inbox = k.inbox[1:]
	}
	if k.over || !k.ended || len(k.inbox) > 0 {
		return
	}
	k.over = true
	kind := sim.EventClose
	if k.broken {
		kind = sim.EventReset
		gate.Reset(k.Client)
	} else {
		_ = k.Client.Close() // the client may first read what has arrived
	}
	r.ends(k, kind, k.actor.name, k.Node)
}

// returns logs the arrival of a server's message at its client, or its loss.
func (r *run) returns(k *link, a *answer, kind sim.EventKind) {
	r.Log(sim.Event{Kind: kind, Actor: k.actor.name, Peer: k.Node, Conn: k.number, Sent: r.SentAt(a.at), Late: a.to != nil && a.to.held != nil && a.to.held.Do == DelayAnswer, Payload: a.Bytes})
}

// ends logs the end of a connection at the actor that learns of it from its peer, once.
func (r *run) ends(k *link, kind sim.EventKind, actor, peer string) {
	if !k.logged {
		k.logged = true
		r.Log(sim.Event{Kind: kind, Actor: actor, Peer: peer, Conn: k.number})
	}
}

// breakOff ends a connection before its client gets an answer, nil if there is none.
func (r *run) breakOff(k *link, a *answer) {
	gate.Reset(k.Client)
	if a != nil {
		r.returns(k, a, sim.EventDrop)
	}
	r.ends(k, sim.EventReset, k.actor.name, k.Node)
	k.over, k.inbox = true, nil
	r.waiting = slices.DeleteFunc(r.waiting, func(q *request) bool { return q.link == k && q.held == nil })
}
