package confirm

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/internal/record"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/internal/gate"
)

// Divergence is where real servers, or the lock over them, did not follow the trace.
type Divergence struct {
	// Seq is the trace's event that did not happen, and Reason what was awaited, or happened instead.
	Seq    int64
	Reason string
}

func (d *Divergence) Error() string { return fmt.Sprintf("diverged at event %d: %s", d.Seq, d.Reason) }

// driver makes one real run follow a plan. One goroutine handles all of its inputs, so its counter orders everything: a
// call is counted before it is sent, a return after it has arrived, and a change of a record between the request and its
// answer.
type driver struct {
	*plan
	store   Store
	servers Servers
	gates   []*gate.Gate
	clients map[string]*process

	passes chan gate.Passage
	heard  chan reported

	waiting   []*request // to be let through
	links     []*link
	position  int                 // of the next step
	turn      time.Time           // when its turn came
	early     map[hearing]int     // messages whose turn preceded their arrival
	executed  map[int]*request    // by the step
	effects   map[string]*request // by node: the request whose effect is awaited
	hung      map[string]bool
	missed    map[string][]missed // by the owner of the records: requests that arrived while it hung
	authority map[string]bool     // nodes that serve every client that is connected to them
	threads   map[who]*doing
	ops       map[int]int         // the operations of this run, by those of the trace
	called    map[string]lastCall // by the client
	dead      map[string]bool     // clients
	// shifting are clients that must set their clocks, and jumped those that have.
	shifting, jumped map[string]bool
	wires            map[string]*wire // by the client
	rows             map[int]*row     // by the operation of this run
	seats            seats
	under            chan error    // the running operation of the members, nil if none
	slow             time.Duration // until the trace's beginning, since clients were slow to connect
	behind           time.Duration // of the trace, since members took longer than in it
	partition        atomic.Pointer[model.Sides]
	ctx              context.Context
	recorder
}

// who is a thread of a client.
type who struct {
	client string
	thread int
}

// lastCall is the last order to a client to call the lock: its time, and the thread.
type lastCall struct {
	thread int
	at     time.Time
}

// headStart is how long a thread may run until it waits for something, before another thread of its process calls the
// lock.
const headStart = 10 * time.Millisecond

// doing is what a thread has under way.
type doing struct {
	asked    int // the trace's operation of its last order
	op       int // the operation of this run, 0 for a look before an access
	reported *realclient.Report
	// preparing is set until it has set the object up.
	preparing bool
}

// who returns the thread of a step of an operation.
func (s *step) who() who { return who{s.client, s.op.Thread} }

// accesses reports whether a step is of an operation on the protected resource.
func (s *step) accesses() bool {
	return s.asks == nil && (s.op.Kind == model.Read || s.op.Kind == model.Write)
}

// at returns the operation that the thread of a step has under way.
func (d *driver) at(s *step) *doing { return d.of(s.who()) }

func (d *driver) of(w who) *doing {
	c := d.threads[w]
	if c == nil {
		c = &doing{}
		d.threads[w] = c
	}
	return c
}

// margin is the time before the end of a lease, and before its client's turn, in which no request outside the order may
// pass.
const margin = 60 * time.Millisecond

// patience returns how long to wait for a step: the longest wait in the trace, and some seconds.
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
		if s.out {
			d.position++
			continue
		}
		if err := d.listen(d.due(s)); err != nil {
			return err
		}
		d.turn = time.Now()
		for {
			done, err := d.fire(s)
			if err != nil {
				return err
			}
			if done {
				break
			}
			if time.Since(d.turn) > patience {
				return d.diverged("waited for: " + s.String() + d.instead())
			}
			if err := d.listen(200 * time.Microsecond); err != nil {
				return err
			}
		}
		d.delay(s)
		d.position++
	}
	// The violation follows the last step after the same time as in the trace, even if members took longer.
	if err := d.listen(d.lasts - d.steps[len(d.steps)-1].at); err != nil {
		return err
	}
	d.History.End = d.Stamp()
	for i := range d.History.Operations {
		if op := &d.History.Operations[i]; !op.Return.Happened() {
			d.idled(op)
		}
	}
	d.History.Calls = record.Calls(&d.History, d.calls, func(name string) bool { return slices.Contains(d.plan.clients, name) })
	return nil
}

// instead lists the requests that wait for their turn.
func (d *driver) instead() string {
	var list []string
	for _, r := range d.waiting {
		if r.over {
			continue
		}
		list = append(list, fmt.Sprintf("%s of %s at %s", r.Signature, r.Gate.Client, r.Node))
	}
	if len(list) == 0 {
		return ""
	}
	slices.Sort(list)
	return "; what waits: " + strings.Join(slices.Compact(list), ", ")
}

func (d *driver) diverged(reason string) error {
	s := &d.steps[min(d.position, len(d.steps)-1)]
	if d.twin(s) {
		reason += fmt.Sprintf("; another thread of %s was in the same call (%s), and a request does not say which thread it is of, so that one may have been taken for the other's: "+
			"confirm a trace with one thread in each client (threads=1)", s.client, s.op.Kind)
	}
	return &Divergence{s.seq, reason}
}

// twin reports whether another thread of a step's client has an operation of the same kind under way at the same time: their requests look alike.
func (p *plan) twin(s *step) bool {
	before := func(a, b *model.Operation) bool { return a.Return.Happened() && a.Return.Seq < b.Call.Seq }
	return s.op != nil && slices.ContainsFunc(p.steps, func(o step) bool {
		return o.kind == call && o.client == s.client && o.op.Thread != s.op.Thread && o.op.Kind == s.op.Kind && !before(o.op, s.op) && !before(s.op, o.op)
	})
}

// listen handles inputs for a while, and at least those already there.
func (d *driver) listen(long time.Duration) error {
	timer := time.NewTimer(max(long, 0))
	defer timer.Stop()
	for {
		select {
		case p := <-d.passes:
			d.note(p)
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

// passAll handles inputs, and lets requests outside the order through.
func (d *driver) passAll() error {
	d.take()
	d.hangUp()
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
		if r.Signature != "" && !d.store.Blocks(r.Signature) {
			if err := d.settle(r); err != nil {
				return err
			}
		}
	}
	return nil
}

// nextOf returns a client's next step of one of the kinds, nil if there is none.
func (d *driver) nextOf(client string, kinds ...stepKind) *step {
	for i := d.position; i < len(d.steps); i++ {
		if s := &d.steps[i]; s.client == client && slices.Contains(kinds, s.kind) {
			return s
		}
	}
	return nil
}

// nextTo returns the next step of a request's client at its server, nil if there is none.
func (d *driver) nextTo(r *request) *step {
	for i := d.position; i < len(d.steps); i++ {
		if s := &d.steps[i]; s.kind == executes && s.client == r.Gate.Client && d.serverOf(s.node) == d.serverOf(r.Node) {
			return s
		}
	}
	return nil
}

// forward sends a request to its server.
func (d *driver) forward(r *request) {
	if r.Number != 0 {
		r.asked[r.Number] = r
	}
	r.since = time.Now()
	d.arrives(r)
	if r.Signature != "" {
		r.last = r
	}
	_, _ = r.Server.Write(r.Bytes) // if the server is gone, its client will see
}

// settle waits for the answer to a request without an effect, if its server runs.
func (d *driver) settle(r *request) error {
	for end := time.Now().Add(time.Second); r.Number != 0 && !r.answered && !d.isHung(r.Node) && time.Now().Before(end); {
		d.take()
		runtime.Gosched()
	}
	if d.effects[d.place(r.Node)] != nil {
		return nil // the request is refused: the change is another's
	}
	by := r.by
	if d.free(r.Signature) {
		by = model.Origin{} // it changes nothing
	}
	changed, err := d.look(r.Node, by)
	if err == nil && changed && by.Client != "" {
		err = d.diverged(fmt.Sprintf("%s of %s had an effect on %s, which it has not in the trace", r.Signature, r.Gate.Client, r.Node))
	}
	return err
}

// mayPass reports whether a request outside the order may pass: it sets a connection up; or the trace has one like it
// between its client's steps; or it asks for a record that another client has.
func (d *driver) mayPass(r *request) (bool, error) {
	what := r.Signature
	if r.cut || !d.isFirst(r) || d.ensemble != nil && r.parted(d) {
		return false, nil
	}
	if d.ensemble == nil && d.hasMissedOn(r.link) {
		return false, nil // it stays after earlier requests of its connection
	}
	if what == "" {
		return true, nil
	}
	if r.gone || r.parted(d) {
		return false, nil
	}
	if d.store.Blocks(what) {
		return d.mayWait(r), nil
	}
	if !d.authority[r.Node] || (d.isHung(r.Node) || len(d.missed[d.place(r.Node)]) > 0) && d.ensemble == nil {
		return false, nil
	}
	if d.turnsAway(r) {
		return true, nil
	}
	if d.ensemble != nil { // a hanging member keeps its requests
		return d.effects[d.place(r.Node)] == nil && d.free(what) && !d.heldBack(r), nil
	}
	s, open := d.nextTo(r), d.acquiring(r.Gate.Client)
	if d.isLater(s, open) {
		s = nil
	}
	if refuses, err := d.refuses(r); err != nil || refuses {
		return refuses && (s == nil || s.request != what || !s.refused), err
	}
	if r.step != 0 || d.effects[d.place(r.Node)] != nil {
		return false, nil
	}
	if at := d.admitted(r); at >= 0 && len(open) == 0 && (s == nil || d.passing[at].step == d.position || s != &d.steps[d.position]) {
		d.passing = slices.Delete(d.passing, at, at+1)
		return true, nil
	}
	if s != nil && s.request == what && (s == &d.steps[d.position] || s.at-d.passed() < margin) {
		return false, nil // its turn has come, or comes soon
	}
	if len(open) == 0 {
		return false, nil
	}
	// A poll: it has no effect while another client has the record, and is not let through shortly before that ends.
	if _, err := d.look(r.Node, model.Origin{}); err != nil {
		return false, err
	}
	k, there := d.Known[d.place(r.Node)][d.store.Key(what)]
	if !there { // with sessions it may ask for something else first, as in the trace
		_, has := r.link.Session()
		return has && (s == nil || s.request != what) && d.hasPassing(r), nil
	}
	if !k.Ends.IsZero() && time.Until(k.Ends) <= margin {
		return false, nil
	}
	owner := d.History.Operation(k.Owner.Op)
	own := owner != nil && slices.ContainsFunc(open, func(op *model.Operation) bool {
		return op.Client == owner.Client && op.Thread == owner.Thread && (op == owner || owner.Result == model.OK)
	})
	return !own || d.admitted(r) >= 0, nil
}

// admitted returns the index of a request like this one, whose turn has come, among those that pass; -1 if there is none.
func (d *driver) admitted(r *request) int {
	return slices.IndexFunc(d.passing, func(p passing) bool {
		return p.client == r.Gate.Client && p.node == r.Node && p.request == r.Signature && p.step <= d.position
	})
}

// refuses reports whether a request's server would ask for another form of it.
func (d *driver) refuses(r *request) (bool, error) {
	if r.accepts {
		return false, nil
	}
	refuses, err := d.servers.Refuses(r.Node, r.Bytes)
	r.accepts = !refuses
	return refuses, err
}

// isFirst reports whether no earlier message of the request's connection waits: messages keep their order.
func (d *driver) isFirst(r *request) bool {
	for _, o := range d.waiting {
		if o.link == r.link {
			return o == r
		}
	}
	return true
}

// hasPassing reports whether the trace has a request like this one without an effect, here or before, and consumes it.
func (d *driver) hasPassing(r *request) bool {
	i := d.admitted(r)
	if i >= 0 {
		d.passing = slices.Delete(d.passing, i, i+1)
	}
	return i >= 0
}

// mayWait reports whether a request that may wait at its server may pass: one that waits in vain if the trace has such a
// one, and one with a place in the order not before it.
func (d *driver) mayWait(r *request) bool {
	i := slices.IndexFunc(d.passing, func(p passing) bool {
		return p.client == r.Gate.Client && p.node == r.Node && p.request == r.Signature
	})
	if i >= 0 && d.passing[i].step <= d.position {
		d.passing = slices.Delete(d.passing, i, i+1)
		return true
	}
	s := d.nextTo(r)
	return i < 0 && (s == nil || s.request != r.Signature)
}

// acquiring returns the Acquires of a client that are under way.
func (d *driver) acquiring(client string) (open []*model.Operation) {
	for i := range d.History.Operations {
		if op := &d.History.Operations[i]; op.Client == client && op.Kind == model.Acquire && d.isUnderWay(op) {
			open = append(open, op)
		}
	}
	return open
}

// isUnderWay reports whether a thread has the operation under way.
func (d *driver) isUnderWay(op *model.Operation) bool {
	return !op.Return.Happened() && d.of(who{op.Client, op.Thread}).op == op.ID
}

// originOf returns the operation to which a client's current request belongs: its last operation under way, or its last
// one.
func (d *driver) originOf(client string) model.Origin {
	o := model.Origin{Client: client}
	for i := range slices.Backward(d.History.Operations) {
		op := &d.History.Operations[i]
		if op.Client != client {
			continue
		}
		if d.isUnderWay(op) {
			o.Op = op.ID
			break
		}
		if o.Op == 0 {
			o.Op = op.ID
		}
	}
	return o
}
