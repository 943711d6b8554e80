package confirm

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Confirmation makes the counterexample of a trace happen on real servers.
type Confirmation struct {
	Cell  cell.Cell
	Trace *traces.Trace
	Store Store
	// Client is what client processes run.
	Client Program
}

// Try is how one real run went.
type Try struct {
	// Confirmed is set if the run violates the same property, in the same class, by the same cause. Otherwise
	// Diverged says where it left the trace's order, or Other what was judged.
	Confirmed bool
	Diverged  *Divergence
	Other     string
	// Took is how long the run took, without starting the servers and the client processes.
	Took time.Duration
	// History is what happened, and Verdict the judgement of the trace's property.
	History *model.History
	Verdict *model.Verdict
	// Server is the version of the servers ([Servers.Version]).
	Server string
}

// Plan reports whether the trace can be forced: the error is of type *[ForceError] if not.
func (c Confirmation) Plan() error {
	_, err := newPlan(c.Trace, c.Store, c.Cell.Judging())
	return err
}

// Try makes one run, on servers of its own. It takes as long as the trace's violation, and some seconds more if it
// diverges. Its error says why there was no run, or no end of it: what is not installed, a [ForceError], a server or
// a client process that does not start or has ended, or that of the context.
func (c Confirmation) Try(ctx context.Context) (*Try, error) {
	p, err := newPlan(c.Trace, c.Store, c.Cell.Judging())
	if err != nil {
		return nil, err
	}
	servers, err := c.Store.Start(p.byServer, p.jumping)
	if err != nil {
		return nil, err
	}
	defer servers.Stop()
	d := &driver{
		plan: p, store: c.Store, servers: servers, clients: map[string]*process{},
		passes: make(chan passage, 64), heard: make(chan said, 64), early: map[hearing]int{},
		executed: map[int]*request{}, effects: map[string]*request{}, hung: map[string]bool{}, authority: map[string]bool{}, threads: map[who]*doing{}, ops: map[int]int{},
		called: map[string]lastCall{}, dead: map[string]bool{}, wires: map[string]*wire{}, rows: map[int]*row{}, shifting: map[string]bool{}, jumped: map[string]bool{},
	}
	defer d.stop()
	d.ctx = ctx
	if err := d.startAll(c); err != nil {
		return nil, err
	}
	t := &Try{Server: servers.Version()}
	err = d.drive()
	t.Took, t.History = time.Since(d.began), &d.history
	if errors.As(err, &t.Diverged) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	t.judge(c)
	return t, nil
}

// promptly is within what time a real process returns from a call that has nothing to wait for.
const promptly = 50 * time.Millisecond

// judge compares the verdict on the real history with the trace's.
func (t *Try) judge(c Confirmation) {
	want := c.Trace.Verdict()
	options := c.Cell.Judging()
	options.CancelBound = max(options.CancelBound, promptly)
	verdicts := checker.Check(t.History, options, want.Property)
	t.Verdict = &verdicts[0]
	switch got := t.Verdict; {
	case got.Status != model.Violated:
		t.Other = fmt.Sprintf("%s: %s", want.Property, cmp.Or(got.Sentence, string(got.Status)))
	case got.Limit != want.Limit || got.Cause != want.Cause:
		t.Other = fmt.Sprintf("%s is violated by another cause, %s (%s), not %s (%s)", want.Property, got.Cause, got.Violation().Class(), want.Cause, want.Violation().Class())
	default:
		t.Confirmed = true
	}
}

// startAll starts the client processes, each behind gates of its own, one for each independent server.
func (d *driver) startAll(c Confirmation) error {
	d.seats.names = make([]string, len(d.byServer))
	for _, nodes := range d.byServer {
		d.seat(nodes[0])
		if err := d.servers.Replicate(nodes[0]); err != nil {
			return err
		}
	}
	for _, name := range d.plan.clients {
		o := outfit{Cell: c.Cell.Encode(), Name: name, Seed: c.Trace.Seed, Ending: d.plan.ending}
		if off := d.plan.off[name]; off != nil {
			o.Ahead, o.Rate = off.Ahead, off.Rate
		}
		for server := range d.byServer {
			target := func() (node, address string, reaches bool) {
				if node = d.seats.of(server); node == "" {
					return "", "", true
				}
				return node, d.servers.Address(node), !apart(d.partition.Load(), name, node)
			}
			g, err := newGate(name, d.store.Converse, target, d.passes)
			if err != nil {
				return err
			}
			d.gates = append(d.gates, g)
			o.Addresses = append(o.Addresses, g.listener.Addr().String())
		}
		var err error
		if d.clients[name], err = startClient(c.Client, o, d.heard); err != nil {
			return err
		}
	}
	d.recorder = newRecorder(c.Cell.Params.LeaseAsked())
	return nil
}

// stop ends all processes and connections.
func (d *driver) stop() {
	for _, p := range d.clients { // unordered: each by itself
		p.stop()
	}
	for _, g := range d.gates {
		g.close()
	}
}
