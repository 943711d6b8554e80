package main

import (
	"context"
	"errors"

	"cirello.io/pglock"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres"
)

var pglockLibrary = library{
	module: "cirello.io/pglock",
	lock: cell.Lock{ID: "pglock", Summary: "cirello.io/pglock: a row that its holder changes again and again", Flawed: true,
		Store: pglockStore, Subject: cell.Mutex(func(c *cell.Client) lock.Locker { return pglockLocker{c} }), Renews: true,
		Reading: cell.Reading{Ownership: postgres.RowOwnership{Table: "locks", Owner: "owner"}}},
	expected: violates("pglock", "A release ends the heartbeat that is under way. If its statement was executed, the client does not know the row's new number, finds nothing to delete, and leaves the lock behind.", "no-orphan"),
}

// pglockStore has what the library's CreateTable makes.
var pglockStore = postgres.Schema(
	"CREATE TABLE locks (name CHARACTER VARYING(255) PRIMARY KEY, record_version_number BIGINT, data BYTEA, owner CHARACTER VARYING(255))",
	"CREATE SEQUENCE locks_rvn CYCLE OWNED BY locks.record_version_number",
)

type pglockLocker struct{ c *cell.Client }

// Acquire runs the library's Do, whose context tells when the lock is lost.
func (l pglockLocker) Acquire(ctx context.Context) (lock.Lease, error) {
	client, err := pglock.New(postgres.PQ(l.c), pglock.WithLeaseDuration(l.c.TTL()), pglock.WithHeartbeatFrequency(l.c.TTL()/4), pglock.WithOwner(l.c.Name()))
	if err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer context.AfterFunc(ctx, stop)()
	releasing, end := context.WithCancel(context.Background())
	held, lease := make(chan context.Context), &pglockLease{end: end, ended: make(chan struct{}), stop: stop}
	go func() {
		defer close(lease.ended)
		lease.err = client.Do(running, l.c.LockName(), func(ctx context.Context, l *pglock.Lock) error {
			held <- ctx
			<-releasing.Done()
			return l.Close()
		})
	}()
	select {
	case lease.Context = <-held:
		return lease, nil
	case <-lease.ended:
		stop()
		return nil, lease.err
	}
}

type pglockLease struct {
	context.Context
	end, stop context.CancelFunc
	ended     chan struct{}
	err       error
}

// Release lets Do end. After that nothing is held.
func (l *pglockLease) Release(context.Context) error {
	defer l.stop()
	l.end()
	<-l.ended
	err := l.err
	if l.err = lock.ErrNotHeld; errors.Is(err, pglock.ErrLockAlreadyReleased) {
		err = errors.Join(lock.ErrNotHeld, err)
	}
	return err
}

// Lost is closed when the heartbeats have ended.
func (l *pglockLease) Lost() <-chan struct{} { return l.Done() }
