package explore

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// Worker describes how to start a worker process: a program that calls [Serve] on its
// standard input and output.
type Worker struct {
	// Command is the program and its arguments.
	Command []string
	// Env is added to the environment, each as "key=value".
	Env []string
	// Dir is the worker's working directory, empty for that of this process.
	Dir string
	// Procs is the worker's GOMAXPROCS, 1 if zero. Runs must not depend on
	// it.
	Procs int
	// Pipes is set if the program calls [ServePipes] instead of [ServeStdio]; it may
	// print anything before that call. If the program ends without calling it, the
	// error is of type *[Unreached].
	Pipes bool
	// Silence is how long a worker may send nothing before it is ended: two minutes if
	// zero. Set it for runs that take longer.
	Silence time.Duration
	// Kept, if not nil, keeps processes for the next request that needs one.
	Kept *Kept
	// Here, if not nil, makes the runs in this process instead of a worker process.
	Here *Here
	// Meter, if not nil, adds up the processor time of the runs.
	Meter *Meter
}

// Unreached is the error for a program that was started as a worker and did not
// serve.
type Unreached struct {
	// Reason says how it ended, and Words is its output.
	Reason, Words string
}

// Error returns the reason and the output.
func (u *Unreached) Error() string {
	return "explore: the worker did not start to serve: " + u.Reason + "\n" + u.Words
}

// Self returns a worker that runs this program again with the given arguments.
func Self(args ...string) (Worker, error) {
	program, err := os.Executable()
	if err != nil {
		return Worker{}, fmt.Errorf("explore: the path of this program is unknown, so it cannot be run as a worker: %w", err)
	}
	return Worker{Command: append([]string{program}, args...)}, nil
}

// Do starts a worker, hands it one request and calls each for every result, in
// order, until the worker is done, has died, or each returns false. If the worker
// died, the error is of type *[Trouble]; all other errors are about starting it or
// communicating with it.
func (w Worker) Do(ctx context.Context, q Request, each func(Result) bool) error {
	h := Hand{Worker: w}
	defer h.Close()
	return h.Do(ctx, q, each)
}

// Hand is a worker process that takes one request after another. It is started when
// first needed, and again after it has died. It is not safe for concurrent use.
type Hand struct {
	Worker
	process *process
	// confirms is set if it confirms findings of another process.
	confirms bool
}

// Do is like [Worker.Do], in the process that the Hand already has, if any.
func (h *Hand) Do(ctx context.Context, q Request, each func(Result) bool) error {
	metered := func(r Result) bool {
		h.Meter.add(r.Spent)
		return each(r)
	}
	if h.Here != nil {
		return h.Here.do(ctx, q, metered)
	}
	if h.process == nil {
		h.process = h.Kept.take(h.name())
	}
	if h.process == nil {
		p, err := h.start()
		if err != nil {
			return err
		}
		h.process = p
	}
	over, err := h.process.do(ctx, q, metered)
	if over || err != nil {
		h.process.close()
		h.process = nil
	}
	return err
}

// Replay runs a tape once, the calm run if it is empty, and records the run. Errors are
// those of Do. Without an error the result is not nil; it may have a trouble.
func (h *Hand) Replay(ctx context.Context, cell json.RawMessage, tape []sim.Choice) (*Result, error) {
	return h.one(ctx, Request{Cell: cell, Replay: true, Record: true, Tape: tape})
}

// ReplayLenient is like Replay, but makes the choices wherever their decisions are asked
// ([Lenient]).
func (h *Hand) ReplayLenient(ctx context.Context, cell json.RawMessage, choices []sim.Choice) (*Result, error) {
	return h.one(ctx, Request{Cell: cell, Replay: true, Lenient: true, Record: true, Tape: choices})
}

// one makes a request that has one result.
func (h *Hand) one(ctx context.Context, q Request) (got *Result, err error) {
	err = h.Do(ctx, q, func(r Result) bool {
		got = &r
		return true
	})
	if err == nil && got == nil {
		err = errors.New("explore: the worker gave no result")
	}
	return got, err
}

// Replay is like [Hand.Replay], in a process of its own.
func (w Worker) Replay(ctx context.Context, cell json.RawMessage, tape []sim.Choice) (*Result, error) {
	h := Hand{Worker: w}
	defer h.Close()
	return h.Replay(ctx, cell, tape)
}

// Close ends the process, if there is one, or leaves it to [Worker].Kept.
func (h *Hand) Close() {
	if h.process != nil && !h.Kept.leave(h.name(), h.process) {
		h.process.close()
	}
	h.process = nil
}

// process is a running worker.
type process struct {
	cmd    *exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	answer *json.Decoder
	words  output // its standard error
	// printed is the file for its output in a recorded run: see printing.
	printed *os.File
	kill    context.CancelFunc
	dead    bool
	serves  bool // it has reported that it serves, or need not
	// silence is how long it may send nothing.
	silence time.Duration
}

func (w Worker) start() (*process, error) {
	running, kill := context.WithCancel(context.Background())
	p := &process{kill: kill, silence: cmp.Or(w.Silence, silence)}
	p.words.flood = kill
	p.cmd = exec.CommandContext(running, w.Command[0], w.Command[1:]...)
	p.cmd.Env = append(append(os.Environ(), w.Env...), "GOMAXPROCS="+strconv.Itoa(max(w.Procs, 1)), steadyStacks())
	p.cmd.Dir = w.Dir
	p.cmd.WaitDelay = grace // a child of the worker's may hold its output open
	p.cmd.Stderr = &p.words
	if p.printed = newPrintedFile(); p.printed != nil && runtime.GOOS == "linux" {
		p.cmd.ExtraFiles = []*os.File{nil, nil, p.printed} // its descriptor 5, behind those of [Pipes]
		p.cmd.Env = append(p.cmd.Env, printedVariable+"=5")
	}
	p.serves = !w.Pipes
	open := p.open
	if w.Pipes {
		open = p.openPipes
	}
	err := open()
	if err != nil {
		kill()
		return nil, fmt.Errorf("explore: the worker does not start: %w", err)
	}
	context.AfterFunc(running, func() { _ = p.out.Close() })
	p.answer = json.NewDecoder(p.out)
	return p, nil
}

// steadyStacks returns the setting of GODEBUG that makes stacks begin with the same size in all workers. Otherwise the
// garbage collector adapts that size to the stacks that it has seen, a stack grows in one process and not in another,
// and the runtime draws random numbers when it grows.
func steadyStacks() string {
	setting := "adaptivestackstart=0"
	if others := os.Getenv("GODEBUG"); others != "" {
		setting = others + "," + setting
	}
	return "GODEBUG=" + setting
}

func (p *process) open() (err error) {
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		return err
	}
	if p.out, err = p.cmd.StdoutPipe(); err != nil {
		return err
	}
	return startAlike(p.cmd)
}

// openPipes starts the process with pipes in addition to its standard ones: they
// are its file descriptors 3 and 4.
func (p *process) openPipes() error {
	itsIn, in, err := os.Pipe()
	if err != nil {
		return err
	}
	out, itsOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, itsIn.Close(), in.Close())
	}
	p.in, p.out = in, out
	p.cmd.Stdout = p.cmd.Stderr
	p.cmd.ExtraFiles = append([]*os.File{itsIn, itsOut}, p.cmd.ExtraFiles[min(2, len(p.cmd.ExtraFiles)):]...)
	err = startAlike(p.cmd)
	_, _ = itsIn.Close(), itsOut.Close() // the process has its own by now
	if err != nil {
		return errors.Join(err, in.Close(), out.Close())
	}
	return nil
}

// close kills the process.
func (p *process) close() {
	_ = p.in.Close()
	p.kill()
	_ = p.wait() // it was killed
	_ = p.printed.Close()
}

// wait waits for the end of the process and returns its error.
func (p *process) wait() error {
	if p.dead {
		return nil
	}
	p.dead = true
	return p.cmd.Wait()
}

// do makes the process serve one request. It returns over if the process can serve no
// other.
func (p *process) do(ctx context.Context, q Request, each func(Result) bool) (over bool, err error) {
	input, err := json.Marshal(q)
	if err != nil {
		return false, err
	}
	spare := context.AfterFunc(ctx, p.kill)
	defer spare()
	var silent, still atomic.Bool
	spoke, stop := afterSilence(p.silence, func() { silent.Store(true); p.kill() })
	defer stop()
	beat, rest := afterSilence(stillness, func() { still.Store(true); p.kill() })
	defer rest()
	rest() // until its first message
	p.words.again()
	heard := func() { spoke(); beat(); p.words.again() }
	// A dying worker may not take its request; reading its answer shows that.
	_, _ = p.in.Write(append(input, '\n'))
	how, readErr := read(p.answer, func(r Result) bool {
		switch {
		case r.Ready:
			p.serves = true
			return true
		case r.Alive:
			beat()
			return true
		}
		stop() // each may take long
		rest()
		defer heard()
		return each(r)
	})
	switch how {
	case done:
		return !spare(), nil // it is being killed if it was too late to spare it
	case last, enough: // further output is not read
		return true, nil
	case garbled:
		p.kill()
	}
	_ = p.in.Close()
	waitErr := p.wait()
	if p.printed != nil { // output that a recorded run had not taken when it ended
		_, _ = io.Copy(&p.words, io.NewSectionReader(p.printed, 0, maxPrinted)) // its file offset is shared with the worker
	}
	words := p.words.String()
	switch {
	case !p.serves && ctx.Err() == nil:
		return true, p.unreached(silent.Load(), waitErr, words)
	case silent.Load():
		return true, &Trouble{Kind: Inconclusive, Reason: "the worker said nothing for " + p.silence.String() + " and was ended", Stack: words}
	case ctx.Err() != nil:
		return true, ctx.Err()
	case still.Load():
		return true, &Trouble{Kind: Inconclusive, Cause: Stopped, Reason: "the worker stood still for " + stillness.String() +
			" in a run, as a process does that is stopped by SIGSTOP, and was ended", Stack: words}
	case p.words.flooded():
		return true, &Trouble{Kind: Inconclusive, Cause: Printing, Stack: words[:min(len(words), 1000)] + " …",
			Reason: fmt.Sprintf("the code under test printed more than %d MB in one run, and its process was ended", maxPrinted>>20)}
	case how == garbled:
		return true, &Trouble{Kind: Crashed, Reason: "the worker's answer cannot be read: " + readErr.Error(), Stack: words}
	case waitErr != nil:
		return true, fatality(words, waitErr)
	}
	return true, &Trouble{Kind: Crashed, Reason: "the worker ended before it was done", Stack: words}
}

// unreached returns the error for a process that did not start to serve.
func (p *process) unreached(silent bool, err error, words string) error {
	reason := "it ended without an error before it served"
	switch {
	case silent:
		reason = "it did not serve within " + p.silence.String() + " and was ended"
	case err != nil:
		reason = "it ended before it served: " + firstLine(words, err)
	}
	return &Unreached{Reason: reason, Words: words}
}

// ending is how reading a worker's answers to a request ended.
type ending int

const (
	done    ending = iota // the worker reported that it was done
	last                  // and that it can serve no other request
	enough                // each returned false
	died                  // the worker ended without a report
	garbled               // the answer cannot be read
)

// read decodes results until there are no more, or each answers false.
func read(d *json.Decoder, each func(Result) bool) (ending, error) {
	for {
		var r Result
		switch err := d.Decode(&r); {
		case errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed), errors.Is(err, io.ErrUnexpectedEOF):
			return died, nil
		case err != nil:
			return garbled, err
		}
		switch {
		case r.Done && r.Over:
			return last, nil
		case r.Done:
			return done, nil
		case !each(r):
			return enough, nil
		}
	}
}
