package redislocks

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
)

// SetPX is the baseline of Redis locks: SET name value NX PX ttl, with a value
// that is unique to the acquisition, and a release that deletes the key only
// if it still has that value, in one script.
//
// It is the single-server lock of Redis's own documentation ("Distributed Locks
// with Redis"), and the final version of most articles on Redis locks.
//
// It claims no validity of its own: the holder learns that the lease has run out
// only when it releases. It guarantees mutual exclusion while holds are shorter
// than the TTL and the primary keeps acknowledged writes.
//
// What breaks it: whatever outlives the lease, or forgets it, gives it two holders
// (property mutual-exclusion, and no-lost-update as its harm): a pause (scenario
// gc-pause), an answer that is late (late-reply), a failover before replication
// (failover-loss), an old primary that goes on (partition), a restart without the
// data (node-restart), a clock of the server's that jumps ahead
// (server-clock-jump). It does not clean up after an Acquire that failed: a request
// that is late leaves the lock taken until its TTL (late-request and hung-node,
// late-orphan), and the client's own retry after a lost answer finds the lock
// taken, and waits for itself (lost-reply).
//
// Commands: acquire 1 a try, release 1. Defaults: a TTL of 30 s, pauses of 100 to
// 200 ms.
type SetPX struct {
	client  setPXClient
	name    string
	options Options
}

type setPXClient interface {
	redis.Scripter
	setNXer
}

// NewSetPX returns a locker for the lock of the given name, which is the key.
// It is safe for concurrent use if options.Rand is nil.
func NewSetPX(client setPXClient, name string, options Options) *SetPX {
	return &SetPX{client: client, name: name, options: options.withDefaults()}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetPX) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.spin(ctx, setNX(l.client, l.name, func(value string) lock.Lease {
		return &scriptLease{l.client, l.name, value}
	}))
}

// scriptLease is one record under one key, released by the script.
type scriptLease struct {
	client      redis.Scripter
	name, value string
}

// Release deletes the key if it is still this acquisition's.
func (l *scriptLease) Release(ctx context.Context) error {
	return release(ctx, l.client, l.name, l.value)
}

// Held asks whether the key still has this acquisition's value. The answer is that
// of a moment ago: it makes work without the lock rarer, not impossible (gc-pause
// with checks).
func (l *scriptLease) Held(ctx context.Context) (bool, error) {
	return asked(hasValue(ctx, l.client, l.name, l.value))
}

// asked is the answer of a Held.
func asked(held bool, err error) (bool, error) {
	if err != nil {
		return false, fmt.Errorf("redislocks: held: %w", err)
	}
	return held, nil
}
