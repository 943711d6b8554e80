package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// The kinds of reports.
const (
	Alive   = "alive"   // a worker lives
	Kept    = "kept"    // a result is in the bucket
	Double  = "double"  // a result was there already, the same one
	Aside   = "aside"   // a piece was set aside
	Differs = "differs" // a result is not the one that was there
	Failure = "failure" // a piece could not be searched, and was given back
)

// Report is what a worker says. It may be lost: what matters is in the bucket.
type Report struct {
	Kind   string        `json:"kind"`
	Worker string        `json:"worker"`
	Range  explore.Range `json:"range"`
	Times  int           `json:"times,omitempty"`
	Text   string        `json:"text,omitempty"`
	// Of a worker that lives: the pieces that it has, by their first blocks, and how many it takes at a time.
	Pieces []int `json:"pieces,omitempty"`
	Slots  int   `json:"slots,omitempty"`
}

// Report tells the server.
func (q *Queue) Report(r Report) {
	if raw, err := json.Marshal(r); err == nil {
		_ = q.nc.Publish(q.subject("report"), raw)
	}
}

// Reports calls each for every report, one after the other, until the connection is closed, and refused for what is none.
func (q *Queue) Reports(each func(Report), refused func(error)) error {
	_, err := q.nc.Subscribe(q.subject("report"), func(m *nats.Msg) {
		if r, err := readReport(m.Data); err != nil {
			refused(err)
		} else {
			each(r)
		}
	})
	return err
}

// maxSlots is the most pieces that a worker has at a time.
const maxSlots = 256

// readReport reads a report. Whoever has the token can send anything.
func readReport(data []byte) (r Report, err error) {
	if err := json.Unmarshal(data, &r); err != nil {
		return r, fmt.Errorf("a report cannot be read: %w", err)
	}
	switch {
	case !slices.Contains([]string{Alive, Kept, Double, Aside, Differs, Failure}, r.Kind):
		return r, fmt.Errorf("a report is of the kind %.40q, which this version does not know", r.Kind)
	case !pieces.IsWorkerName(r.Worker):
		return r, fmt.Errorf("a report has %.140q for a worker's name: want up to 100 letters, digits, dots, hyphens and underscores", r.Worker)
	case r.Range != (explore.Range{}) && !isRange(r.Range), r.Range == explore.Range{} && r.Kind != Alive:
		return r, fmt.Errorf("a report of the worker %s is of blocks %d to %d", r.Worker, r.Range.First, r.Range.End)
	case r.Times < 0 || r.Slots < 0 || r.Slots > maxSlots || len(r.Pieces) > maxSlots || slices.ContainsFunc(r.Pieces, func(n int) bool { return n < 0 || n > maxBlocks }):
		return r, fmt.Errorf("a report of the worker %s has %d slots, %d pieces and %d tries", r.Worker, r.Slots, len(r.Pieces), r.Times)
	}
	r.Text = pieces.Shown(r.Text)
	return r, nil
}

// maxBlocks is more blocks than any search has.
const maxBlocks = 1 << 32

// isRange reports whether a range can be that of a piece.
func isRange(r explore.Range) bool { return r.First >= 0 && r.First < r.End && r.End <= maxBlocks }

// Over tells all workers that the search is over, and whoever asks later.
func (q *Queue) Over(ctx context.Context, f Fleet, why string) error {
	f.Over = why
	err := q.Put(ctx, f)
	return errors.Join(err, q.nc.Publish(q.subject("over"), []byte(why)))
}

// OnOver calls f when the search is over.
func (q *Queue) OnOver(f func(why string)) error {
	_, err := q.nc.Subscribe(q.subject("over"), func(m *nats.Msg) { f(pieces.Shown(string(m.Data))) })
	return err
}

// Answer answers questions for the status.
func (q *Queue) Answer(status func() any) error {
	_, err := q.nc.Subscribe(q.subject("status"), func(m *nats.Msg) {
		if raw, err := json.Marshal(status()); err == nil {
			_ = m.Respond(raw)
		}
	})
	return err
}

// Ask asks the server for the status.
func Ask(ctx context.Context, nc *nats.Conn, name string, status any) error {
	if err := checkName(name); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, 5*time.Second)
	defer stop()
	m, err := nc.RequestWithContext(ctx, (&Queue{name: name}).subject("status"), nil)
	switch {
	case errors.Is(err, nats.ErrNoResponders), errors.Is(err, context.DeadlineExceeded):
		return command.Usagef("no simrun fleet serve answers for the fleet %s at %s: start it again with its command, and it goes on", name, nc.ConnectedUrlRedacted())
	case err != nil:
		return err
	}
	return json.Unmarshal(m.Data, status)
}
