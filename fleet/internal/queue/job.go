package queue

import (
	"context"
	"encoding/json"
	"errors"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/lockpick-dev/lockpick/fleet/internal/message"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Job is a piece that a worker has leased.
type Job struct {
	Range explore.Range
	// Times is how often the piece was handed out, this time included.
	Times int
	msg   jetstream.Msg
	queue *Queue
}

// Next waits up to wait for a piece. It returns nil if there is none.
func (q *Queue) Next(ctx context.Context, wait time.Duration) (*Job, error) {
	ctx, stop := context.WithTimeout(ctx, wait+5*time.Second)
	defer stop()
	got, err := q.consumer.Fetch(1, jetstream.FetchMaxWait(wait))
	if err != nil {
		return nil, err
	}
	select {
	case msg, open := <-got.Messages():
		if !open {
			return nil, missed(got.Error())
		}
		j := &Job{msg: msg, queue: q}
		if j.Range, err = message.ReadPiece(msg.Data()); err != nil {
			return nil, errors.Join(err, msg.Term())
		}
		if meta, err := msg.Metadata(); err == nil {
			j.Times = int(meta.NumDelivered)
		}
		return j, nil
	case <-ctx.Done():
		return nil, missed(ctx.Err())
	}
}

// Refuse drops a piece that does not belong to the search.
func (j *Job) Refuse() error { return j.msg.Term() }

// missed returns the error unless it is a time-out.
func missed(err error) error {
	if errors.Is(err, nats.ErrTimeout) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, jetstream.ErrNoMessages) {
		return nil
	}
	return err
}

// Keep renews the lease. It does not report whether the queue received that: a worker that is too late has lost the piece.
func (j *Job) Keep() { _ = j.msg.InProgress() }

// Done acknowledges that the result is in the bucket. After an error the queue may not have received that: then the piece
// is handed out again, and its next worker finds the result.
func (j *Job) Done(ctx context.Context) error {
	if j.Times > 1 {
		_ = j.queue.kv.Purge(ctx, j.key())
	}
	return j.msg.DoubleAck(ctx)
}

func (j *Job) key() string { return "failed." + strconv.Itoa(j.Range.First) }

// Failed returns what is known of earlier tries.
func (j *Job) Failed(ctx context.Context) (f message.Failed) {
	if e, err := j.queue.kv.Get(ctx, j.key()); err == nil {
		f = message.ReadFailed(e.Value())
	}
	return f
}

// Return gives the piece back after a failure, to be handed out again after a delay, or at once if the worker was asked to
// end.
func (j *Job) Return(ctx context.Context, worker string, failure error) {
	f := j.Failed(ctx)
	delay := 2 * time.Second
	if failure == nil {
		f.Returned++
		delay = 0
	} else {
		f.Error, f.Worker = failure.Error(), worker
	}
	if raw, err := json.Marshal(f); err == nil {
		_, _ = j.queue.kv.Put(ctx, j.key(), raw) // if it is lost, only the reason is lost
	}
	_ = j.msg.NakWithDelay(delay) // if it is lost, the lease ends
}
