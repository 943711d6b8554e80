package cell

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/record"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// horizon returns the time at which a run is cut: long enough after all faults to detect lost
// progress.
func (c Cell) horizon() time.Duration {
	d := time.Minute + 2*c.progressBound()
	if s, is := c.program(); is {
		d += s.lasts(c.Params)
	}
	return d
}

// limit sets when a run is cut before its horizon: after Params.Events events, if that is
// set. Otherwise a run with more events than one whose waiting clients retry every tenth of a
// second is cut once no client has progressed for progressBound, because its waiters starve.
// It is also cut if a single second of virtual time has had that many events.
func (c Cell) limit(w *sim.World, rec *record.Recorder) {
	p := c.Params
	if p.Events > 0 {
		w.Limit(int64(p.Events), c.horizon(), nil)
		return
	}
	many := 10_000 + int64(c.horizon()/(100*time.Millisecond))*int64(p.Clients*p.ThreadCount()*p.ServerCount())*8
	w.Limit(many, c.horizon(), func(now time.Duration) string {
		if still := now - rec.Moved(); still > c.progressBound() {
			return fmt.Sprintf("no client had got on for %v", still.Round(100*time.Millisecond))
		}
		return ""
	})
}

// drain returns how long goroutines may go on after a run: long enough for a clean-up that takes
// some leases.
func (c Cell) drain() time.Duration {
	lease := c.Params.LeaseAsked()
	if c.leaseVaries() {
		lease *= longerLease
	}
	return max(5*time.Minute, 10*lease)
}

// in reports whether it happened in a run.
func (e Happening) in(h *model.History, run RunContext) bool {
	if e.Reads != nil {
		return e.Reads(h, run)
	}
	return e.In(h)
}

// LockName is the name of the lock that all clients of a run use.
const LockName = "lock"

// Run runs the cell once, as the tape decides. Concurrent runs in one process wait for
// each other.
func (c Cell) Run(how explore.Run) explore.Outcome {
	c, h, run, report := c.simulate(how)
	if f := report.Failure; f != nil && !f.Leaked {
		f.Reason += releasedAgain(&h, f.Actor)
	}
	out := explore.Outcome{Events: report.EventCount, Simulated: report.Simulated, Failure: report.Failure, Trail: report.Trail, Served: report.Served}
	if report.Failure == nil || report.Failure.Leaked {
		how.Over(report.EventCount)
		out.Verdicts = c.runner().judge(c, &h)
		for i, e := range c.happenings() {
			if e.in(&h, run) {
				out.Happened |= 1 << i
			}
		}
	}
	list := story(&h)
	out.Class, out.Features = classOf(list), featuresOf(list)
	out.Hash = digest(report.Hash, &h, out.Verdicts)
	if how.Record {
		if view := c.Lock.Reading.Ownership; view != nil {
			h.Keys = h.LockKeys(view)
		}
		out.Recording = &explore.Recording{Events: report.Events, Choices: report.Choices, History: h, Remarks: report.Remarks, Nondeterminism: report.Nondeterminism}
	}
	return out
}

// releasedAgain returns a text for a failed client that was releasing a lease for a second time, which not every lock
// expects; empty for others.
func releasedAgain(h *model.History, client string) string {
	for i := len(h.Operations) - 1; i >= 0; i-- {
		now := &h.Operations[i]
		if now.Client != client || now.Kind != model.Release || now.Return.Happened() {
			continue
		}
		for j := range h.Operations[:i] {
			if first := &h.Operations[j]; first.Kind == model.Release && first.Acquisition == now.Acquisition {
				answer := cmp.Or(first.Err, string(first.Result))
				return fmt.Sprintf(" (in another Release of a lease, whose first Release answered: %s; a lease may be released again, see lock.Lease)", answer)
			}
		}
	}
	return ""
}

// simulate makes the run and returns its history, what happenings read besides, and the cell with the size of the run.
func (c Cell) simulate(how explore.Run) (sized Cell, h model.History, run RunContext, report sim.Report) {
	var rec *record.Recorder
	report = sim.Run(sim.Config{
		Tape: how.Tape, Record: how.Record, Trail: how.Trail, Printed: how.Printed, Progress: how.Progress, Drain: c.drain(), Ahead: c.twin.ahead(),
	}, func(w *sim.World) {
		c = c.sized(w)
		rec = c.setUp(w)
		c.limit(w, rec)
	})
	if rec != nil {
		h = rec.History(model.Stamp{Seq: report.EventCount, At: report.Simulated}, report.Cut)
		run = RunContext{c.Lock.Reading.Ownership, c.Lock.Store.Lanes(c.Params), rec.Abandoned()}
	}
	return c, h, run, report
}

// building is a world that is being built.
type building struct {
	Cell
	world  *sim.World
	rec    *record.Recorder
	stage  *stage.Stage
	ctx    context.Context // ends with the run
	faults []*stage.Fault
	crew   *crew // of a program, nil for a lock
}

// subjectRunner runs and judges the subject of a cell.
type subjectRunner interface {
	// addActors adds the actors that the subject needs beside the servers to a world, and start
	// makes its i-th process.
	addActors(b *building)
	start(b *building, i int)
	// judge judges a run of the cell.
	judge(c Cell, h *model.History) []model.Verdict
}

// runner returns the runner of the cell's subject.
func (c Cell) runner() subjectRunner {
	if s, is := c.program(); is {
		return programRunner{s}
	}
	return lockRunner{}
}

// setUp builds the world of a run.
func (c Cell) setUp(w *sim.World) *record.Recorder {
	p := c.Params
	rec := record.New(w, LockName, p.LeaseAsked())
	if slices.Contains(c.Judged(), checker.VainRequest) && !c.seeks() {
		rec.Tries()
	}
	b := &building{
		Cell: c, world: w, rec: rec, faults: c.settings().Faults(),
		stage: &stage.Stage{World: w, Params: p, Store: c.Lock.Store, Cluster: c.Lock.Store.Build(w, p, rec.Observe)},
	}
	w.Network().SetLink(b.stage.Link(b.faults))
	ctx, cancel := context.WithCancel(context.Background())
	b.ctx = ctx
	runner := c.runner()
	runner.addActors(b)
	b.stage.Inject(b.faults)
	w.OnEnd(cancel)
	c.twin.shift(w)
	for i := range p.Clients {
		runner.start(b, i)
	}
	return rec
}

// process makes the i-th client process, and its client for the code under test.
func (b *building) process(i int, threads bool) (*sim.Process, *Client) {
	off, number := b.stage.ClockError(), i+b.twin.first()
	process := b.world.NewProcess(b.processName(number), sim.ProcessOptions{
		Host: hostOf(number), Offset: off.Offset, Rate: off.Rate, Threads: threads,
	})
	b.stage.Join(process, off)
	b.rec.Client(process)
	return process, b.client(process)
}

// client makes the client of a process for the code under test.
func (b *building) client(p *sim.Process) *Client {
	client := NewClient(b.world, p, Outfit{
		Store: b.Lock.Store, Addresses: b.stage.Cluster.Addresses(), LockName: LockName, TTL: b.Params.LeaseAsked(), Own: b.Params.Own,
	})
	client.spec, client.cluster, client.program = b.spec(), b.stage.Cluster, b.IsProgram()
	return client
}

// digest adds history and verdicts to the hash of the run's events.
func digest(events uint64, h *model.History, verdicts []model.Verdict) uint64 {
	var d sim.Digest
	d.Uint(events)
	for i := range h.Operations {
		op := &h.Operations[i]
		for _, n := range []int64{op.Call.Seq, op.Return.Seq, int64(op.Acquisition), op.Token, op.Value, int64(op.Until), op.Lost.Seq} {
			d.Uint(uint64(n))
		}
		d.String(string(op.Kind))
		d.String(string(op.Result))
		d.String(op.Err)
	}
	for i := range h.Observations {
		o := &h.Observations[i]
		for _, n := range []int64{o.Seq, int64(o.Owner.Op), int64(o.By.Op), int64(o.ExpiresAt), o.Number, o.Token} {
			d.Uint(uint64(n))
		}
		d.String(o.Key)
		d.String(o.Value)
	}
	for i := range h.Calls {
		c := &h.Calls[i]
		for _, n := range []int64{int64(c.ID), c.N, c.Until, c.Value} {
			d.Uint(uint64(n))
		}
		d.String(string(c.Op))
		d.String(c.Owner)
		d.String(c.Permit)
	}
	digestProgram(&d, h)
	for i := range verdicts {
		d.String(string(verdicts[i].Status))
		d.String(verdicts[i].Sentence)
		if verdicts[i].Limit {
			d.String("limit")
			d.String(verdicts[i].Cause)
		}
	}
	return d.Sum()
}

// Actors returns the lanes of the cell's traces.
func (c Cell) Actors() []traces.Actor {
	var list []traces.Actor
	for i := range c.Params.Clients {
		list = append(list, traces.Actor{Name: c.processName(i), Kind: traces.ClientActor})
	}
	lanes := c.Lock.Store.Lanes(c.Params)
	for i, names := range lanes {
		for _, name := range names {
			a := traces.Actor{Name: name, Kind: traces.NodeActor}
			if len(lanes) > 1 {
				a.Server = i + 1
			}
			c.ofStore(&a)
			list = append(list, a)
		}
	}
	if e, elects := c.Lock.Store.(stage.Electing); elects {
		for _, name := range e.ElectorLanes(c.Params) {
			a := traces.Actor{Name: name, Kind: traces.ElectorActor, Noun: e.Elector()}
			c.ofStore(&a)
			list = append(list, a)
		}
	}
	list = append(list, c.Lock.Subject.actors()...)
	slices.SortStableFunc(list, func(a, b traces.Actor) int { return cmp.Compare(laneOrder[a.Kind], laneOrder[b.Kind]) })
	return list
}

// laneOrder is the order of the lanes of a trace by the kinds of their actors.
var laneOrder = map[traces.ActorKind]int{traces.ClientActor: 1, traces.NodeActor: 2, traces.ElectorActor: 3, traces.ResourceActor: 4}

// ofStore sets the store of a node, if the cell has several stores.
func (c Cell) ofStore(a *traces.Actor) {
	if part := stage.PartOf(c.Lock.Store, c.Params, a.Name); part != c.Lock.Store {
		a.Store = part.ID()
		terms := part.Terms().Terms.Usual()
		a.Terms = &terms
	}
}

// Trace makes the trace of a recorded run of the cell, kept for a property. The run's
// verdict says whether the violation is a limit or a fault.
func (c Cell) Trace(seed uint64, schedule int, property string, out explore.Outcome) *traces.Trace {
	store := c.Lock.Store
	t := &traces.Trace{
		Schema:     traces.Schema,
		Made:       Versions(store),
		Scenario:   c.Scenario.ID,
		Parameters: c.Parameters(),
		Lock:       c.Lock.ID,
		Store:      store.ID(),
		Terms:      store.Terms().Terms,
		Seed:       seed,
		Schedule:   schedule,
		Property:   property,
		Actors:     c.Actors(),
		Tape:       out.Recording.Choices,
		Events:     out.Recording.Events,
		History:    out.Recording.History,
		Remarks:    out.Recording.Remarks,
		Verdicts:   out.Verdicts,
		Properties: c.described(out.Verdicts),
		Hash:       fmt.Sprintf("%016x", out.Hash),
	}
	t.Limit = t.Verdict() != nil && t.Verdict().Limit
	return t
}

// described returns the descriptions of the properties that were judged.
func (c Cell) described(verdicts []model.Verdict) (list []traces.Property) {
	for i := range verdicts {
		if p, known := c.Property(verdicts[i].Property); known {
			list = append(list, traces.Property{ID: p.ID, Description: p.Description})
		}
	}
	return list
}

// Epoch is the time that correct clocks show at the beginning of a run.
var Epoch = time.Date(2000, time.January, 1, 0, 0, 0, 0, time.UTC)
