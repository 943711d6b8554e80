package history

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/lockpick-dev/lockpick/model"
)

// Recorder records the operations of the clients in one process as NDJSON. It is
// safe for concurrent use.
//
// It stamps calls and returns by a counter of the process. Several processes need a
// shared clock: see [Recorder.Clock].
//
// A line is written when an operation is called, and another, which replaces it, when
// it has returned. If the process dies, its file has the open operations, with unknown
// outcomes; without them the next holder would look like a violation. Each line is one
// Write. If a Write fails, nothing more is written, so that the file has no gaps;
// operations go on, and [Recorder.Err] returns the error.
type Recorder struct {
	count atomic.Int64
	clock func() int64 // nil for the counter

	mu  sync.Mutex
	out *Writer
	ids int
	err error
}

// NewRecorder returns a recorder that writes to w. Use a file; the caller must
// flush a buffered writer.
func NewRecorder(w io.Writer) *Recorder { return &Recorder{out: NewWriter(w)} }

// Clock makes the recorder take stamps from the given clock, which must be safe for
// concurrent use, return positive numbers, and never go back. Call it before the first
// operation. With time.Now().UnixNano() in all processes, their files can be judged
// together, with an uncertainty of the largest difference between their clocks.
func (r *Recorder) Clock(now func() int64) { r.clock = now }

// Pending is an open operation.
type Pending struct {
	r    *Recorder
	call model.Call
	over bool
}

// Call records the call of an operation. Call it just before the operation. Client,
// Object and Op are required, and Thread if threads of the client call at the same
// time; the recorder sets ID, Call, Return and Outcome. Of is the ID of a [Pending].
// model.Crash and model.Expire do not return, so they need no [Pending.Return].
func (r *Recorder) Call(c model.Call) *Pending {
	c.Call, c.Return, c.Outcome = r.stamp(), 0, model.Unknown
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ids++
	c.ID = r.ids
	r.write(c)
	return &Pending{r: r, call: c}
}

// ID returns the operation's id, for model.Call.Of.
func (p *Pending) ID() int { return p.call.ID }

// Return records the return of the operation. Call it immediately after the operation.
// Results, if any, set the fields of the result: Token and Fenced, Value and Valued,
// Until, Permit, Refused.
//
// Use [model.Unknown] for an error that leaves open whether the operation took effect
// (a timeout, a broken connection, a cancelled context), and [model.Failed] only if it
// certainly did not.
func (p *Pending) Return(outcome model.Outcome, results ...func(*model.Call)) {
	stamp := p.r.stamp()
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	if p.over {
		p.r.fail(fmt.Errorf("operation %d (%s of %s) returned twice", p.call.ID, p.call.Op, p.call.Client))
		return
	}
	p.over = true
	c := p.call
	for _, set := range results {
		set(&c)
	}
	c.Return, c.Outcome = max(stamp, c.Call), outcome
	p.r.write(c)
}

// Annotate records another event at this moment: a pause, a failover, a deployment.
// On is the thing concerned, and may be empty.
func (r *Recorder) Annotate(on, text string) {
	stamp := r.stamp()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.fail(r.out.Annotate(Annotation{Text: text, On: on, From: stamp}))
	}
}

// Err returns the error that ended the recording early, or nil.
func (r *Recorder) Err() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

func (r *Recorder) stamp() int64 {
	if r.clock != nil {
		return r.clock()
	}
	return r.count.Add(1)
}

func (r *Recorder) write(c model.Call) {
	if r.err == nil {
		r.fail(r.out.Write(c))
	}
}

// fail keeps the first error.
func (r *Recorder) fail(err error) {
	if r.err == nil && err != nil {
		r.err = fmt.Errorf("recording has stopped: %w", err)
	}
}
