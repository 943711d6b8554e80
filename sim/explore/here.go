package explore

import (
	"context"
	"errors"
)

// errEnough says that nobody wants more results.
var errEnough = errors.New("explore: enough")

// doHere is [Hand.Do] in this process.
func (h *Hand) doHere(ctx context.Context, q Request, each func(Result) bool) error {
	run, err := h.Here(q.Cell)
	if err != nil {
		return err
	}
	s := &server{request: q, run: run, clock: &stopwatch{processorTime()}, here: func(r Result) error {
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case !each(r):
			return errEnough
		}
		return nil
	}}
	if err := ctx.Err(); err != nil {
		return err
	}
	if _, err := s.serveAll(); !errors.Is(err, errEnough) {
		return err
	}
	return nil
}
