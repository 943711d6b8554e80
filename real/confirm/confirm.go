package confirm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/internal/realclient"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/real/internal/gate"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// Confirmation makes the counterexample of a trace happen on real servers.
type Confirmation struct {
	// Subject is the lock to run: that of the trace or another one in its place.
	Subject realclient.Subject
	Trace   *traces.Trace
	// Store has the real servers, nil for a store without them.
	Store Store
	// Client is the program of client processes.
	Client realclient.Program
}

// Try is the result of one real run.
type Try struct {
	// Confirmed is set if the run violates the same property, in the same class, by the same cause. Otherwise Diverged is
	// where it left the trace's order, or Other describes the verdict.
	Confirmed bool
	Diverged  *Divergence
	Other     string
	// Took is how long the run took, without starting the servers and the client processes.
	Took time.Duration
	// History is the history of the run, and Verdict the verdict on the trace's property. Events include the messages between
	// clients and servers, except those that come unasked.
	History *model.History
	Events  []sim.Event
	Verdict *model.Verdict
	// Server is the version of the servers ([Servers.Version]).
	Server string
	// trace is the run as a trace.
	trace *traces.Trace
	// Left describes what was left out of the trace's order: it cannot be forced and the violation does not need it.
	Left []string
}

// Plan returns the duration of a run that follows the trace. The error is a *[ForceError] if the trace cannot be forced.
func (c Confirmation) Plan() (takes time.Duration, err error) {
	p, err := c.plan()
	if err != nil {
		return 0, err
	}
	return max(p.lasts, p.steps[len(p.steps)-1].at), nil
}

// Try makes one run, on servers of its own. It takes as long as the trace's violation, and some seconds more if it
// diverges. The error is why there was no complete run: a program that is not installed, a [ForceError], a server or a
// client process that does not start or has ended, or the end of the context.
func (c Confirmation) Try(ctx context.Context) (*Try, error) {
	p, err := c.plan()
	if err != nil {
		return nil, err
	}
	servers, err := c.servers(p)
	if err != nil {
		return nil, err
	}
	defer servers.Stop()
	d := &driver{
		plan: p, store: c.Store, servers: servers, clients: map[string]*process{},
		passes: make(chan gate.Passage, 64), heard: make(chan reported, 64), early: map[hearing]int{},
		executed: map[int]*request{}, effects: map[string]*request{}, hung: map[string]bool{}, missed: map[string][]missed{}, authority: map[string]bool{}, threads: map[who]*doing{}, ops: map[int]int{},
		called: map[string]lastCall{}, dead: map[string]bool{}, wires: map[string]*wire{}, rows: map[int]*row{}, shifting: map[string]bool{}, jumped: map[string]bool{},
	}
	defer d.stop()
	d.ctx = ctx
	if err := d.startAll(c); err != nil {
		return nil, err
	}
	t := &Try{Server: servers.Version()}
	err = d.drive()
	t.Took, t.History, t.Events, t.Left = time.Since(d.Began), &d.History, d.Events, p.left
	if errors.As(err, &t.Diverged) {
		d.History.End = d.Stamp() // the history ends here
		return t, t.judge(c, nil)
	}
	if err != nil {
		return nil, err
	}
	return t, t.judge(c, c.Trace.Verdict())
}

// servers starts the servers of a plan.
func (c Confirmation) servers(p *plan) (Servers, error) {
	if p.failing {
		return p.ensemble.(Electing).StartMembers(p.nodes, p.leaders(), p.facts.Lease)
	}
	return c.Store.Start(p.byServer, p.jumping, p.facts.Lease)
}

// judge judges the run, and compares the verdict with the trace's. Without a verdict to compare, for a run that diverged,
// it only makes a trace of the run.
func (t *Try) judge(c Confirmation, want *model.Verdict) (err error) {
	run := realclient.Run{Seed: c.Trace.Seed, Events: t.Events, History: *t.History}
	if want != nil {
		run.Property = want.Property
	}
	if t.trace, err = c.Subject.Judge(run); err != nil || want == nil {
		return err
	}
	if len(t.trace.Verdicts) == 0 || t.trace.Verdicts[0].Property != want.Property {
		return fmt.Errorf("the process of the lock has not judged %s", want.Property)
	}
	t.Verdict = &t.trace.Verdicts[0]
	switch got := t.Verdict; {
	case got.Status != model.Violated:
		t.Other = fmt.Sprintf("%s: %s", want.Property, cmp.Or(got.Sentence, string(got.Status)))
	case got.Limit != want.Limit || got.Cause != want.Cause:
		t.Other = fmt.Sprintf("%s is violated by another cause, %s (%s), not %s (%s)", want.Property, got.Cause, got.Violation().Class(), want.Cause, want.Violation().Class())
	default:
		t.Confirmed = true
	}
	return nil
}

// startAll starts the client processes, each behind gates of its own, one for each independent server, or for each member.
func (d *driver) startAll(c Confirmation) error {
	d.seats.names, d.seats.starting = make([]string, len(d.byServer)), map[int]bool{}
	for _, nodes := range d.byServer {
		d.seat(nodes[0])
		if d.ensemble != nil {
			for _, n := range nodes {
				d.authority[n] = true
			}
			continue
		}
		if err := d.servers.Replicate(nodes[0]); err != nil {
			return err
		}
	}
	for _, name := range d.plan.clients {
		o := realclient.Outfit{Cell: d.facts.Cell, Name: name, Seed: seedOf(c.Trace, name), Ending: d.plan.ending}
		if off := d.plan.off[name]; off != nil {
			o.Ahead, o.Rate = off.Ahead, off.Rate
		}
		for _, seat := range d.seatsOf() {
			target := func() (node, address string, reaches bool) {
				node, waits := seat()
				if node == "" || waits {
					return "", "", !waits
				}
				return node, d.servers.Address(node), !apart(d.partition.Load(), name, node)
			}
			g, err := gate.New(name, d.store.Converse, target, d.passes)
			if err != nil {
				return err
			}
			d.gates = append(d.gates, g)
			o.Addresses = append(o.Addresses, g.Address())
		}
		if err := d.start(c, o); err != nil {
			return err
		}
	}
	d.recorder = newRecorder(d.facts.Lease)
	if d.ensemble != nil { // clients connect to all members when they begin
		if err := d.listen(time.Until(d.tick(time.Now().Add(connecting)))); err != nil {
			return err
		}
		d.recorder = newRecorder(d.facts.Lease)
	}
	return d.prepare()
}

// seedOf returns the seed of a client process in a trace. The lock draws the same in a real run, as far as it draws as
// often.
func seedOf(t *traces.Trace, client string) uint64 {
	for _, c := range t.Tape {
		if c.Kind == sim.Seed && c.Actor == client {
			return uint64(max(c.Option, 0))
		}
	}
	return t.Seed
}

// prepare lets each thread set the object up, if its kind needs that. The requests for it are ordered like others.
func (d *driver) prepare() error {
	if kind := d.facts.Kind; kind != model.KindLatch && kind != model.KindStock {
		return nil
	}
	for _, name := range d.plan.clients {
		for thread := range d.facts.Threads {
			d.of(who{name, thread}).preparing = true
			if err := d.clients[name].orders.Encode(realclient.Order{Do: realclient.Prepare, Thread: thread}); err != nil {
				return err
			}
		}
	}
	return nil
}

// start starts a client process. If its clock is off or jumps, the lock must use the clock of its Client: otherwise, with
// package time's, the process would have two clocks.
func (d *driver) start(c Confirmation, o realclient.Outfit) (err error) {
	if d.ensemble != nil {
		c.Client.Env = slices.Concat(c.Client.Env, d.ensemble.Environment(c.Trace, o.Name))
	}
	if d.clients[o.Name], err = startClient(c.Client, o, d.heard); err != nil || d.clients[o.Name].clock {
		return err
	}
	for i := range d.steps {
		s := &d.steps[i]
		if s.seen == nil || s.seen.Node != o.Name || s.seen.Kind != model.ClockJumped && s.seen.Kind != model.ClockOff {
			continue
		}
		why := fmt.Sprintf("the clock of %s is wrong (event %d), and its lock reads another than the Clock of its Client", o.Name, s.seq)
		if needed(c.Trace, s.seq) {
			return &ForceError{why}
		}
		s.out, d.left = true, append(d.left, why)
	}
	if o.Ahead == 0 && o.Rate == 0 {
		return nil
	}
	d.clients[o.Name].stop()
	o.Ahead, o.Rate = 0, 0
	d.clients[o.Name], err = startClient(c.Client, o, d.heard)
	return err
}

// stop ends all processes and connections.
func (d *driver) stop() {
	for _, p := range d.clients { // unordered: each by itself
		if p != nil { // otherwise it has not started
			p.stop()
		}
	}
	for _, g := range d.gates {
		g.Close()
	}
}
