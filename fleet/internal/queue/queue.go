package queue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/lockpick-dev/lockpick/fleet/internal/message"
	"github.com/lockpick-dev/lockpick/internal/command"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Queue is the queue of a fleet.
type Queue struct {
	name     string
	nc       *nats.Conn
	js       jetstream.JetStream
	kv       jetstream.KeyValue
	stream   jetstream.Stream
	consumer jetstream.Consumer
	replicas int
}

const fleetKey = "fleet"

var validName = regexp.MustCompile(`^[a-zA-Z0-9-]{1,32}$`)

func (q *Queue) streamName() string { return "simrun-" + q.name }
func (q *Queue) kvName() string     { return "simrun-" + q.name }

// subject returns a subject of the fleet.
func (q *Queue) subject(words ...string) string {
	return "simrun." + q.name + "." + strings.Join(words, ".")
}

// checkName refuses names that NATS does not accept.
func checkName(name string) error {
	if !validName.MatchString(name) {
		return command.Usagef("--name %q: want up to 32 letters, digits and hyphens", name)
	}
	return nil
}

// Create creates the queue of a fleet, or continues one of the same search. A queue of another search is replaced if that
// is over, or if drop is set.
func Create(ctx context.Context, nc *nats.Conn, name string, f message.Fleet, drop bool) (*Queue, error) {
	if err := checkName(name); err != nil {
		return nil, err
	}
	js, err := jetStream(ctx, nc)
	if err != nil {
		return nil, err
	}
	q := &Queue{name: name, nc: nc, js: js}
	if err := q.createKV(ctx); err != nil {
		return nil, explain(nc.ConnectedUrlRedacted(), err)
	}
	old, err := q.Fleet(ctx)
	if err != nil {
		return nil, err
	}
	if old != nil && !old.Manifest.Same(&f.Manifest) {
		if old.Over == "" && !drop {
			return nil, command.Usagef("the queue %s of %s has another search, which is not over: %s there, %s here; give this one another --name, or drop that one by --drop (what its bucket has stays)",
				name, nc.ConnectedUrlRedacted(), old.Manifest.Title, f.Manifest.Title)
		}
		if err := js.DeleteStream(ctx, q.streamName()); err != nil && !errors.Is(err, jetstream.ErrStreamNotFound) {
			return nil, err
		}
		if err := js.DeleteKeyValue(ctx, q.kvName()); err != nil {
			return nil, err
		}
		return Create(ctx, nc, name, f, false)
	}
	q.stream, err = js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: q.streamName(), Subjects: []string{q.subject("work", "*")}, Retention: jetstream.WorkQueuePolicy, Storage: jetstream.FileStorage, Replicas: q.replicas,
		Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1, // a piece is in it at most once
	})
	if err != nil {
		return nil, explain(nc.ConnectedUrlRedacted(), err)
	}
	q.consumer, err = q.stream.CreateOrUpdateConsumer(ctx, jetstream.ConsumerConfig{
		Durable: "workers", AckPolicy: jetstream.AckExplicitPolicy, AckWait: f.Lease, MaxDeliver: -1, MaxAckPending: 100_000, MaxWaiting: 20_000,
	})
	if err != nil {
		return nil, explain(nc.ConnectedUrlRedacted(), err)
	}
	return q, q.Put(ctx, f)
}

// createKV creates the key-value bucket, and finds out how many servers keep the queue: three of a cluster, so that one
// may be lost, or the only one.
func (q *Queue) createKV(ctx context.Context) (err error) {
	copies := []int{1}
	if q.nc.ConnectedClusterName() != "" {
		copies = []int{3, 1}
	}
	for _, q.replicas = range copies {
		q.kv, err = q.js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: q.kvName(), Storage: jetstream.FileStorage, Replicas: q.replicas})
		var api *jetstream.APIError
		if !errors.As(err, &api) || !slices.Contains([]jetstream.ErrorCode{noPeers, noReplicas}, api.ErrorCode) {
			break // it is created, or there is another error
		}
	}
	return err
}

// Copies returns how many servers keep the queue, and Cluster the name of their cluster, empty for none.
func (q *Queue) Copies() (n int, cluster string) { return q.replicas, q.nc.ConnectedClusterName() }

// Attach finds the queue of a fleet. Without one the error is [ErrNoFleet].
func Attach(ctx context.Context, nc *nats.Conn, name string) (*Queue, *message.Fleet, error) {
	if err := checkName(name); err != nil {
		return nil, nil, err
	}
	js, err := jetStream(ctx, nc)
	if err != nil {
		return nil, nil, err
	}
	q := &Queue{name: name, nc: nc, js: js}
	q.kv, err = js.KeyValue(ctx, q.kvName())
	if errors.Is(err, jetstream.ErrBucketNotFound) {
		return nil, nil, ErrNoFleet
	}
	if err != nil {
		return nil, nil, explain(nc.ConnectedUrlRedacted(), err)
	}
	f, err := q.Fleet(ctx)
	if err == nil && f == nil {
		err = ErrNoFleet
	}
	if err != nil {
		return nil, nil, err
	}
	if q.consumer, err = js.Consumer(ctx, q.streamName(), "workers"); err != nil {
		if errors.Is(err, jetstream.ErrStreamNotFound) || errors.Is(err, jetstream.ErrConsumerNotFound) {
			return nil, nil, ErrNoFleet
		}
		return nil, nil, explain(nc.ConnectedUrlRedacted(), err)
	}
	q.stream, err = js.Stream(ctx, q.streamName())
	return q, f, err
}

// ErrNoFleet is returned if a server has no fleet of that name.
var ErrNoFleet = errors.New("there is no fleet of that name")

// Fleet returns the facts for workers, nil if there are none.
func (q *Queue) Fleet(ctx context.Context) (*message.Fleet, error) {
	e, err := q.kv.Get(ctx, fleetKey)
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, nil
	case err != nil:
		return nil, explain(q.nc.ConnectedUrlRedacted(), err)
	}
	f, err := message.ReadFleet(e.Value())
	if err != nil {
		return nil, fmt.Errorf("the entry of the queue %s for its fleet cannot be read: %w", q.name, err)
	}
	return f, nil
}

// Put publishes the facts for workers.
func (q *Queue) Put(ctx context.Context, f message.Fleet) error {
	raw, err := json.Marshal(f)
	if err == nil {
		_, err = q.kv.Put(ctx, fleetKey, raw)
	}
	return explain(q.nc.ConnectedUrlRedacted(), err)
}

// Waiting returns the first blocks of the pieces in the queue, including those that workers have.
func (q *Queue) Waiting(ctx context.Context) (map[int]bool, error) {
	info, err := q.stream.Info(ctx, jetstream.WithSubjectFilter(q.subject("work", "*")))
	if err != nil {
		return nil, explain(q.nc.ConnectedUrlRedacted(), err)
	}
	list := map[int]bool{}
	for subject := range info.State.Subjects { // unordered: into a set
		if n, err := strconv.Atoi(subject[strings.LastIndexByte(subject, '.')+1:]); err == nil {
			list[n] = true
		}
	}
	return list, nil
}

// Counts returns how many pieces wait, how many workers have, and how many of the latter were handed out before.
func (q *Queue) Counts(ctx context.Context) (waiting, out, again int, err error) {
	info, err := q.consumer.Info(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	return int(info.NumPending), info.NumAckPending, info.NumRedelivered, nil
}

// inFlight is the maximum number of unacknowledged pieces: the client gives up when many more are on their way.
const inFlight = 1000

// Publish hands out pieces. A piece that is in the queue is not added again.
func (q *Queue) Publish(ctx context.Context, list []explore.Range) error {
	there, err := q.Waiting(ctx)
	if err != nil {
		return err
	}
	list = slices.DeleteFunc(slices.Clone(list), func(r explore.Range) bool { return there[r.First] })
	for some := range slices.Chunk(list, inFlight) {
		if err := q.publish(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

// publish puts pieces into the queue, and waits for its acknowledgements.
func (q *Queue) publish(ctx context.Context, list []explore.Range) error {
	var futures []jetstream.PubAckFuture
	for _, r := range list {
		raw, err := json.Marshal(r)
		if err != nil {
			return err
		}
		f, err := q.js.PublishAsync(q.subject("work", strconv.Itoa(r.First)), raw)
		if err != nil {
			return err
		}
		futures = append(futures, f)
	}
	for _, f := range futures {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			if !strings.Contains(err.Error(), "maximum messages per subject") { // another server was first
				return fmt.Errorf("work cannot be put into the queue: %w", explain(q.nc.ConnectedUrlRedacted(), err))
			}
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// Withdraw removes all pieces that no worker has.
func (q *Queue) Withdraw(ctx context.Context) error { return q.stream.Purge(ctx) }

// Drop removes the queue. Workers know by then that the search is over.
func (q *Queue) Drop(ctx context.Context) error {
	return errors.Join(q.js.DeleteStream(ctx, q.streamName()), q.js.DeleteKeyValue(ctx, q.kvName()))
}
