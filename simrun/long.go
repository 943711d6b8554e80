package simrun

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/recorded"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// aftermath is the number of events after the violation in a run that is cut, so that a reader sees how it ends.
const aftermath = 200

// room returns the maximum length of a trace in bytes.
func (a *app) room() int {
	if a.maxTrace > 0 {
		return a.maxTrace
	}
	return traces.MaxSize
}

// longTrace is the length of a trace in bytes above which its run is cut
// after the violation: some ten thousand events.
const longTrace = 4 << 20

// write writes the trace of a finding. A long one is cut after its violation, if possible. One that is longer than a trace
// may be is not written. Kept is the trace that was written; note, if not empty, says that it is not the whole run.
func (h *session) write(ctx context.Context, path string, t *traces.Trace) (kept *traces.Trace, note string, err error) {
	t.StillConfirmedAt(path)
	err = traces.WriteFileWithin(path, t, min(longTrace, h.room()))
	if !errors.Is(err, traces.ErrTooLong) {
		return t, t.Bounded().LeftOut(), err
	}
	for _, after := range ends(t) {
		short, err := h.cutAt(ctx, t, after)
		if err != nil || short == nil {
			continue // that run does not finish, or does not violate the property yet
		}
		short.StillConfirmedAt(path)
		err = traces.WriteFileWithin(path, short, h.room())
		if err == nil {
			note = fmt.Sprintf("the trace has the first %s of %s events: the run is cut after its violation", wording.Grouped(len(short.Events)), wording.Grouped(len(t.Events)))
			if text := short.Bounded().LeftOut(); text != "" {
				note += ". " + text
			}
		}
		if !errors.Is(err, traces.ErrTooLong) {
			return short, note, err
		}
	}
	if err = traces.WriteFileWithin(path, t, h.room()); err != nil {
		return t, "", h.tooLong(err, ", even if cut after the violation")
	}
	return t, t.Bounded().LeftOut(), nil
}

// tooLong adds the limit and advice to the error that a trace is too long.
func (h *session) tooLong(err error, even string) error {
	if !errors.Is(err, traces.ErrTooLong) {
		return err
	}
	return fmt.Errorf("%w (%d MiB)%s: search with fewer clients or rounds (--param)", err, h.room()>>20, even)
}

// ends returns the events after which a run may be cut so that it still has its violation, the last one first.
func ends(t *traces.Trace) (list []int) {
	v := t.Verdict()
	if v == nil {
		return nil
	}
	for _, at := range []int64{v.To.Seq + aftermath, v.From.Seq + aftermath} {
		if at < int64(len(t.Events)) && !slices.Contains(list, int(at)) {
			list = append(list, int(at))
		}
	}
	return list
}

// cutAt runs a trace again and cuts it after the given number of events; nil if the property is not violated by then.
func (h *session) cutAt(ctx context.Context, t *traces.Trace, events int) (*traces.Trace, error) {
	cell, err := h.registry().Of(t)
	if err != nil {
		return nil, err
	}
	cell.Params.Events = events
	r, err := recorded.Run(ctx, h.worker, cell, t.Tape, 1)
	if err != nil || !slices.Contains(r.Violated, t.Violation()) {
		return nil, err
	}
	short := cell.Trace(t.Seed, t.Schedule, t.Property, r.Outcome())
	short.Strategy, short.Shrunk = t.Strategy, t.Shrunk
	if t.Attribution != nil {
		here := func(d traces.Deviation) bool {
			for _, c := range short.Tape {
				if c.Option == d.Option && c.ID() == d.Decision {
					return true
				}
			}
			return false
		}
		a := *t.Attribution
		a.Deviations = slices.DeleteFunc(slices.Clone(a.Deviations), func(d traces.Deviation) bool { return !here(d) || d.Seq > int64(len(short.Events)) })
		short.Attribution = &a
	}
	return short, nil
}
