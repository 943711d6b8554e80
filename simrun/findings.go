package simrun

import (
	"context"
	"errors"
	"fmt"

	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// finding is a finding with its trace as it was written.
type finding struct {
	*hunt.Finding
	path string // empty if it could not be written
}

// keepFinding writes the trace of a finding and prints it.
func (h *session) keepFinding(ctx context.Context, f *hunt.Finding) {
	path := h.tracePath(fileWord(f.Trace.Violation()))
	t, note, err := h.write(ctx, path, f.Trace)
	if err != nil {
		h.err = errors.Join(h.err, fmt.Errorf("a trace cannot be written: %w", err))
		path = ""
	}
	f.Trace = t
	if note != "" {
		f.Notes = append(f.Notes, note)
	}
	h.found = append(h.found, finding{f, path})
	h.live.clear()
	h.print.finding(h.found[len(h.found)-1])
}

// troubleFile returns the name of the trace of a trouble: its kind. Leaks have a name of their own.
func troubleFile(t *explore.Trouble) string {
	if t.Leaked {
		return "leaked"
	}
	return string(t.Kind)
}

// keepTapes writes the tape of the first trouble of each kind as a trace, so that it can
// be replayed.
func (h *session) keepTapes(list []explore.Trouble) {
	h.tapes = map[string]string{}
	for i := range list {
		trouble := &list[i]
		if h.tapes[troubleFile(trouble)] != "" || len(trouble.Tape) == 0 {
			continue
		}
		t := h.cell.Trace(h.id.Seed, trouble.Schedule, "", explore.Outcome{Recording: &explore.Recording{Choices: trouble.Tape}})
		t.Strategy = h.id.Strategy
		t.Trouble = &traces.Trouble{Kind: string(trouble.Kind), Reason: trouble.Reason, Leaked: trouble.Leaked} // without the stack, whose addresses differ from run to run
		path := h.tracePath(troubleFile(trouble))
		if err := traces.WriteFileWithin(path, t, h.room()); err != nil {
			h.err = errors.Join(h.err, fmt.Errorf("a trace cannot be written: %w", h.tooLong(err, "")))
			continue
		}
		h.tapes[troubleFile(trouble)] = path
	}
}
