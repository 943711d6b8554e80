package confirm

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Divergence says where real servers, or the lock over them, did not go the way of the trace.
type Divergence struct {
	// Seq is the trace's event that did not happen, and Reason what was waited for, or happened instead.
	Seq    int64
	Reason string
}

func (d *Divergence) Error() string { return fmt.Sprintf("diverged at event %d: %s", d.Seq, d.Reason) }

// driver makes one real run go the way of a plan. One goroutine handles all of its inputs, so its counter is the
// order of everything: a call is counted before it is sent, a return after it has come, and a change of a record
// between the request and its answer.
type driver struct {
	*plan
	store   Store
	servers Servers
	gates   map[string]*gate
	clients map[string]*process

	requests chan *request
	closed   chan *link
	heard    chan said

	waiting    []*request          // to be let through
	position   int                 // of the next step
	blocked    []*request          // whose answers have come, and wait for the turn of their clients' calls
	under      []*request          // way, in the order in which they were let through
	executed   map[int]*request    // by the step
	effects    map[string]*request // by the node: the request whose effect is waited for
	hung       map[string]bool
	authority  map[string]bool // nodes that serve whoever is connected to them
	clientAt   map[string]*doing
	serves     string // the node that serves, empty if none does
	setServing func(node string)
	partition  atomic.Pointer[model.Sides]
	ctx        context.Context
	recorder
}

// doing is what a client has under way.
type doing struct {
	asked    int // the trace's operation that it was told last
	op       int // that of this run, 0 for a look before an access
	reported *report
	// hold is the acquisition of what it holds, and until the end that is known of its lease.
	hold  int
	until time.Time
}

// ordinary is how long before the end of a lease, and before its client's turn, no request passes that is not in the order.
const ordinary = 60 * time.Millisecond

// patience is how long a step is waited for: as long as the trace itself waits at most, and some seconds.
func (p *plan) patience() time.Duration {
	longest := time.Duration(0)
	for i := range p.steps[1:] {
		longest = max(longest, p.steps[i+1].at-p.steps[i].at)
	}
	return longest + 4*time.Second
}

// drive goes through all steps.
func (d *driver) drive() error {
	patience := d.patience()
	for d.position < len(d.steps) {
		s := &d.steps[d.position]
		if err := d.listen(s.at - time.Since(d.began)); err != nil {
			return err
		}
		deadline := time.Now().Add(patience)
		for {
			done, err := d.fire(s)
			if err != nil {
				return err
			}
			if done {
				break
			}
			if time.Now().After(deadline) {
				return d.diverged("waited for: " + s.String())
			}
			if err := d.listen(200 * time.Microsecond); err != nil {
				return err
			}
		}
		d.position++
	}
	d.history.End = d.stamp()
	return nil
}

func (d *driver) diverged(reason string) error {
	return &Divergence{d.steps[min(d.position, len(d.steps)-1)].seq, reason}
}

// listen handles inputs for a while, and at least those that there are.
func (d *driver) listen(long time.Duration) error {
	timer := time.NewTimer(max(long, 0))
	defer timer.Stop()
	for {
		select {
		case r := <-d.requests:
			d.waiting = append(d.waiting, r)
		case k := <-d.closed:
			k.gone = true
		case s := <-d.heard:
			if err := d.hear(s); err != nil {
				return err
			}
		case <-d.ctx.Done():
			return d.ctx.Err()
		case <-timer.C:
			return d.passAll()
		}
		if err := d.passAll(); err != nil {
			return err
		}
	}
}

// passAll takes the answers that have come, and lets requests through that are not in the order.
func (d *driver) passAll() error {
	if err := d.take(); err != nil {
		return err
	}
	d.blocked = slices.DeleteFunc(d.blocked, func(r *request) bool {
		if !d.mayReturn(r.gate.client) {
			return false
		}
		d.deliver(r)
		return true
	})
	for i := 0; i < len(d.waiting); {
		r := d.waiting[i]
		may, err := d.mayPass(r)
		if err != nil {
			return err
		}
		if !may {
			i++
			continue
		}
		d.waiting = slices.Delete(d.waiting, i, i+1)
		d.forward(r)
		if what := d.store.Signature(r.frame); what != "" && !d.store.Open(what) && !d.store.Blocks(what) {
			if err := d.settle(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayReturn reports whether the answer to a request that has waited at its server may let the client's call return: if
// that is the client's next step, its turn has to have come.
func (d *driver) mayReturn(client string) bool {
	s := d.nextOf(client, call, returned, executes)
	return s == nil || s.kind != returned || s == &d.steps[d.position]
}

// nextOf is a client's next step of one of the kinds, nil if there is none.
func (d *driver) nextOf(client string, kinds ...stepKind) *step {
	for i := d.position; i < len(d.steps); i++ {
		if s := &d.steps[i]; s.client == client && slices.Contains(kinds, s.kind) {
			return s
		}
	}
	return nil
}

// forward sends a request to its server.
func (d *driver) forward(r *request) {
	if d.store.Open(d.store.Signature(r.frame)) {
		r.opened = true
	}
	_, _ = r.server.Write(r.frame) // if the server is gone, its client will see
	d.under = append(d.under, r)
	r.sent = append(r.sent, r)
}

// settle waits for the answer to a request without an effect, if its server is at work.
func (d *driver) settle(r *request) error {
	for end := time.Now().Add(time.Second); !r.answered && !d.hung[r.node] && time.Now().Before(end); {
		if err := d.take(); err != nil {
			return err
		}
		runtime.Gosched()
	}
	changed, err := d.look(r.node, d.originOf(r))
	if err == nil && changed {
		err = d.diverged(fmt.Sprintf("%s of %s had an effect on %s, which it has not in the trace", d.store.Signature(r.frame), r.gate.client, r.node))
	}
	return err
}

// take takes the answers that have come. Those to requests in the order wait for their steps.
func (d *driver) take() error {
	for i := 0; i < len(d.under); {
		r := d.under[i]
		if slices.ContainsFunc(d.under[:i], func(o *request) bool { return o.link == r.link }) {
			i++
			continue // an earlier request of its connection comes first
		}
		if apart(d.partition.Load(), r.node, r.gate.client) {
			i++
			continue // the network keeps it
		}
		select {
		case answer, more := <-r.answers:
			r.answer, r.answered = answer, true
			d.under = slices.Delete(d.under, i, i+1)
			switch {
			case !more || r.inOrder:
			case d.store.Blocks(d.store.Signature(r.frame)):
				d.blocked = append(d.blocked, r)
			default:
				d.deliver(r)
			}
			if more && r.opened {
				go r.link.carryAll()
			}
		default:
			i++
		}
	}
	return nil
}

// deliver brings a client an answer, after those to its earlier requests.
func (d *driver) deliver(r *request) {
	r.delivered = true
	for k := r.link; len(k.sent) > 0 && k.sent[0].delivered; k.sent = k.sent[1:] {
		_, _ = k.client.Write(k.sent[0].answer) // it may have hung up
	}
}

// mayPass reports whether a request may pass that is not in the order: it sets a connection up; or the trace has
// one like it between its client's steps; or it asks for a record that another has.
func (d *driver) mayPass(r *request) (bool, error) {
	what := d.store.Signature(r.frame)
	if slices.ContainsFunc(d.waiting[:slices.Index(d.waiting, r)], func(o *request) bool { return o.link == r.link }) {
		return false, nil // an earlier request of its connection comes first
	}
	if what == "" {
		return true, nil
	}
	if r.gone || r.parted(d) {
		return false, nil
	}
	if d.store.Open(what) || d.store.Blocks(what) {
		return true, nil
	}
	if d.hung[r.node] || !d.authority[r.node] || d.effects[r.node] != nil {
		return false, nil
	}
	if s := d.nextOf(r.gate.client, executes); s != nil && s.request == what && (s == &d.steps[d.position] || s.at-time.Since(d.began) < ordinary) {
		return false, nil // its turn has come, or comes soon
	}
	for i := range d.passing {
		if p := &d.passing[i]; p.client == r.gate.client && p.request == what && p.step == d.position && !d.acquiring(r) {
			d.passing = slices.Delete(d.passing, i, i+1)
			return true, nil
		}
	}
	if !d.acquiring(r) {
		return false, nil
	}
	// A poll: it has no effect while another has the record, and not shortly before that ends.
	if _, err := d.look(r.node, model.Origin{}); err != nil {
		return false, err
	}
	k, there := d.known[r.node][d.store.Key(what)]
	return there && k.owner.Client != r.gate.client && (k.Ends.IsZero() || time.Until(k.Ends) > ordinary), nil
}

func (d *driver) acquiring(r *request) bool {
	op := d.history.Operation(d.clientAt[r.gate.client].op)
	return op != nil && op.Kind == model.Acquire && !op.Return.Happened()
}

// clientOp is the operation that a client has under way, or had last.
func (d *driver) clientOp(client string) int {
	if c := d.clientAt[client]; c != nil {
		return max(c.op, 0)
	}
	return 0
}

func (d *driver) originOf(r *request) model.Origin {
	return model.Origin{Client: r.gate.client, Op: d.clientOp(r.gate.client)}
}

// fire makes a step happen, if it can happen now.
func (d *driver) fire(s *step) (done bool, err error) {
	switch s.kind {
	case call:
		return d.call(s)
	case returned:
		return d.returned(s)
	case executes:
		return d.execute(s)
	case takes:
		return d.effect(s)
	case answers, loses:
		return d.answer(s)
	case accesses:
		return true, d.access(s)
	case pauses:
		d.observe(*s.seen)
		return true, d.clients[s.client].signal(syscall.SIGSTOP)
	case resumes:
		d.observe(*s.seen)
		return true, d.clients[s.client].signal(syscall.SIGCONT)
	case notes:
		o := *s.seen
		o.By.Op, o.By.Conn = d.clientOp(o.By.Client), 0
		d.observe(o)
		return true, nil
	case expires:
		return d.expired(s)
	case replicate:
		return true, d.replicate()
	}
	return true, d.ofNode(s)
}

// call tells a client to call the lock, or to look at its lease before an access.
func (d *driver) call(s *step) (done bool, err error) {
	c := d.clientAt[s.client]
	access := s.op.Kind == model.Read || s.op.Kind == model.Write
	if c.asked != s.op.ID {
		c.asked, c.reported, c.op = s.op.ID, nil, 0
		if !access {
			c.op = d.begin(s.op, c)
		}
		if err := d.clients[s.client].orders.Encode(order{N: s.op.ID, Do: s.op.Kind, Try: s.op.Try}); err != nil {
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
	c.op = d.begin(s.op, c)
	d.renewed(d.history.Operation(c.op), c, c.reported.Until)
	return true, nil
}

// returned waits for a client's return, which has to be that of the trace. An access returns now.
func (d *driver) returned(s *step) (done bool, err error) {
	c := d.clientAt[s.client]
	op := d.history.Operation(c.op)
	if s.op.Kind == model.Read || s.op.Kind == model.Write {
		op.Return = d.stamp()
		return true, nil
	}
	if c.reported == nil {
		return false, nil
	}
	if op.Result != s.op.Result || op.NotHeld != s.op.NotHeld {
		return false, d.diverged(fmt.Sprintf("%s's %s returned %s (%s), which was %s in the trace", s.client, op.Kind, op.Result, op.Err, s.op.Result))
	}
	return true, nil
}

// hear notes what a client process says.
func (d *driver) hear(s said) error {
	c := d.clientAt[s.client]
	switch {
	case s.end != nil:
		return fmt.Errorf("the process of %s has ended: %w", s.client, s.end)
	case s.Panic != "":
		return d.diverged(s.client + " panicked: " + s.Panic)
	case s.Lost:
		if op := d.history.Operation(c.hold); op != nil && !op.Lost.Happened() {
			op.Lost = d.stamp()
		}
		return nil
	}
	r := s.report
	c.reported = &r
	if op := d.history.Operation(c.op); op != nil {
		d.end(op, c, &r)
	}
	return nil
}

// execute lets the request of the step through, once it is there.
func (d *driver) execute(s *step) (done bool, err error) {
	r := d.next(s)
	if r == nil {
		return false, nil
	}
	if _, err := d.look(r.node, model.Origin{}); err != nil {
		return false, err
	}
	r.by, r.inOrder = d.originOf(r), true
	d.executed[d.position] = r
	if !s.idle {
		d.effects[r.node] = r
	}
	d.forward(r)
	return true, nil
}

// next takes the request of a step out of those that wait; nil if it is not there.
func (d *driver) next(s *step) *request {
	at := slices.IndexFunc(d.waiting, func(r *request) bool {
		return r.gate.client == s.client && d.store.Signature(r.frame) == s.request && (!r.gone || s.late || r.wasParted) && !r.parted(d)
	})
	if at < 0 {
		return nil
	}
	r := d.waiting[at]
	d.waiting = slices.Delete(d.waiting, at, at+1)
	return r
}

// effect waits for the effect of a request.
func (d *driver) effect(s *step) (done bool, err error) {
	if err := d.take(); err != nil {
		return false, err
	}
	r := d.executed[s.of]
	if r == nil {
		return false, d.diverged("no request was let through for: " + s.String())
	}
	if r.answered && d.store.Refused(r.answer) { // it is sent in another form, which is the same request
		if !r.delivered {
			d.deliver(r)
		}
		again := d.next(s)
		if again == nil {
			return false, nil
		}
		again.by, again.inOrder = r.by, true
		d.executed[s.of] = again
		d.forward(again)
		return false, nil
	}
	changed, err := d.look(r.node, r.by)
	if err != nil || changed || r.changed {
		delete(d.effects, r.node)
		return err == nil, err
	}
	if r.answered {
		return false, d.diverged(fmt.Sprintf("%s of %s had no effect on %s: it answered %q", s.request, s.client, r.node, r.answer))
	}
	return false, nil
}

// answer brings a client its answer, once it is there, or loses it.
func (d *driver) answer(s *step) (done bool, err error) {
	if err := d.take(); err != nil {
		return false, err
	}
	r := d.executed[s.of]
	switch {
	case r == nil:
		return false, d.diverged("no request was let through for: " + s.String())
	case s.kind == loses:
		if !r.answered && d.authority[r.node] && !d.hung[r.node] {
			return false, nil
		}
		reset(r.client)
		d.observe(model.Observation{Node: s.client, Kind: model.ReplyLost, By: model.Origin{Client: s.client, Op: r.by.Op}})
	case !r.answered:
		return false, nil
	default:
		d.deliver(r)
	}
	return true, nil
}

// expired waits until a record has ended by itself.
func (d *driver) expired(s *step) (done bool, err error) {
	if _, err := d.look(s.node, model.Origin{}); err != nil {
		return false, err
	}
	k, there := d.known[s.node][s.seen.Key]
	if there && d.hung[s.node] && !k.Ends.IsZero() && time.Now().After(k.Ends) { // it cannot be asked, and will know
		delete(d.known[s.node], s.seen.Key)
		o := d.ofRecord(model.RecordExpired, s.node, s.seen.Key, k)
		o.ExpiresAt = 0
		d.observe(o)
		there = false
	}
	return !there, nil
}

// ofNode is a step of a node.
func (d *driver) ofNode(s *step) error {
	switch s.kind {
	case kills:
		d.observe(*s.seen)
		d.authority[s.node] = false
		if d.serves == s.node {
			d.setServing("")
		}
		return d.servers.Kill(s.node)
	case restarts:
		if err := d.servers.Restart(s.node); err != nil {
			return err
		}
		d.observe(*s.seen)
		d.setServing(s.node)
		d.authority[s.node] = true
		return d.dropped(s.node)
	case promotes:
		if err := d.servers.Promote(s.node); err != nil {
			return err
		}
		d.observe(*s.seen)
		d.setServing(s.node)
		d.authority[s.node] = true
		return nil
	case follows:
		if d.serves == "" || d.serves == s.node {
			return d.diverged(s.node + " has nobody to follow")
		}
		d.authority[s.node] = false
		d.observe(*s.seen)
		return d.servers.Follow(s.node, d.serves)
	case hangs, wakes:
		d.observe(*s.seen)
		d.hung[s.node] = s.kind == hangs
		return d.servers.Hang(s.node, s.kind == hangs)
	case parts, unites:
		d.observe(*s.seen)
		d.part(s)
		return nil
	case jumps:
		for key, k := range d.known[s.node] { // unordered: each by itself
			if !k.Ends.IsZero() {
				k.Ends = k.Ends.Add(-s.seen.Ahead)
				d.known[s.node][key] = k
			}
		}
		d.observe(*s.seen)
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
	is := apart(d.partition.Load(), r.gate.client, r.node)
	r.wasParted = r.wasParted || is
	return is
}

// apart reports whether a partition keeps what one sends from the other.
func apart(p *model.Sides, from, to string) bool {
	if p == nil {
		return false
	}
	ab := slices.Contains(p.A, from) && slices.Contains(p.B, to)
	ba := slices.Contains(p.B, from) && slices.Contains(p.A, to)
	return ab && p.Held != model.FromBToA || ba && p.Held != model.FromAToB
}

// replicate lets the followers have what the serving node has.
func (d *driver) replicate() error {
	if err := d.servers.Replicate(d.serves); err != nil {
		return err
	}
	for _, n := range d.nodes {
		if n != d.serves {
			if err := d.follow(n); err != nil {
				return err
			}
		}
	}
	return nil
}
