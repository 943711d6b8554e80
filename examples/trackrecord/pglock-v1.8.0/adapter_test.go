package pglock_test

import (
	"context"
	"strings"

	"cirello.io/pglock"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres"
)

// table is what the library's CreateTable makes.
var table = postgres.Schema(
	"CREATE TABLE locks (name CHARACTER VARYING(255) PRIMARY KEY, record_version_number BIGINT, data BYTEA, owner CHARACTER VARYING(255))",
	"CREATE SEQUENCE locks_rvn OWNED BY locks.record_version_number",
)

// row is how it is read who has the lock. A release deletes it.
var row = postgres.RowOwnership{Table: "locks", Owner: "owner"}

// locker makes a client of the library for each acquisition, which has a name of its own and a logger.
type locker struct{ c *cell.Client }

func newLock(c *cell.Client) lock.Locker { return locker{c} }

// Acquire acquires with a heartbeat of a quarter of the lease.
func (l locker) Acquire(ctx context.Context) (lock.Lease, error) {
	beating, stop := context.WithCancel(context.WithoutCancel(ctx))
	h := &lease{stop: stop, stopped: make(chan struct{}), lost: make(chan struct{})}
	client, err := pglock.New(postgres.PQ(l.c), pglock.WithLeaseDuration(l.c.TTL()), pglock.WithHeartbeatFrequency(l.c.TTL()/4),
		pglock.WithOwner(l.c.Name()), pglock.WithLogger(h))
	if err != nil {
		return nil, err
	}
	h.Lock, err = client.AcquireContext(ctx, l.c.LockName(), pglock.WithCustomHeartbeatContext(beating))
	if err != nil {
		stop()
		return nil, err
	}
	return h, nil
}

// lease is a lock that is held. It asks IsReleased when the library logs that the heartbeats have stopped: nothing else
// tells. IsReleased and Close wait for a mutex while a heartbeat is under way, which no simulated time can pass.
type lease struct {
	*pglock.Lock
	stop          context.CancelFunc
	stopped, lost chan struct{}
}

// Println is what the library logs with.
func (l *lease) Println(v ...any) {
	if text, ok := v[0].(string); ok && strings.HasPrefix(text, "heartbeat stopped") {
		go l.look()
	}
}

// look looks whether the lock is lost, when there are no more heartbeats.
func (l *lease) look() {
	if l.IsReleased() {
		close(l.lost)
	}
	close(l.stopped)
}

// Release ends the heartbeats, and then releases the lock.
func (l *lease) Release(context.Context) error {
	l.stop()
	<-l.stopped
	return l.Close()
}

// Lost is closed when the library says that the lock is released.
func (l *lease) Lost() <-chan struct{} { return l.lost }
