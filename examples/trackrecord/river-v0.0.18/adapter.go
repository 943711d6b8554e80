// Package adapter has the elector of riverqueue/river, as a lock and in a program. The modules of v0.0.18 and v0.0.20 share it.
package adapter

import (
	"context"
	"log/slog"
	"time"

	"github.com/riverqueue/river/internal/baseservice"
	"github.com/riverqueue/river/internal/componentstatus"
	"github.com/riverqueue/river/internal/dbadapter"
	"github.com/riverqueue/river/internal/leadership"
	"github.com/riverqueue/river/internal/notifier"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres"
)

// Table is river's table of leaders, of its second migration.
var Table = postgres.Schema(`CREATE UNLOGGED TABLE river_leader (
	elected_at timestamptz NOT NULL,
	expires_at timestamptz NOT NULL,
	leader_id text NOT NULL,
	name text PRIMARY KEY,
	CONSTRAINT name_length CHECK (char_length(name) > 0 AND char_length(name) < 128),
	CONSTRAINT leader_id_length CHECK (char_length(leader_id) > 0 AND char_length(leader_id) < 128)
)`)

// Leader reads who leads.
var Leader = postgres.RowOwnership{Table: "river_leader", Owner: "leader_id", Expires: "expires_at"}

// electors run for an office as river's client does: what they share is its pool and its notifier.
type electors struct {
	adapter  dbadapter.Adapter
	notifier *notifier.Notifier
	name, id string
	interval time.Duration
	logger   *slog.Logger
}

// NewLock returns the lock of a client: to lead is to hold it.
func NewLock(c *cell.Client) lock.Locker {
	pool, logger := postgres.Pool(c), slog.New(slog.DiscardHandler)
	archetype := &baseservice.Archetype{Logger: logger, TimeNowUTC: func() time.Time { return time.Now().UTC() }}
	e := electors{
		adapter:  dbadapter.NewStandardAdapter(archetype, &dbadapter.StandardAdapterConfig{Executor: pool, WorkerName: c.Name()}),
		notifier: notifier.New(archetype, pool.Config().ConnConfig, func(componentstatus.Status) {}, logger),
		name:     c.LockName(), id: c.Name(), interval: c.TTL(), logger: logger,
	}
	ctx, end := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); e.notifier.Run(ctx) }()
	c.Cleanup(func() { end(); <-ended })
	return e
}

// Acquire runs an elector until it leads.
func (e electors) Acquire(ctx context.Context) (lock.Lease, error) {
	elector, err := leadership.NewElector(e.adapter, e.notifier, e.name, e.id, e.interval, e.logger)
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.Background())
	t := &term{stop: stop, stopped: make(chan struct{}), lost: make(chan struct{})}
	changes := elector.Listen()
	go func() { defer close(t.stopped); elector.Run(running) }()
	for {
		select {
		case change := <-changes.C():
			if change.IsLeader {
				go t.watch(changes)
				return t, nil
			}
		case <-ctx.Done():
			changes.Unlisten()
			return nil, t.end(ctx.Err())
		}
	}
}

// term is the time for which an elector leads.
type term struct {
	stop          context.CancelFunc
	stopped, lost chan struct{}
}

// watch reads what the elector says of itself, until it says that it does not lead any more.
func (t *term) watch(changes *leadership.Subscription) {
	defer close(t.lost)
	for change := range changes.C() {
		if !change.IsLeader {
			changes.Unlisten()
			return
		}
	}
}

// end stops the elector, which resigns, and returns err.
func (t *term) end(err error) error {
	t.stop()
	<-t.stopped
	return err
}

// Release stops the elector. It does not say whether it led until then.
func (t *term) Release(context.Context) error { return t.end(lock.ErrUnknown) }

// Lost is closed when the elector has noticed that it does not lead any more.
func (t *term) Lost() <-chan struct{} { return t.lost }
