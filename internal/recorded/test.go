package recorded

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"

	"github.com/lockpick-dev/lockpick/internal/gotest"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// Binary is a test binary with the lock of a trace.
type Binary struct {
	Path string
	Dir  string // of the package
	Test traces.Test
}

func (b *Binary) env(serves string) []string {
	return []string{gotest.WorkerVariable + "=" + gotest.Call(b.Test), gotest.ServesVariable + "=" + serves}
}

// Client returns the command line of a client process of a confirmation, and the additions to its environment.
func (b *Binary) Client() (command, env []string) {
	return append([]string{b.Path}, gotest.Arguments(b.Test)...), b.env(gotest.ServesClient)
}

// Served is a running test binary that carries out commands: see [Serve].
type Served struct {
	cmd     *exec.Cmd
	words   tail
	in      io.WriteCloser
	out     io.ReadCloser
	answers *json.Decoder
	mu      sync.Mutex // held for a request
}

// Start starts the binary, with additional variables in its environment. The caller closes the result.
func (b *Binary) Start(ctx context.Context, env ...string) (*Served, error) {
	itsIn, in, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	out, itsOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, itsIn.Close(), in.Close())
	}
	cmd := exec.CommandContext(ctx, b.Path, gotest.Arguments(b.Test)...)
	cmd.Dir, cmd.Env = b.Dir, slices.Concat(os.Environ(), b.env(gotest.ServesCommands), env)
	s := &Served{cmd: cmd, in: in, out: out, answers: json.NewDecoder(out)}
	s.cmd.Stdout, s.cmd.Stderr, s.cmd.ExtraFiles = &s.words, &s.words, []*os.File{itsIn, itsOut}
	err = s.cmd.Start()
	_, _ = itsIn.Close(), itsOut.Close() // the process has its own
	if err != nil {
		return nil, errors.Join(err, in.Close(), out.Close())
	}
	var ready response
	if err := s.answers.Decode(&ready); err != nil {
		_ = s.in.Close()
		reason := "it ended without an error before it served"
		if err := s.cmd.Wait(); err != nil {
			reason = err.Error()
		}
		_ = s.out.Close()
		return nil, fmt.Errorf("the test binary did not reach call %d of Check or Explore in %s: %s. It printed:\n%s", b.Test.Call, b.Test.Name, reason, wording.Indent(s.words.String()))
	}
	if !ready.Done {
		s.Close()
		return nil, errors.New("the test binary is of an older version of Lockpick, and does not carry out commands: use simrun of the version that the module requires")
	}
	return s, nil
}

// Close ends the process.
func (s *Served) Close() {
	_ = s.in.Close() // it then ends by itself, or by the signal
	_ = s.cmd.Process.Kill()
	_ = s.cmd.Wait() // it was killed
	_ = s.out.Close()
}

// ask sends a request and passes on the responses until it is done.
func (s *Served) ask(q request, o *Output) (response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := json.NewEncoder(s.in).Encode(q); err != nil {
		return response{}, s.ended(err)
	}
	for {
		var r response
		if err := s.answers.Decode(&r); err != nil {
			return r, s.ended(err)
		}
		switch {
		case r.Done && r.Failure != "":
			return r, errors.New(r.Failure)
		case r.Done:
			return r, nil
		case o == nil:
		case r.Show != "":
			o.Show("%s", r.Show)
		case r.Clear:
			o.Clear()
		}
		if o != nil {
			_, err := o.Err.Write(r.Err)
			if _, e := wording.Data(o.Out).Write(r.Data); err == nil {
				err = e
			}
			if err != nil {
				return r, err
			}
		}
	}
}

// ended returns the reason why there is no answer.
func (s *Served) ended(err error) error {
	return fmt.Errorf("the test binary ended before it answered (%w). It printed:\n%s", err, wording.Indent(s.words.String()))
}

// Run carries out a command in the process, with paths relative to the working directory. The error is an [Exit] unless
// the code is 0.
func (s *Served) Run(c Command, o Output) error {
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	q := request{Order: &order{Program: o.Program, Dir: dir, Color: o.Color, Width: o.Width}}
	switch c := c.(type) {
	case *Replay:
		q.Replay = c
	case *Shrink:
		q.Shrink = c
	case *Diff:
		q.Diff = c
	}
	r, err := s.ask(q, &o)
	if err == nil && r.Code != 0 {
		err = Exit(r.Code)
	}
	return err
}

// tail keeps the end of the text written to it.
type tail struct {
	mu   sync.Mutex
	text []byte
}

const mostWords = 16 << 10

func (w *tail) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.text = append(w.text, p...)
	if extra := len(w.text) - mostWords; extra > 0 {
		w.text = bytes.Clone(w.text[extra:])
	}
	return len(p), nil
}

func (w *tail) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.TrimSpace(string(w.text))
}
