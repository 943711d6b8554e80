package queue

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/lockpick-dev/lockpick/fleet/internal/message"
	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/internal/command"
)

// Report sends a report to the server.
func (q *Queue) Report(r message.Report) {
	if raw, err := json.Marshal(r); err == nil {
		_ = q.nc.Publish(q.subject("report"), raw)
	}
}

// Reports calls each for every report, one after the other, until the connection is closed, and refused for invalid ones.
func (q *Queue) Reports(each func(message.Report), refused func(error)) error {
	_, err := q.nc.Subscribe(q.subject("report"), func(m *nats.Msg) {
		if r, err := message.ReadReport(m.Data); err != nil {
			refused(err)
		} else {
			each(r)
		}
	})
	return err
}

// Over notifies all workers, also later ones, that the search is over.
func (q *Queue) Over(ctx context.Context, f message.Fleet, why string) error {
	f.Over = why
	err := q.Put(ctx, f)
	return errors.Join(err, q.nc.Publish(q.subject("over"), []byte(why)))
}

// OnOver calls f when the search is over.
func (q *Queue) OnOver(f func(why string)) error {
	_, err := q.nc.Subscribe(q.subject("over"), func(m *nats.Msg) { f(pieces.Shown(string(m.Data))) })
	return err
}

// Answer answers requests for the status.
func (q *Queue) Answer(status func() any) error {
	_, err := q.nc.Subscribe(q.subject("status"), func(m *nats.Msg) {
		if raw, err := json.Marshal(status()); err == nil {
			_ = m.Respond(raw)
		}
	})
	return err
}

// Ask requests the status from the server.
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
