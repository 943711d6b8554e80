// Package record builds the history of a run: operations from the marks of the clients, and observations of the world.
package record

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Recorder collects the history of one run. Its fields belong to the conductor; the methods that clients call hand over to
// it.
type Recorder struct {
	history model.History
	clients map[string]*sim.Process
	// cancelled are the calls whose context has ended and which have not returned.
	cancelled []*Call
	// said has, by the ID of an operation less one, its call of an object that is no mutex.
	said []*model.Call
	// tasks are those of the operations, in their order, and tries is set if the times of their requests are recorded.
	tasks []*sim.Task
	tries bool
	// bounds are the bounds to measure, by process.
	bounds map[string][]Bound
	// threads has, by process, the acquisition of a watched lock that has each number of a thread, 0 for none.
	threads map[string][]int
	// moved is when a client last progressed: see Moved.
	moved   time.Duration
	network *sim.Network
	// abandoned is set if a request has changed a record when its client had hung up.
	abandoned bool
}

// New returns a recorder for a world. It sees the world's faults by itself;
// observations of other parts go to [Recorder.Observe].
func New(w *sim.World, lockName string, ttl time.Duration) *Recorder {
	r := &Recorder{history: model.History{LockName: lockName, TTL: ttl}, clients: map[string]*sim.Process{}, network: w.Network()}
	r.history.Operations = make([]model.Operation, 0, 16) // as many as most runs need
	r.history.Observations = make([]model.Observation, 0, 24)
	w.OnFault(r.fault)
	return r
}

// Client says that the process is a client, whose crash ends its claims.
func (r *Recorder) Client(p *sim.Process) { r.clients[p.Name()] = p }

// Tries makes the recorder keep when each Acquire asked the store.
func (r *Recorder) Tries() { r.tries = true }

// Bound is the size of something that a process keeps, and its maximum at rest. The conductor calls Size.
type Bound struct {
	What string
	Most int
	Size func() int
}

// Measure makes the recorder keep the size of something when a Release of the process returns.
func (r *Recorder) Measure(p *sim.Process, b Bound) {
	if r.bounds == nil {
		r.bounds = map[string][]Bound{}
	}
	r.bounds[p.Name()] = append(r.bounds[p.Name()], b)
}

// Observe adds an observation. Only the conductor calls it.
func (r *Recorder) Observe(o model.Observation) {
	r.abandoned = r.abandoned || o.Key != "" && o.Kind.OfRecord() && o.Authority != "" && r.network.HungUp(o.By.Conn)
	r.history.Observations = append(r.history.Observations, o)
}

// fault turns the world's faults into observations. Crashes of nodes are observed
// by their store.
func (r *Recorder) fault(f sim.Fault) {
	// A clock that has jumped back by some time repeats it.
	r.history.Healed = max(r.history.Healed, f.At+max(f.For, f.By, -f.By))
	o := model.Observation{Stamp: stamp(f.Event), Node: f.Actor, For: f.For, Ahead: f.By, Rate: f.Rate}
	switch f.Kind {
	case sim.FaultPause:
		o.Kind = model.Paused
	case sim.FaultResume:
		o.Kind = model.Resumed
	case sim.FaultLate:
		o.Kind = model.Delayed
		if f.Task != nil {
			o.By = model.Origin{Client: f.Actor, Op: f.Task.ID}
		}
	case sim.FaultPartition:
		o.Kind, o.Value, o.Sides = model.Parted, f.Sides.String(), sides(f.Sides)
	case sim.FaultUnited:
		o.Kind, o.Value, o.Sides = model.United, f.Sides.String(), sides(f.Sides)
	case sim.FaultLost:
		o.Kind = model.ReplyLost
		if f.Task != nil {
			o.By = model.Origin{Client: f.Actor, Op: f.Task.ID}
		}
	case sim.FaultJump:
		o.Kind = model.ClockJumped
	case sim.FaultSkew:
		o.Kind = model.ClockOff
	case sim.FaultCrash:
		if r.clients[f.Actor] == nil {
			return
		}
		o.Kind = model.Crashed
	case sim.FaultRestart:
		o.Kind = model.Returned
	default:
		return
	}
	r.Observe(o)
}

// sides are those of a partition.
func sides(p *sim.Partition) *model.Sides {
	names := func(list []*sim.Actor) (names []string) {
		for _, a := range list {
			names = append(names, a.Name())
		}
		return names
	}
	held := map[sim.Direction]model.Direction{sim.BothWays: model.BothWays, sim.FromAToB: model.FromAToB, sim.FromBToA: model.FromBToA}
	return &model.Sides{A: names(p.A), B: names(p.B), Held: held[p.Held]}
}

// History closes the recording: the end of the run, and the reason if a limit
// cut it short.
func (r *Recorder) History(end model.Stamp, cut string) model.History {
	r.history.End, r.history.Cut = end, cut
	for _, c := range r.cancelled {
		c.operation().Idle = c.process.Idle() - c.idle
	}
	for i, t := range r.tasks {
		if n := t.BackToBack(); n >= model.Spinning {
			r.history.Operations[i].BackToBack = n
		}
		if op := &r.history.Operations[i]; r.tries && op.Kind == model.Acquire {
			op.Tries = slices.Clone(t.Tries())
		}
	}
	for i := range r.history.Observations {
		if o := &r.history.Observations[i]; o.Kind == model.ClockOff || o.Kind == model.ClockJumped {
			leased := slices.ContainsFunc(r.history.Operations, func(op model.Operation) bool { return op.Client == o.Node && op.Leased })
			p := r.clients[o.Node]
			o.Unread = p != nil && !p.GoesByClock(leased, o.Rate)
		}
	}
	r.history.Calls = r.calls()
	return r.history
}

func stamp(e sim.Event) model.Stamp { return model.Stamp{Seq: e.Seq, At: e.At} }

// Call is an operation under way. The requests that the process writes meanwhile
// carry its task.
type Call struct {
	recorder *Recorder
	process  *sim.Process
	thread   int
	task     *sim.Task
	kind     model.OpKind
	idle     time.Duration // the process's, when the call was cancelled
	said     *model.Call
	watched  string // the name of the lock, if a program watches it
}

// Begin records that a thread of the process calls an operation. For all but an Acquire, acquired is the call of the
// Acquire whose hold it belongs to; value is the value of a Write; fill completes the operation.
func (r *Recorder) Begin(p *sim.Process, thread int, kind model.OpKind, acquired *Call, value int64, fill ...func(*model.Operation)) *Call {
	c := &Call{recorder: r, process: p, thread: thread, task: &sim.Task{Name: string(kind)}, kind: kind}
	c.begin(acquired, value, fill)
	return c
}

func (c *Call) begin(acquired *Call, value int64, fill []func(*model.Operation)) {
	r, p := c.recorder, c.process
	p.SetTask(c.task)
	p.Mark(c.thread, string(c.kind), func(e sim.Event) {
		op := model.Operation{
			ID:     len(r.history.Operations) + 1,
			Client: p.Name(), Thread: c.thread, Kind: c.kind, Lock: c.watched,
			Call: stamp(e), Result: model.Unknown, Value: value,
		}
		c.task.ID = op.ID
		p.World().Begun(c.task, e)
		switch {
		case acquired != nil:
			op.Acquisition = acquired.task.ID
		case c.said == nil || op.Kind == model.Acquire:
			op.Acquisition = op.ID
		}
		for _, f := range fill {
			f(&op)
		}
		if !r.again(&op) {
			r.moved = e.At
		}
		r.history.Operations = append(r.history.Operations, op)
		r.tasks = append(r.tasks, c.task)
		r.say(op.ID, c.said)
	})
}

// End records that the operation returned; fill completes it.
func (c *Call) End(outcome model.Outcome, err error, fill func(*model.Operation)) {
	if c.watched != "" {
		Turn(c.process, "return of "+string(c.kind)+" "+c.watched)
	}
	c.process.SetTask(nil)
	c.process.Mark(c.thread, string(c.kind)+" "+string(outcome), func(e sim.Event) {
		op := c.operation()
		op.Return, op.Result = stamp(e), outcome
		c.returned(op)
		if err != nil {
			op.Err = err.Error()
		}
		if fill != nil {
			fill(op)
		}
		c.recorder.leave(op)
		if op.Kind == model.Release {
			for _, b := range c.recorder.bounds[op.Client] {
				op.Sizes = append(op.Sizes, model.Size{What: b.What, N: b.Size(), Most: b.Most})
			}
		}
		if r := c.recorder; r.served(op) {
			r.moved = e.At
		}
	})
}

// ID returns the number of the recorded operation. It is known when [Recorder.Begin] and the like have returned.
func (c *Call) ID() int { return c.task.ID }

// InSession reports whether a record that the operation has written lives with a session. It is for functions that
// complete an operation.
func (c *Call) InSession() bool {
	return slices.ContainsFunc(c.recorder.history.Observations, func(o model.Observation) bool {
		return o.Owner.Op == c.task.ID && o.Session != "" && o.Authority != ""
	})
}

// Abandoned reports whether a request has changed a record when its client had hung up.
func (r *Recorder) Abandoned() bool { return r.abandoned }

// Moved returns when a client last progressed: when an operation succeeded, or was called by a thread that was not
// retrying the same one in vain; or, if later, when the world healed. A client that waits for the lock now has waited at
// least since then.
func (r *Recorder) Moved() time.Duration { return max(r.moved, r.history.Healed) }

// Healed returns the end of the last fault so far.
func (r *Recorder) Healed() time.Duration { return r.history.Healed }

// again reports whether the call repeats the thread's last operation, which was not served.
func (r *Recorder) again(op *model.Operation) bool {
	for i := len(r.history.Operations) - 1; i >= 0; i-- {
		if last := &r.history.Operations[i]; last.Client == op.Client && last.Thread == op.Thread {
			return last.Kind == op.Kind && !r.served(last)
		}
	}
	return false
}

// served reports whether the operation succeeded, or was refused for good.
func (r *Recorder) served(op *model.Operation) bool {
	if op.Result == model.OK || len(r.said) < op.ID {
		return op.Result == model.OK
	}
	said := r.said[op.ID-1]
	return said != nil && said.Refused
}

// Lost records that the lease of an acquisition signalled its loss. The goroutine that
// watches the lease is no thread of the workload: its marks have an order of their own,
// by the number of the acquisition within its thread.
func (c *Call) Lost(number int) {
	const watchers = 1 << 16 // beyond all threads
	c.process.Mark(watchers*(1+c.thread)+number, "lost", func(e sim.Event) {
		c.operation().Lost = stamp(e)
	})
}

// Cancelled records that the operation's context has ended. Only the conductor calls it, between the call and the return.
func (c *Call) Cancelled(e sim.Event) {
	c.operation().Cancelled, c.idle = stamp(e), c.process.Idle()
	c.recorder.cancelled = append(c.recorder.cancelled, c)
}

// returned records how long a cancelled operation idled.
func (c *Call) returned(op *model.Operation) {
	if !op.Cancelled.Happened() {
		return
	}
	op.Idle = c.process.Idle() - c.idle
	c.recorder.cancelled = slices.DeleteFunc(c.recorder.cancelled, func(o *Call) bool { return o == c })
}

// operation returns the recorded operation of the call. Only the conductor may call it.
func (c *Call) operation() *model.Operation { return c.recorder.history.Operation(c.task.ID) }
