package redislocks

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
)

// SetPXWatch is [SetPX] that deletes with a transaction and not with a script:
// WATCH name, GET name, compare, and MULTI, DEL name, EXEC, which does nothing if
// the key has changed since WATCH, or has expired. Articles ask why the script is
// preferred: both are correct, and this one takes more commands.
//
// Guarantees, and what breaks it: as SetPX. Servers before Redis 6.0.9 let a
// transaction pass whose key has expired since WATCH.
//
// Commands: acquire 1 a try; release 6 (WATCH, GET, MULTI, DEL, EXEC, and an
// UNWATCH at the end that newer versions of go-redis do without) in four round
// trips on a connection of its own, where the script takes 1 in one.
//
// Defaults: those of SetPX.
type SetPXWatch struct {
	client  watchClient
	name    string
	options Options
}

type watchClient interface {
	polling.SetNXer
	Watch(ctx context.Context, f func(*redis.Tx) error, keys ...string) error
}

// watchTries is the number of tries of a transaction. It is retried if its connection
// breaks, which go-redis does only for other commands, and if it fails although the key
// has the lease's value, because its expiry has changed.
const watchTries = 4

// NewSetPXWatch returns a locker for the lock of the given name, which is the
// key. It is safe for concurrent use if options.Rand is nil.
func NewSetPXWatch(client watchClient, name string, options Options) *SetPXWatch {
	return &SetPXWatch{client: client, name: name, options: options.withDefaults()}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetPXWatch) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.spin(ctx, polling.SetNX(l.client, l.name, func(value string) lock.Lease {
		return &watchLease{l, value}
	}))
}

type watchLease struct {
	lock  *SetPXWatch
	value string
}

// Release deletes the key if it is still this acquisition's.
func (l *watchLease) Release(ctx context.Context) error {
	var err error
	for range watchTries {
		err = l.lock.client.Watch(ctx, l.delete(ctx), l.lock.name)
		if err == nil || errors.Is(err, lock.ErrNotHeld) || ctx.Err() != nil {
			break
		}
	}
	if err != nil && !errors.Is(err, lock.ErrNotHeld) {
		return fmt.Errorf("redislocks: release: %w", err)
	}
	return err
}

// delete returns the function that deletes the key while it is watched.
func (l *watchLease) delete(ctx context.Context) func(*redis.Tx) error {
	return func(tx *redis.Tx) error {
		value, taken, err := polling.Get(ctx, tx, l.lock.name)
		switch {
		case err != nil:
			return err
		case !taken || value != l.value:
			return lock.ErrNotHeld
		}
		_, err = tx.TxPipelined(ctx, func(p redis.Pipeliner) error {
			p.Del(ctx, l.lock.name)
			return nil
		})
		return err
	}
}
