package redislocks

import (
	"context"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
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
	client  polling.SetPXClient
	name    string
	options Options
}

// NewSetPX returns a locker for the lock of the given name, which is the key.
// It is safe for concurrent use if options.Rand is nil.
func NewSetPX(client polling.SetPXClient, name string, options Options) *SetPX {
	return &SetPX{client: client, name: name, options: options.withDefaults()}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetPX) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.spin(ctx, polling.SetNX(l.client, l.name, func(value string) lock.Lease {
		return &scripts.Lease{Client: l.client, Name: l.name, Value: value}
	}))
}
