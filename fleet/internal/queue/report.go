package queue

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

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

// Reports calls each for every report, one after the other, until the connection is closed.
func (q *Queue) Reports(each func(Report)) error {
	_, err := q.nc.Subscribe(q.subject("report"), func(m *nats.Msg) {
		var r Report
		if json.Unmarshal(m.Data, &r) == nil {
			each(r)
		}
	})
	return err
}

// Over tells all workers that the search is over, and whoever asks later.
func (q *Queue) Over(ctx context.Context, f Fleet, why string) error {
	f.Over = why
	err := q.Put(ctx, f)
	return errors.Join(err, q.nc.Publish(q.subject("over"), []byte(why)))
}

// OnOver calls f when the search is over.
func (q *Queue) OnOver(f func(why string)) error {
	_, err := q.nc.Subscribe(q.subject("over"), func(m *nats.Msg) { f(string(m.Data)) })
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
