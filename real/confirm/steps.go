package confirm

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/model"
)

// fire carries out a step, if it can happen now.
func (d *driver) fire(s *step) (done bool, err error) {
	switch s.kind {
	case call:
		return d.call(s)
	case returned:
		return d.returned(s)
	case executes:
		return d.execute(s)
	case sends:
		return d.sent(s), nil
	case takes:
		return d.effect(s)
	case answers, loses:
		return d.answer(s)
	case accesses:
		return true, d.access(s)
	case pauses, resumes, dies, shifts, cancels:
		return d.ofClient(s)
	case notes:
		o := *s.seen
		o.By.Op, o.By.Conn = d.ops[o.By.Op], 0
		d.Observe(o)
		return true, nil
	case expires:
		return d.expired(s)
	case hears, misses:
		return d.hears(s), nil
	case replicates:
		return true, d.replicate(s.seen.Node)
	}
	if m, are := d.servers.(Members); are && d.failing {
		return d.ofMember(m, s)
	}
	return true, d.ofNode(s)
}

// call makes a client call the lock, or look at its lease before an access.
func (d *driver) call(s *step) (done bool, err error) {
	c := d.at(s)
	access := s.accesses()
	if c.preparing {
		if c.reported == nil {
			return false, nil
		}
		c.preparing = false
	}
	if c.asked != s.op.ID {
		if l := d.called[s.client]; l.thread != s.op.Thread && time.Since(l.at) < headStart {
			return false, nil
		}
		d.called[s.client] = lastCall{s.op.Thread, time.Now()}
		c.asked, c.reported, c.op = s.op.ID, nil, 0
		if !access {
			c.op = d.begin(s)
		}
		if err := d.clients[s.client].orders.Encode(realclient.Order{N: s.op.ID, Do: s.op.Kind, Thread: s.op.Thread, Hold: s.op.Acquisition, Asks: s.asks, Try: s.op.Try}); err != nil {
			return false, err
		}
	}
	if !access {
		return true, nil
	}
	if c.reported == nil {
		return false, nil
	}
	if c.reported.Result != model.OK {
		return false, d.diverged(s.client + " does not access: its lease claims the lock no more")
	}
	c.op = d.begin(s)
	d.renewed(d.History.Operation(c.op), c.reported.Until)
	return true, nil
}

// returned waits for a client's return, whose result must be that of the trace. An access returns now.
func (d *driver) returned(s *step) (done bool, err error) {
	c := d.at(s)
	op := d.History.Operation(c.op)
	if s.accesses() {
		op.Return = d.Mark(op.Client, string(op.Kind)+" "+string(op.Result))
		return true, nil
	}
	if c.reported == nil {
		d.giveUp(s, op)
		return false, nil
	}
	if op.Result != s.op.Result || op.NotHeld != s.op.NotHeld {
		return false, d.diverged(fmt.Sprintf("%s's %s returned %s (%s), which was %s in the trace", s.client, op.Kind, op.Result, op.Err, s.op.Result))
	}
	return true, nil
}

// hear handles a report of a client process.
func (d *driver) hear(s reported) error {
	switch {
	case s.end != nil && d.dead[s.client]:
		return nil
	case s.end != nil:
		return fmt.Errorf("the process of %s has ended: %w", s.client, s.end)
	case s.Panic != "":
		return d.diverged(s.client + " panicked: " + s.Panic)
	case s.Lost:
		if op := d.History.Operation(d.ops[s.N]); op != nil && !op.Lost.Happened() {
			op.Lost = d.Mark(op.Client, "lost")
		}
		return nil
	}
	if s.Jumped {
		d.jumped[s.client] = true
		return nil
	}
	c, r := d.of(who{s.client, s.Thread}), s.Report
	c.reported = &r
	if op := d.History.Operation(c.op); op != nil {
		d.end(op, &r)
	}
	return nil
}

// ofClient carries out a step of a client's process.
func (d *driver) ofClient(s *step) (done bool, err error) {
	p := d.clients[s.client]
	switch s.kind {
	case cancels:
		c := d.at(s)
		if c.asked != s.op.ID || c.reported != nil {
			return false, d.diverged(fmt.Sprintf("%s's %s returned before its context was to end", s.client, s.op.Kind))
		}
		d.cancelled(d.History.Operation(c.op))
		return true, p.orders.Encode(realclient.Order{Do: realclient.CancelCall, Thread: s.op.Thread})
	case shifts:
		if !d.shifting[s.client] {
			d.Observe(*s.seen)
			d.shifting[s.client], d.jumped[s.client] = true, false
			return false, p.orders.Encode(realclient.Order{Do: realclient.JumpClock, Ahead: s.seen.Ahead})
		}
		d.shifting[s.client] = !d.jumped[s.client]
		return d.jumped[s.client], nil
	case pauses:
		d.Observe(*s.seen)
		d.occupy(s.client, 1)
		return true, p.hang(true)
	case resumes:
		d.Observe(*s.seen)
		d.occupy(s.client, -1)
		return true, p.hang(false)
	default: // it dies
		d.Observe(*s.seen)
		d.dead[s.client] = true
		p.kill()
		return true, nil
	}
}

// execute lets the request of the step through, once it is there.
func (d *driver) execute(s *step) (done bool, err error) {
	r := d.next(s)
	if r == nil {
		return false, nil
	}
	if _, err := d.look(r.Node, model.Origin{}); err != nil {
		return false, err
	}
	r.inOrder = true
	if s.op != nil {
		r.by.Op = d.ops[s.op.ID]
	}
	d.executed[d.position] = r
	if s.vanishes {
		r.cut = true
		return true, nil
	}
	if s.fails {
		d.servers.(Members).Lose(r.Node)
	}
	_, has := r.link.Session()
	d.let(r, !s.idle && !(has && d.store.Blocks(r.Signature))) // for blocking requests the session shows whose effect it is
	return true, nil
}

// sent reports whether the request of a later step waits, and keeps it for that.
func (d *driver) sent(s *step) bool {
	at := slices.IndexFunc(d.waiting, func(r *request) bool { return d.fits(r, s) && r.step == 0 })
	if at < 0 {
		return false
	}
	d.waiting[at].step = s.of
	return true
}

// fits reports whether a request is the one of a step.
func (d *driver) fits(r *request, s *step) bool {
	return r.Gate.Client == s.client && (r.Node == s.node || d.ensemble != nil) && r.Signature == s.request
}

// next removes the request of a step from those that wait; nil if it is not there. Requests that a member had not read
// when it closed the connection are gone. Of several equal requests it takes the one held for the step, or one whose
// client has hung up, if the step is late.
func (d *driver) next(s *step) *request {
	can := func(r *request) bool {
		return d.fits(r, s) && d.isFirst(r) && !r.cut && !(d.failing && r.ended) && (r.step == 0 || r.step == d.position) && (!r.gone || s.late || r.wasParted || d.dead[s.client]) && !r.parted(d)
	}
	at := -1
	for i, r := range d.waiting {
		if can(r) && (at < 0 || rank(r) > rank(d.waiting[at])) {
			at = i
		}
	}
	if at < 0 {
		return nil
	}
	r := d.waiting[at]
	d.waiting = slices.Delete(d.waiting, at, at+1)
	return r
}

// rank orders equal requests: a step takes the one of the highest rank.
func rank(r *request) int {
	switch {
	case r.held:
		return 2
	case r.gone:
		return 1
	}
	return 0
}

// effect waits for the effect of a request.
func (d *driver) effect(s *step) (done bool, err error) {
	d.take()
	r := d.executed[s.of]
	if r == nil {
		return false, d.diverged("no request was let through for: " + s.String())
	}
	if r.answered && d.store.Refused(r.reply()) { // it is sent in another form, as the same request
		d.deliver(r)
		again := d.next(s)
		if again == nil {
			return false, nil
		}
		again.by, again.inOrder = r.by, true
		d.executed[s.of], d.effects[d.place(again.Node)] = again, again
		d.forward(again)
		return false, nil
	}
	if d.hasMissed(r) { // its server gets it after others
		return false, nil
	}
	changed, err := d.look(r.Node, r.by)
	if err != nil || changed || r.changed {
		delete(d.effects, d.place(r.Node))
		d.named(s, r)
		d.catchUp(r.Node)
		return err == nil, err
	}
	if r.answered {
		return false, d.diverged(fmt.Sprintf("%s of %s had no effect on %s: it answered %q", s.request, s.client, r.Node, r.reply()))
	}
	return false, nil
}

// answer delivers an answer to a client, once it is there, or loses it.
func (d *driver) answer(s *step) (done bool, err error) {
	d.take()
	r := d.executed[s.of]
	switch {
	case r == nil:
		return false, d.diverged("no request was let through for: " + s.String())
	case s.kind == loses:
		if !r.answered && !r.cut && d.authority[r.Node] && !d.isHung(r.Node) {
			return false, nil
		}
		d.breakOff(r.link, r.answer)
		d.Observe(model.Observation{Node: s.client, Kind: model.ReplyLost, By: model.Origin{Client: s.client, Op: r.by.Op}})
	case !r.answered:
		return false, nil
	default:
		d.deliver(r)
	}
	return true, nil
}

// expired waits until a record has ended by itself. Another one, of a session that waited for that, may then have its name.
func (d *driver) expired(s *step) (done bool, err error) {
	if _, err := d.look(s.node, model.Origin{}); err != nil {
		return false, err
	}
	key, place := d.name(s.seen.Key), d.place(s.node)
	k, there := d.Known[place][key]
	if there && d.hung[s.node] && !k.Ends.IsZero() && time.Now().After(k.Ends) { // it cannot be asked, and will know
		delete(d.Known[place], key)
		o := d.ofRecord(model.RecordExpired, s.node, key, k)
		o.ExpiresAt = 0
		d.Observe(o)
		there = false
	}
	return !there || d.hasExpired(s, key), nil
}

// hasExpired reports whether a record has ended by itself as often as in the trace, up to a step.
func (d *driver) hasExpired(s *step, key string) bool {
	more := 0
	for i := range d.steps[:d.position+1] {
		if o := &d.steps[i]; o.kind == expires && o.node == s.node && o.seen.Key == s.seen.Key {
			more++
		}
	}
	for i := range d.History.Observations {
		if o := &d.History.Observations[i]; o.Kind == model.RecordExpired && o.Authority == d.place(s.node) && o.Key == key {
			more--
		}
	}
	return more <= 0
}

// ofNode carries out a step of a node.
func (d *driver) ofNode(s *step) error {
	switch s.kind {
	case kills:
		d.Observe(*s.seen)
		d.authority[s.node] = false
		d.missed[d.place(s.node)] = slices.DeleteFunc(d.missed[d.place(s.node)], func(m missed) bool { return s.node == m.Node || s.node == d.place(m.Node) })
		delete(d.hung, s.node)
		if server := d.serverOf(s.node); d.seats.of(server) == s.node {
			d.seats.set(server, "")
		}
		if err := d.keep(s); err != nil {
			return err
		}
		return d.servers.Kill(s.node)
	case restarts:
		d.seats.starts(d.serverOf(s.node), true)
		defer d.seats.starts(d.serverOf(s.node), false)
		if err := d.servers.Restart(s.node); err != nil {
			return err
		}
		d.Observe(*s.seen)
		d.seat(s.node)
		return d.dropped(s.node)
	case promotes:
		if err := d.servers.Promote(s.node); err != nil {
			return err
		}
		d.Observe(*s.seen)
		d.seat(s.node)
		return nil
	case follows:
		serves := d.seats.of(d.serverOf(s.node))
		if serves == "" || serves == s.node {
			return d.diverged(s.node + " has nobody to follow")
		}
		d.authority[s.node] = false
		d.Observe(*s.seen)
		return d.servers.Follow(s.node, serves)
	case hangs, wakes:
		d.happened(s)
		if err := d.servers.Hang(s.node, s.kind == hangs); err != nil || s.kind == hangs {
			return err
		}
		d.catchUp(s.node)
		return nil
	case parts, unites:
		d.happened(s)
		return nil
	case jumps:
		for key, k := range d.Known[s.node] { // unordered: each by itself
			if !k.Ends.IsZero() {
				k.Ends = k.Ends.Add(-s.seen.Ahead)
				d.Known[s.node][key] = k
			}
		}
		d.Observe(*s.seen)
		return d.servers.Jump(s.node, s.seen.Ahead)
	}
	panic("confirm: a step of an unknown kind: " + string(s.kind))
}

// part divides the network, or unites it.
func (d *driver) part(s *step) {
	d.partition.Store(nil)
	if s.kind == parts {
		d.partition.Store(s.seen.Sides)
	}
}

// parted reports whether the network keeps the request from its server.
func (r *request) parted(d *driver) bool {
	is := apart(d.partition.Load(), r.Gate.Client, r.Node)
	r.wasParted = r.wasParted || is
	return is
}

// apart reports whether a partition keeps one actor's messages from the other.
func apart(p *model.Sides, from, to string) bool {
	if p == nil {
		return false
	}
	ab := slices.Contains(p.A, from) && slices.Contains(p.B, to)
	ba := slices.Contains(p.B, from) && slices.Contains(p.A, to)
	return ab && p.Held != model.FromBToA || ba && p.Held != model.FromAToB
}

// replicate gives the followers of a node's server the records of the serving node.
func (d *driver) replicate(node string) error {
	server := d.serverOf(node)
	serves := d.seats.of(server)
	if serves == "" {
		return d.diverged(node + " has nobody to follow")
	}
	if err := d.servers.Replicate(serves); err != nil {
		return err
	}
	for _, n := range d.byServer[server] {
		if n != serves {
			if err := d.follow(n); err != nil {
				return err
			}
		}
	}
	return nil
}
