package recorded

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// request is a line that program simrun sends to a test binary. One of its fields other than Order is set.
type request struct {
	Order  *order  `json:"order,omitempty"` // with a command
	Replay *Replay `json:"replay,omitempty"`
	Shrink *Shrink `json:"shrink,omitempty"`
	Diff   *Diff   `json:"diff,omitempty"`
}

// order describes how to carry out a command.
type order struct {
	Program string `json:"program"`
	Dir     string `json:"dir"` // the base of relative paths
	Color   bool   `json:"color,omitempty"`
	Width   int    `json:"width"`
}

// response is a line that a test binary sends back. Done ends the responses to a request.
type response struct {
	Data  []byte `json:"data,omitempty"` // for standard output
	Err   []byte `json:"err,omitempty"`
	Show  string `json:"show,omitempty"` // progress
	Clear bool   `json:"clear,omitempty"`

	Done    bool   `json:"done,omitempty"`
	Code    int    `json:"code,omitempty"`
	Failure string `json:"failure,omitempty"`
}

// Serve answers requests on the pipes beside the standard ones until they end: see [explore.Pipes].
func Serve(h *Host) error {
	explore.KeepAside()
	in, out, err := explore.Pipes()
	if err != nil {
		return err
	}
	s := &serving{host: h, answers: json.NewEncoder(out)}
	requests := json.NewDecoder(bufio.NewReader(in))
	if err := s.answers.Encode(response{Done: true}); err != nil { // it serves
		return err
	}
	for {
		var q request
		if err := requests.Decode(&q); err != nil {
			if errors.Is(err, io.EOF) {
				err = nil
			}
			return err
		}
		if err := s.serve(&q); err != nil {
			return err
		}
	}
}

// serving is a test binary that answers requests.
type serving struct {
	host    *Host
	answers *json.Encoder
}

func (s *serving) serve(q *request) error {
	answer := response{Done: true}
	var err error
	switch {
	case q.Replay != nil:
		answer.Code = s.command(q.Order, q.Replay)
	case q.Shrink != nil:
		answer.Code = s.command(q.Order, q.Shrink)
	case q.Diff != nil:
		answer.Code = s.command(q.Order, q.Diff)
	default:
		err = fmt.Errorf("the test binary is of a version of Lockpick that does not know this command")
	}
	if err != nil {
		answer.Failure = err.Error()
	}
	return s.answers.Encode(answer)
}

// Command is a command about a trace.
type Command interface {
	Run(ctx context.Context, h *Host) error
}

// command carries out a command, and returns its exit code.
func (s *serving) command(o *order, c Command) int {
	h := *s.host
	text, errs := wording.NewTerminal(&part{s, func(p []byte) response { return response{Data: p} }}, o.Color), &part{s, func(p []byte) response { return response{Err: p} }}
	h.Output = Output{
		Program: o.Program, Out: text, Err: errs, Color: o.Color, Width: o.Width,
		Show: func(format string, args ...any) {
			_ = s.answers.Encode(response{Show: fmt.Sprintf(format, args...)}) // a broken pipe shows when the answer is written
		},
		Clear: func() { _ = s.answers.Encode(response{Clear: true}) },
	}
	err := os.Chdir(o.Dir)
	if err == nil {
		err = c.Run(context.Background(), &h)
	}
	_ = text.Flush()
	if err == nil {
		return 0
	}
	return Fail(errs, err, nil)
}

// part is one of the streams of a command.
type part struct {
	*serving
	of func([]byte) response
}

func (w *part) Write(p []byte) (int, error) {
	return len(p), w.answers.Encode(w.of(bytes.Clone(p)))
}
