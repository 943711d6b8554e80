package explore

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"sync/atomic"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// A Runner runs one thing under test once, as the tape decides. Recording
// keeps everything that a trace needs; progress, if not nil, grows while the
// run moves.
type Runner func(tape sim.Tape, recording bool, progress *atomic.Int64) Outcome

// Request is what a worker is asked to do: either some schedules of a random
// search, or one tape.
type Request struct {
	// Cell names the thing under test, in whatever form the worker's resolver
	// understands.
	Cell json.RawMessage `json:"cell"`

	// Schedules First to First+Count-1 of the search with this seed, or the
	// same from last to first.
	Seed    uint64 `json:"seed"`
	First   int    `json:"first"`
	Count   int    `json:"count"`
	Reverse bool   `json:"reverse,omitempty"`
	// Seen are the properties whose violations need no recording any more.
	Seen []string `json:"seen,omitempty"`
	// Record asks for the recording of every schedule.
	Record bool `json:"record,omitempty"`

	// Replay asks for one run of Tape instead, which may be empty.
	Replay bool         `json:"replay,omitempty"`
	Tape   []sim.Choice `json:"tape,omitempty"`
}

// Result is what a worker says of one schedule.
type Result struct {
	// Done is set on the last thing that a worker says, which is of no
	// schedule: without it the worker has died.
	Done bool `json:"done,omitempty"`

	Schedule  int      `json:"schedule"`
	Events    int64    `json:"events"`
	Simulated int64    `json:"simulatedNanos"`
	Hash      uint64   `json:"hash"`
	Happened  uint64   `json:"happened,omitempty"`
	Violated  []string `json:"violated,omitempty"`
	// Undecided are the verdicts on what could not be decided.
	Undecided []model.Verdict `json:"undecided,omitempty"`
	Verdicts  []model.Verdict `json:"verdicts,omitempty"`
	Recording *Recording      `json:"recording,omitempty"`
	// New are the violated properties that were not Seen: the recording is
	// theirs.
	New []string `json:"new,omitempty"`
	// Trouble is set if the run came to no proper end.
	Trouble *Trouble `json:"trouble,omitempty"`
	// Divergence is where a replayed tape did not fit.
	Divergence *Divergence `json:"divergence,omitempty"`
}

// Outcome is the result of a recorded run as the outcome that it was.
func (r *Result) Outcome() Outcome {
	return Outcome{
		Verdicts: r.Verdicts, Happened: r.Happened, Hash: r.Hash, Events: r.Events,
		Simulated: time.Duration(r.Simulated), Recording: r.Recording,
	}
}

// TroubleKind is how a run came to no proper end.
type TroubleKind string

// The kinds of trouble; they are also results of searches.
const (
	// Crashed: code under test panicked, left goroutines behind, or took its
	// whole process down.
	Crashed TroubleKind = "crashed"
	// Stalled: the run can never go on, which its stacks prove.
	Stalled TroubleKind = "stalled"
	// Nondeterministic: the same tape gave two different runs.
	Nondeterministic TroubleKind = "nondeterministic"
	// Inconclusive: the run was given up on without proof of anything.
	Inconclusive TroubleKind = "inconclusive"
)

// Trouble is a run that came to no proper end. It is a result as any other.
type Trouble struct {
	Kind     TroubleKind `json:"kind"`
	Schedule int         `json:"schedule"`
	// Reason says in one sentence what happened.
	Reason string `json:"reason"`
	// Stack shows where, if that is known.
	Stack string `json:"stack,omitempty"`
}

// Serve is the worker: it reads one request from in, and writes one result for
// each schedule to out, until it is done. Resolve finds the runner for a
// request's cell. After a run that left goroutines behind, or that stalled,
// Serve returns early: what is left over would disturb the next run, and
// whoever asked starts another worker.
func Serve(in io.Reader, out io.Writer, resolve func(cell json.RawMessage) (Runner, error)) error {
	var q Request
	if err := json.NewDecoder(in).Decode(&q); err != nil {
		return fmt.Errorf("explore: the request cannot be read: %w", err)
	}
	run, err := resolve(q.Cell)
	if err != nil {
		return err
	}
	s := &server{request: q, run: run, out: bufio.NewWriter(out), seen: slices.Clone(q.Seen)}
	if err := s.serveAll(); err != nil {
		return err
	}
	return s.write(Result{Done: true})
}

// ServeStdio is [Serve] on standard input and output. What the code under test
// prints goes to standard error from now on.
func ServeStdio(resolve func(cell json.RawMessage) (Runner, error)) error {
	out := os.Stdout
	os.Stdout = os.Stderr
	return Serve(os.Stdin, out, resolve)
}

// server is a worker at work.
type server struct {
	request Request
	run     Runner
	out     *bufio.Writer
	seen    []string
}

// serveAll runs what was asked for, or until this worker must not run another.
func (s *server) serveAll() error {
	q := s.request
	if q.Replay {
		_, err := s.serve(0, func() sim.Tape { return NewReplay(q.Tape) })
		return err
	}
	for i := range q.Count {
		schedule := q.First + i
		if q.Reverse {
			schedule = q.First + q.Count - 1 - i
		}
		good, err := s.serve(schedule, func() sim.Tape { return Random(q.Seed, schedule) })
		if err != nil || !good {
			return err
		}
	}
	return nil
}

// serve runs one schedule and writes its result. It answers false if this
// worker must not run another.
func (s *server) serve(schedule int, tape func() sim.Tape) (good bool, err error) {
	r := s.schedule(schedule, tape)
	return r.Trouble == nil || r.Trouble.Kind == Nondeterministic, s.write(r)
}

func (s *server) write(r Result) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if _, err := s.out.Write(append(line, '\n')); err != nil {
		return err
	}
	return s.out.Flush()
}

// schedule runs one schedule, and a second time if it found something new.
func (s *server) schedule(schedule int, tape func() sim.Tape) Result {
	replay := s.request.Replay
	first := tape()
	o, trouble := guarded(s.run, first, s.request.Record || replay)
	if trouble != nil {
		trouble.Schedule = schedule
		return Result{Schedule: schedule, Trouble: trouble}
	}
	r := result(schedule, &o)
	if t, ok := first.(*Replay); ok {
		r.Divergence = t.Diverged()
	}
	if r.Trouble != nil || replay {
		return r
	}
	for _, p := range r.Violated {
		if !slices.Contains(s.seen, p) {
			r.New = append(r.New, p)
		}
	}
	if len(r.New) > 0 {
		s.confirm(&r, tape)
	}
	return r
}

// confirm runs a finding again, recording it. A finding that does not repeat
// is no finding.
func (s *server) confirm(r *Result, tape func() sim.Tape) {
	again, trouble := guarded(s.run, tape(), true)
	if trouble == nil && again.Hash == r.Hash {
		r.Verdicts, r.Recording = again.Verdicts, again.Recording
		s.seen = append(s.seen, r.New...)
		return
	}
	r.New = nil
	if trouble == nil {
		trouble = s.difference(&again, tape)
	}
	trouble.Schedule = r.Schedule
	r.Trouble = trouble
}

// difference describes how two runs of one tape differ.
func (s *server) difference(one *Outcome, tape func() sim.Tape) *Trouble {
	const attempts = 5
	for range attempts {
		other, trouble := guarded(s.run, tape(), true)
		if trouble != nil {
			return trouble
		}
		if other.Hash != one.Hash {
			return &Trouble{Kind: Nondeterministic, Reason: "two runs of the same tape differ: " + FirstDifference(one.Recording, other.Recording)}
		}
	}
	return &Trouble{Kind: Nondeterministic, Reason: fmt.Sprintf("two runs of the same tape differ, but %d more were alike", attempts)}
}

func result(schedule int, o *Outcome) Result {
	r := Result{
		Schedule: schedule, Events: o.Events, Simulated: int64(o.Simulated), Hash: o.Hash, Happened: o.Happened,
		Violated: o.Violated(), Recording: o.Recording,
	}
	for i := range o.Verdicts {
		if o.Verdicts[i].Status == model.Undecided {
			r.Undecided = append(r.Undecided, o.Verdicts[i])
		}
	}
	if o.Recording != nil {
		r.Verdicts = o.Verdicts
	}
	if f := o.Failure; f != nil {
		r.Trouble = &Trouble{Kind: Crashed, Schedule: schedule, Reason: f.Reason, Stack: f.Stack}
		if f.Actor != "" {
			r.Trouble.Reason = "in " + f.Actor + ": " + f.Reason
		}
	}
	return r
}
