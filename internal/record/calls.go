package record

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Ask is [Recorder.Begin] for an operation on an object that is not a mutex. Asked is its
// call; History adds its ID, stamps, outcome and client. Acquired is nil for an operation
// that belongs to no hold.
func (r *Recorder) Ask(p *sim.Process, thread int, kind model.OpKind, acquired *Call, asked model.Call) *Call {
	c := &Call{recorder: r, process: p, thread: thread, task: &sim.Task{Name: string(kind)}, kind: kind, said: &asked}
	c.begin(acquired, 0, nil)
	return c
}

// Said returns the recorded call, which the functions of [Call.End] complete with the answer.
func (c *Call) Said() *model.Call { return c.said }

// say stores the call of an operation on an object that is not a mutex.
func (r *Recorder) say(id int, said *model.Call) {
	if said == nil {
		return
	}
	for len(r.said) < id {
		r.said = append(r.said, nil)
	}
	r.said[id-1] = said
}

// calls returns the recorded calls, and the crashes.
func (r *Recorder) calls() []model.Call {
	return Calls(&r.history, r.said, func(name string) bool { return r.clients[name] != nil })
}

// Calls returns the calls of a history on an object that is no mutex. said has, by the ID of an operation less one, its
// arguments and its answer, nil if it concerned another object; the operation has the rest. Crashes of clients follow.
func Calls(h *model.History, said []*model.Call, isClient func(name string) bool) []model.Call {
	if len(said) == 0 {
		return nil
	}
	var list []model.Call
	for i, c := range said {
		if c != nil {
			list = append(list, call(h, &h.Operations[i], *c))
		}
	}
	id := len(h.Operations)
	for i := range h.Observations {
		if o := &h.Observations[i]; o.Kind == model.Crashed && isClient(o.Node) {
			id++
			list = append(list, model.Call{ID: id, Client: o.Node, Op: model.Crash, Call: o.Seq, Outcome: model.Unknown})
		}
	}
	return list
}

// call completes a recorded call from its operation.
func call(h *model.History, op *model.Operation, c model.Call) model.Call {
	c.ID, c.Client, c.Thread, c.Object = op.ID, op.Client, op.Thread, h.LockName
	c.Call, c.Return, c.Outcome = op.Call.Seq, op.Return.Seq, op.Result
	if op.Acquisition != op.ID {
		c.Of = op.Acquisition
	}
	if op.Kind == model.Acquire {
		c.Try = op.Try
	}
	if c.Permit != "" && op.Leased && op.Result == model.OK && op.Kind != model.Release {
		c.Until = after(h, op.Until)
	}
	return c
}

// after returns the number of the first event that may be later than the time: the one after the last call, return or
// observation that is known to be earlier.
func after(h *model.History, at time.Duration) int64 {
	last := int64(0)
	see := func(s model.Stamp) {
		if s.At < at {
			last = max(last, s.Seq)
		}
	}
	for i := range h.Operations {
		see(h.Operations[i].Call)
		see(h.Operations[i].Return)
	}
	for i := range h.Observations {
		see(h.Observations[i].Stamp)
	}
	return last + 1
}
