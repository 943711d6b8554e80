package pglock_test

import (
	"context"

	"cirello.io/pglock"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres"
)

// table is what the library's CreateTable makes.
var table = postgres.Schema(
	"CREATE TABLE locks (name CHARACTER VARYING(255) PRIMARY KEY, record_version_number BIGINT, data BYTEA, owner CHARACTER VARYING(255))",
	"CREATE SEQUENCE locks_rvn CYCLE OWNED BY locks.record_version_number",
)

// row is how it is read who has the lock. A release deletes it.
var row = postgres.RowOwnership{Table: "locks", Owner: "owner"}

// locker makes a client of the library for each acquisition.
type locker struct{ c *cell.Client }

func newLock(c *cell.Client) lock.Locker { return locker{c} }

// Acquire runs the library's Do, with a heartbeat of a quarter of the lease.
func (l locker) Acquire(ctx context.Context) (lock.Lease, error) {
	client, err := pglock.New(postgres.PQ(l.c), pglock.WithLeaseDuration(l.c.TTL()), pglock.WithHeartbeatFrequency(l.c.TTL()/4), pglock.WithOwner(l.c.Name()))
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, stop)()
	releasing, end := context.WithCancel(context.Background())
	held, h := make(chan context.Context), &lease{end: end, ended: make(chan struct{}), stop: stop}
	go func() {
		defer close(h.ended)
		h.err = client.Do(running, l.c.LockName(), func(ctx context.Context, l *pglock.Lock) error {
			held <- ctx
			<-releasing.Done()
			return l.Close()
		})
	}()
	select {
	case h.Context = <-held:
		return h, nil
	case <-h.ended:
		stop()
		return nil, h.err
	}
}

// lease is a Do that is under way. Its context ends when the library says that the lock is lost.
type lease struct {
	context.Context
	end, stop context.CancelFunc
	ended     chan struct{}
	err       error
}

// Release lets Do end. After that nothing is held.
func (l *lease) Release(context.Context) error {
	defer l.stop()
	l.end()
	<-l.ended
	err := l.err
	l.err = lock.ErrNotHeld
	return err
}

// Lost is closed when the heartbeats have ended.
func (l *lease) Lost() <-chan struct{} { return l.Done() }
