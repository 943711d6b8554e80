package explore

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
)

// Worker says how to start a worker process: a program that calls [Serve] on
// its standard input and output.
type Worker struct {
	// Command is the program and its arguments.
	Command []string
	// Env is added to the environment, each as "key=value".
	Env []string
	// Procs is the worker's GOMAXPROCS, 1 if zero. Runs must not depend on
	// it.
	Procs int
}

// Self is a worker that runs this very program again with the given arguments.
func Self(args ...string) (Worker, error) {
	program, err := os.Executable()
	if err != nil {
		return Worker{}, fmt.Errorf("explore: this program cannot find itself to run a worker: %w", err)
	}
	return Worker{Command: append([]string{program}, args...)}, nil
}

// Do starts a worker, hands it the request and calls each for every result, in
// order, until the worker is done, has died, or each answers false. A worker
// that died is told by an error of type *[Trouble]; all other errors are
// about starting or talking to it.
func (w Worker) Do(ctx context.Context, q Request, each func(Result) bool) error {
	running, end := context.WithCancel(ctx)
	defer end()
	input, err := json.Marshal(q)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(running, w.Command[0], w.Command[1:]...)
	cmd.Env = append(append(os.Environ(), w.Env...), "GOMAXPROCS="+strconv.Itoa(max(w.Procs, 1)))
	cmd.Stdin = bytes.NewReader(input)
	cmd.WaitDelay = grace // a child of the worker's may hold its output open
	var stderr tail
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("explore: the worker does not start: %w", err)
	}
	defer context.AfterFunc(running, func() { _ = out.Close() })()
	var silent atomic.Bool
	heard, stop := afterSilence(func() { silent.Store(true); end() })
	defer stop()
	how, readErr := read(out, heard, each)
	if how == enough || how == garbled {
		end() // whatever it still says, nobody listens
	}
	waitErr := cmd.Wait()
	words := stderr.String()
	switch {
	case how == done || how == enough:
		return nil
	case silent.Load():
		return &Trouble{Kind: Inconclusive, Reason: "the worker said nothing for " + silence.String() + " and was ended", Stack: words}
	case ctx.Err() != nil:
		return ctx.Err()
	case how == garbled:
		return &Trouble{Kind: Crashed, Reason: "the worker's answer cannot be read: " + readErr.Error(), Stack: words}
	case waitErr != nil && !errors.Is(waitErr, context.Canceled):
		return &Trouble{Kind: Crashed, Reason: "the worker died: " + firstLine(words, waitErr), Stack: words}
	}
	return &Trouble{Kind: Crashed, Reason: "the worker ended before it was done", Stack: words}
}

// How reading a worker's answers ended.
type ending int

const (
	done    ending = iota // it said that it was done
	enough                // each answered false
	died                  // it ended without a word
	garbled               // it said something else
)

// read decodes results until there are no more, or each answers false.
func read(out io.Reader, heard func(), each func(Result) bool) (ending, error) {
	d := json.NewDecoder(out)
	for {
		var r Result
		switch err := d.Decode(&r); {
		case errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed), errors.Is(err, io.ErrUnexpectedEOF):
			return died, nil
		case err != nil:
			return garbled, err
		}
		heard()
		if r.Done {
			return done, nil
		}
		if !each(r) {
			return enough, nil
		}
	}
}

// Error makes Trouble an error.
func (t *Trouble) Error() string { return t.Reason }

// firstLine picks the line of a dying worker's last words that says most.
func firstLine(words string, otherwise error) string {
	for line := range strings.Lines(words) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "panic:") || strings.HasPrefix(line, "fatal error:") || strings.HasPrefix(line, "simrun:") {
			return line
		}
	}
	return otherwise.Error()
}

// tail keeps the beginning and the end of what is written to it: a crash says
// why at its beginning.
type tail struct{ head, rest []byte }

const tailHead, tailRest = 16 << 10, 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	n := len(p)
	if room := tailHead - len(t.head); room > 0 {
		k := min(room, len(p))
		t.head, p = append(t.head, p[:k]...), p[k:]
	}
	t.rest = append(t.rest, p...)
	if over := len(t.rest) - tailRest; over > 0 {
		t.rest = t.rest[over:]
	}
	return n, nil
}

func (t *tail) String() string { return string(t.head) + string(t.rest) }
