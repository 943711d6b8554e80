package record

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// turns orders the statements of a process's goroutines: if several make one in one step, the scheduler must not decide
// which is first.
type turns struct{ of *sim.Process }

// Turn waits until it is the caller's turn to make a statement of its process. About must be the same in every run.
func Turn(p *sim.Process, about string) { p.AwaitTurnFor(about, turns{p}) }

// State records a statement of a process. Text is its step for the reader, empty for none; bad marks an unwanted one.
func (r *Recorder) State(p *sim.Process, s model.Statement, text string, bad bool) {
	what := string(s.Kind)
	if s.Name != "" {
		what += " " + s.Name
	}
	Turn(p, what)
	if s.Key != "" {
		what += " " + s.Key
	}
	p.Mark(0, what, func(e sim.Event) {
		s.Stamp, s.Process = stamp(e), p.Name()
		r.history.Statements = append(r.history.Statements, s)
		r.moved = e.At
		if text != "" {
			r.note(s.Stamp, s.Process, model.Note{Event: string(s.Kind), Detail: s.Name, Text: text, Bad: bad})
		}
	})
}

// note adds a note of a process for the reader.
func (r *Recorder) note(at model.Stamp, process string, n model.Note) {
	r.Observe(model.Observation{
		Stamp: at, Node: process, Kind: model.Noted, Owner: model.Origin{Client: process}, By: model.Origin{Client: process}, Note: &n,
	})
}

// Action is an operation of a program under way.
type Action struct {
	recorder *Recorder
	process  *sim.Process
	n        int // its number, from 1
}

// Act records that a process begins an operation on an object of its own.
func (r *Recorder) Act(p *sim.Process, life int, object string, input any) *Action {
	a := &Action{recorder: r, process: p}
	in := fmt.Sprint(input)
	Turn(p, "do "+object+" "+in)
	p.Mark(0, object+": "+in, func(e sim.Event) {
		a.n = len(r.history.Actions) + 1
		r.history.Actions = append(r.history.Actions, model.Action{
			ID: a.n, Process: p.Name(), Life: life, Object: object, In: in, Input: input, Call: stamp(e), Result: model.Unknown,
		})
		r.moved = e.At
		r.note(stamp(e), p.Name(), model.Note{Event: "calls", Detail: object, Text: fmt.Sprintf("{owner} begins %s on %s", in, object)})
	})
	return a
}

// End records that the operation has returned.
func (a *Action) End(outcome model.Outcome, output any, err error) {
	r, p := a.recorder, a.process
	out := ""
	switch {
	case err != nil:
		out = err.Error()
	case output != nil:
		out = fmt.Sprint(output)
	}
	Turn(p, "done "+out)
	p.Mark(0, "returned", func(e sim.Event) {
		x := &r.history.Actions[a.n-1]
		x.Return, x.Result = stamp(e), outcome
		if err != nil {
			x.Err = out
		} else {
			x.Out, x.Output = out, output
		}
		r.moved = e.At
		r.note(x.Return, p.Name(), model.Note{Event: "returns", Detail: x.Object, Text: "{owner} " + returned(x)})
	})
}

// returned returns a text for the result of an operation.
func returned(x *model.Action) string {
	switch {
	case x.Err != "":
		return fmt.Sprintf("has an error from %s on %s: %s", x.In, x.Object, x.Err)
	case x.Out != "":
		return fmt.Sprintf("is answered %s by %s on %s", x.Out, x.In, x.Object)
	}
	return fmt.Sprintf("has done %s on %s", x.In, x.Object)
}

// Take records that a process tries to take a lock that its program watches. Overlapping operations of one process are
// those of different threads: each gets the lowest free number.
func (r *Recorder) Take(p *sim.Process, lock string, try bool) *Call {
	c := &Call{recorder: r, process: p, watched: lock, task: &sim.Task{Name: string(model.Acquire)}, kind: model.Acquire}
	Turn(p, "acquire "+lock)
	c.begin(nil, 0, []func(*model.Operation){func(op *model.Operation) {
		c.thread = r.enter(op)
		op.Thread, op.Try = c.thread, try
	}})
	return c
}

// With records that a process calls an operation on a hold of a watched lock.
func (r *Recorder) With(hold *Call, kind model.OpKind) *Call {
	c := &Call{recorder: r, process: hold.process, watched: hold.watched, thread: hold.thread, task: &sim.Task{Name: string(kind)}, kind: kind}
	Turn(c.process, string(kind)+" "+hold.watched)
	c.begin(hold, 0, nil)
	return c
}

// enter takes the lowest number of a thread of a process without a hold or a try.
func (r *Recorder) enter(op *model.Operation) (thread int) {
	if r.threads == nil {
		r.threads = map[string][]int{}
	}
	list := r.threads[op.Client]
	for thread < len(list) && list[thread] != 0 {
		thread++
	}
	if thread == len(list) {
		list = append(list, 0)
	}
	list[thread] = op.ID
	r.threads[op.Client] = list
	return thread
}

// leave frees the number when the operation has ended its hold, or has begun none.
func (r *Recorder) leave(op *model.Operation) {
	ends := op.Kind == model.Release || op.Kind == model.Acquire && op.Result != model.OK
	if list := r.threads[op.Client]; ends && op.Thread < len(list) && list[op.Thread] == op.Acquisition {
		list[op.Thread] = 0
	}
}

// Forget frees the numbers of a process's threads: it starts anew.
func (r *Recorder) Forget(process string) { delete(r.threads, process) }
