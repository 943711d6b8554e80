package explore

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Request asks a worker to run some schedules of a strategy, some schedules of an
// exhaustive search, or one tape.
type Request struct {
	// Cell names the thing under test, in the form that the worker's resolver
	// reads.
	Cell json.RawMessage `json:"cell"`

	// The schedules are First to First+Count-1 of the search with this strategy (random
	// if empty) and seed; random ones may also run from last to first. A strategy that
	// learns runs their block from its beginning, without the schedules in Skip.
	Strategy string `json:"strategy,omitempty"`
	Seed     uint64 `json:"seed"`
	First    int    `json:"first"`
	Count    int    `json:"count"`
	Reverse  bool   `json:"reverse,omitempty"`
	Skip     []int  `json:"skip,omitempty"`
	// Record asks for the recording of every schedule.
	Record bool `json:"record,omitempty"`
	// Lean keeps no tapes, for long runs that are known by their seed.
	Lean bool `json:"lean,omitempty"`
	// Loud asks the worker to report each choice at once, since it is expected to
	// die.
	Loud bool `json:"loud,omitempty"`

	// Tree asks for a part of an exhaustive search instead.
	Tree *Tree `json:"tree,omitempty"`

	// Replay asks for one run of Tape instead, which may be empty. Lenient makes the choices
	// wherever they fit. If Sought is set, the result has a tape only if the run has that
	// violation: sending and reading a long tape takes as long as the run.
	Replay  bool            `json:"replay,omitempty"`
	Lenient bool            `json:"lenient,omitempty"`
	Tape    []sim.Choice    `json:"tape,omitempty"`
	Sought  model.Violation `json:"sought,omitzero"`
}

// Result is a worker's report on one schedule.
type Result struct {
	// Done is set on a worker's last message for a request, which has no schedule; if
	// it is missing, the worker has died. Over is set if the worker cannot take another
	// request.
	Done bool `json:"done,omitempty"`
	Over bool `json:"over,omitempty"`

	// Ready is set on the first message of a worker that serves on pipes.
	Ready bool `json:"ready,omitempty"`

	// Alive is set on a message that only reports that the process runs.
	Alive bool `json:"alive,omitempty"`

	// Taken is set on the report of a choice, for a Loud request.
	Taken *sim.Choice `json:"taken,omitempty"`

	Schedule  int    `json:"schedule"`
	Events    int64  `json:"events"`
	Simulated int64  `json:"simulatedNanos"`
	Hash      uint64 `json:"hash"`
	Class     uint64 `json:"class,omitempty"`
	Happened  uint64 `json:"happened,omitempty"`
	// Violated are the violations.
	Violated []model.Violation `json:"violated,omitempty"`
	// Causes are those of Violated, in the same order.
	Causes []string `json:"causes,omitempty"`
	// Undecided are the verdicts on properties that could not be decided.
	Undecided []model.Verdict `json:"undecided,omitempty"`
	Verdicts  []model.Verdict `json:"verdicts,omitempty"`
	Recording *Recording      `json:"recording,omitempty"`
	// Extra is the outcome's Extra.
	Extra json.RawMessage `json:"extra,omitempty"`
	// Tape is set on the first schedule of a request with a violation, and on the run of
	// a tape that has the violation Sought. It is enough to run the schedule again.
	Tape []sim.Choice `json:"tape,omitempty"`
	// Node is set on schedules of an exhaustive search.
	Node *Node `json:"node,omitempty"`
	// Trouble is set if the run did not finish.
	Trouble *Trouble `json:"trouble,omitempty"`
	// Divergence is the place where a replayed tape did not fit.
	Divergence *Divergence `json:"divergence,omitempty"`
	// Spent is the worker's processor time since its last result, or since it was started. No
	// other field depends on the machine.
	Spent time.Duration `json:"spentNanos,omitempty"`
}

// Outcome returns the outcome of a recorded run from its result.
func (r *Result) Outcome() Outcome {
	return Outcome{
		Verdicts: r.Verdicts, Happened: r.Happened, Hash: r.Hash, Class: r.Class, Events: r.Events,
		Simulated: time.Duration(r.Simulated), Recording: r.Recording, Extra: r.Extra,
	}
}

// numbered returns the result with another number of its schedule.
func (r Result) numbered(n int) Result {
	r.Schedule = n
	if r.Trouble != nil {
		t := *r.Trouble
		t.Schedule, r.Trouble = n, &t
	}
	return r
}

// Serve serves as a worker: it reads requests from in, one after the other, and writes
// to out one result for each schedule, and one that ends the request. Resolve returns
// the runner for a request's cell. After a run that stalled or leaked goroutines, Serve
// returns early, since these would disturb the next run; the client starts another
// worker.
func Serve(in io.Reader, out io.Writer, resolve func(cell json.RawMessage) (Runner, error)) error {
	limitStack()
	countNetworking()
	between := collectBetweenRuns()
	requests := json.NewDecoder(in)
	var clock stopwatch
	for n := 0; ; n++ {
		var q Request
		switch err := requests.Decode(&q); {
		case errors.Is(err, io.EOF) && n > 0:
			return nil
		case err != nil:
			return fmt.Errorf("explore: the request cannot be read: %w", err)
		}
		run, err := resolve(q.Cell)
		if err != nil {
			return err
		}
		s := &server{request: q, run: run, out: bufio.NewWriter(out), clock: &clock, guard: func(run Runner, how Run) (Outcome, *Trouble) {
			between()
			return guarded(run, how)
		}}
		if err := s.write(Result{Alive: true}); err != nil {
			return err
		}
		good, err := s.serveAll()
		if err != nil {
			return err
		}
		if err := s.write(Result{Done: true, Over: !good}); err != nil || !good {
			return err
		}
	}
}

// ServeStdio calls [Serve] with standard input and output. From then on the code under
// test prints to standard error.
func ServeStdio(resolve func(cell json.RawMessage) (Runner, error)) error {
	out := os.Stdout
	os.Stdout, outputIsResults = os.Stderr, true
	return Serve(os.Stdin, out, resolve)
}

// The file descriptors of [Pipes].
const (
	pipeIn  = 3
	pipeOut = 4
)

// ServePipes calls [Serve] with the [Pipes], for a program that cannot use its standard
// input and output, such as a test. The parent program must set [Worker.Pipes].
func ServePipes(resolve func(cell json.RawMessage) (Runner, error)) error {
	in, out, err := Pipes()
	if err != nil {
		return err
	}
	if _, err := out.WriteString(`{"ready":true}` + "\n"); err != nil {
		return err
	}
	return Serve(in, out, resolve)
}

// Pipes returns the pipes of a worker process, file descriptors 3 and 4: in for its requests, and out for its
// results. The parent process opens them.
func Pipes() (in, out *os.File, err error) {
	in, out = os.NewFile(pipeIn, "requests"), os.NewFile(pipeOut, "results")
	if in == nil || out == nil {
		return nil, nil, errors.New("explore: file descriptors 3 and 4 are not open; set Worker.Pipes to start this program")
	}
	return in, out, nil
}

// KeepAside closes the [Pipes] in processes that this one starts. Call it early: a
// child process that inherits them hides the end of this one.
func KeepAside() {
	syscall.CloseOnExec(pipeIn)
	syscall.CloseOnExec(pipeOut)
}

// server is the state of a worker for one request.
type server struct {
	request  Request
	run      Runner
	out      *bufio.Writer
	reported []model.Violation // those whose tapes have been sent
	clock    *stopwatch
	// taken is the record of the last run, whose memory the next run uses.
	taken []Taken
	// guard makes a run.
	guard func(Runner, Run) (Outcome, *Trouble)
	// writing guards out, to which two goroutines write during a run.
	writing sync.Mutex
	// here, if not nil, takes the results instead of out: see [Here].
	here func(Result) error
	// prints is set if the output of a recorded run is not collected.
	prints bool
}

// serveAll makes the requested runs. It stops early and returns false if this worker
// must not make another run.
func (s *server) serveAll() (good bool, err error) {
	q := &s.request
	switch {
	case q.Replay:
		return s.serveTape()
	case q.Tree != nil:
		return s.serveTree()
	}
	if q.Strategy == "" {
		q.Strategy = RandomStrategy
	}
	if q.Strategy == RandomStrategy {
		return s.serveRandom()
	}
	for first := q.First; first < q.First+q.Count; {
		_, end := block(q.Strategy, first, q.First+q.Count)
		if good, err := s.serveBlock(first, end); err != nil || !good {
			return good, err
		}
		first = end
	}
	return true, nil
}

// serveRandom runs schedules that do not depend on each other.
func (s *server) serveRandom() (good bool, err error) {
	q := s.request
	for i := range q.Count {
		schedule := q.First + i
		if q.Reverse {
			schedule = q.First + q.Count - 1 - i
		}
		if slices.Contains(q.Skip, schedule) {
			continue
		}
		r, _ := s.schedule(schedule, Random(q.Seed, schedule), false)
		if good, err := s.report(r); err != nil || !good {
			return good, err
		}
	}
	return true, nil
}

// serveBlock runs the schedules of one block up to end, and reports those from
// first on.
func (s *server) serveBlock(first, end int) (good bool, err error) {
	q := s.request
	begin, _ := block(q.Strategy, first, end)
	strategy, err := newStrategy(q.Strategy, q.Seed, begin)
	if err != nil {
		return false, err
	}
	for schedule := begin; schedule < end; schedule++ {
		tape := strategy.Next()
		if slices.Contains(q.Skip, schedule) {
			continue
		}
		r, learn := s.schedule(schedule, tape, false)
		if learn != nil {
			learn(strategy)
		}
		if schedule < first {
			continue // reported before
		}
		if good, err := s.report(r); err != nil || !good {
			return good, err
		}
	}
	return true, nil
}

// serveTape runs one tape.
func (s *server) serveTape() (good bool, err error) {
	q := s.request
	if q.Lenient {
		r, _ := s.schedule(0, NewLenient(q.Tape), true)
		return s.report(r)
	}
	replay := NewReplay(q.Tape)
	r, _ := s.schedule(0, replay, true)
	if r.Divergence = replay.Diverged(); r.Divergence != nil {
		r.Divergence.Overlay = !Exact() && slices.ContainsFunc(q.Tape, func(c sim.Choice) bool { return c.Kind == sim.Wake })
	}
	return s.report(r)
}

// report writes the result of a schedule. It returns false if this worker must not make
// another run.
func (s *server) report(r Result) (good bool, err error) {
	r.Spent = s.clock.lap()
	return r.Trouble == nil || r.Trouble.Kind == Nondeterministic, s.write(r)
}

func (s *server) write(r Result) error {
	if s.here != nil {
		return s.here(r)
	}
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	if _, err := s.out.Write(append(line, '\n')); err != nil {
		return err
	}
	return s.out.Flush()
}

// schedule runs one schedule. The function that it returns lets a strategy learn from
// the run; it is nil if there is nothing to learn.
func (s *server) schedule(schedule int, tape sim.Tape, one bool) (Result, func(strategy)) {
	watched := &Watched{Tape: tape, Each: s.loud(schedule), Forgetful: s.request.Lean, Taken: s.taken[:0]}
	s.taken = nil
	how := Run{Tape: watched, Record: s.request.Record, alive: s.alive}
	if how.Record && !s.prints {
		if how.printing = startPrinting(); how.printing != nil {
			how.Printed = how.printing.take
			defer how.printing.stop()
		}
	}
	o, trouble := s.guard(s.run, how)
	if trouble != nil {
		trouble.Schedule, trouble.Tape = schedule, watched.Choices()
		return Result{Schedule: schedule, Trouble: trouble}, nil
	}
	s.taken = watched.Taken // the run has ended
	if f := o.Failure; f != nil && f.Refused && !s.request.Record && !s.request.Lean {
		o.Failure = s.located(f, watched.Choices())
	}
	r := result(schedule, &o)
	if r.Trouble != nil {
		r.Trouble.Tape = watched.Choices()
	}
	if !r.Trouble.judged() {
		return r, nil
	}
	if one && s.wanted(r.Violated) || !one && s.unreported(r.Violated) {
		r.Tape = watched.Choices()
	}
	return r, func(by strategy) { by.Learn(&o, watched.Taken) }
}

// alive reports to the requesting process that this one is running.
func (s *server) alive() {
	if s.here == nil {
		_ = s.write(Result{Alive: true}) // the end of the request reports the error
	}
}

// located adds the line of the code under test that made the request to the failure of a refused run. It takes a
// recorded run to find it, which would take too long for each run of a search.
func (s *server) located(f *sim.Failure, tape []sim.Choice) *sim.Failure {
	again, trouble := s.guard(s.run, Run{Tape: NewReplay(tape), Record: true})
	if trouble != nil || again.Failure == nil || !again.Failure.Refused {
		return f
	}
	return again.Failure
}

// wanted reports whether the result of a tape's run needs its tape.
func (s *server) wanted(violated []model.Violation) bool {
	return s.request.Sought == model.Violation{} || slices.Contains(violated, s.request.Sought)
}

// loud returns a function that reports each choice at once, if the request is Loud.
func (s *server) loud(schedule int) func(Taken) {
	if !s.request.Loud || schedule < s.request.First {
		return nil
	}
	return func(t Taken) {
		c := t.Choice()
		_ = s.write(Result{Schedule: schedule, Taken: &c}) // the end of the request reports the error
	}
}

// unreported reports whether any of the violations has not been reported yet, and marks them
// as reported.
func (s *server) unreported(violated []model.Violation) bool {
	unreported := false
	for _, v := range violated {
		if !slices.Contains(s.reported, v) {
			s.reported, unreported = append(s.reported, v), true
		}
	}
	return unreported
}

func result(schedule int, o *Outcome) Result {
	r := Result{
		Schedule: schedule, Events: o.Events, Simulated: int64(o.Simulated), Hash: o.Hash, Class: o.Class, Happened: o.Happened,
		Violated: o.Violated(), Recording: o.Recording, Extra: o.Extra,
	}
	for i := range o.Verdicts {
		switch v := o.Verdicts[i]; v.Status {
		case model.Violated:
			r.Causes = append(r.Causes, v.Cause)
		case model.Undecided:
			r.Undecided = append(r.Undecided, v)
		}
	}
	if o.Recording != nil {
		r.Verdicts = o.Verdicts
	}
	if f := o.Failure; f != nil {
		r.Trouble = &Trouble{Kind: Crashed, Schedule: schedule, Reason: f.Reason, Stack: f.Stack, Leaked: f.Leaked && o.Verdicts != nil}
		switch {
		case f.Refused:
			r.Trouble.Kind = Refused
		case f.Actor != "":
			r.Trouble.Reason = "in " + f.Actor + ": " + f.Reason
		case f.Leaked:
			r.Trouble.Reason = "the run left goroutines behind: " + f.Reason
		}
	}
	if o.FailedTest != nil && (r.Trouble == nil || r.Trouble.Kind != Refused) {
		r.Trouble = failedTest(schedule, o.FailedTest, r.Trouble)
	}
	return r
}

// failedTest returns the trouble of a run that failed its test and logged the lines. Other is another trouble of the
// run, or nil.
func failedTest(schedule int, lines []string, other *Trouble) *Trouble {
	t := &Trouble{Kind: Crashed, Cause: FailedTest, Schedule: schedule, Reason: "code of the run failed the test", Stack: strings.Join(lines, "\n")}
	if len(lines) > 0 {
		t.Reason += ": " + lines[0]
	}
	if other != nil {
		t.Reason += ". Besides, " + other.Reason
		t.Stack += "\n\n" + other.Stack
	}
	return t
}
