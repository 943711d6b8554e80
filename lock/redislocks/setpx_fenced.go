package redislocks

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// SetPXFenced is [SetPX] with a fencing token: the script that takes the lock
// also increments a counter, and the lease carries the result.
//
// Tokens are after Kleppmann, "How to do distributed locking" (2016). There can
// still be two holders, as with SetPX and in the same scenarios (property
// mutual-exclusion), but it guarantees that a resource which checks the token on
// every access, reads too, is not harmed (no-lost-update).
//
// What breaks it even so: the counter lives on the node that the lock lives on, so
// whatever loses the SET loses the INCR as well, and the next holder gets the
// same token (scenarios failover-loss, partition and node-restart, property
// fencing). [SetPXFencedElsewhere] has the counter on another server.
//
// Commands: acquire 1 a try, release 1. Defaults: those of SetPX.
type SetPXFenced struct {
	client  redis.Scripter
	keys    []string // the lock, and the counter
	options Options
}

// NewSetPXFenced returns a locker for the lock of the given name, which is the
// key; the counter is the key "{name}:fence". It is safe for concurrent use if
// options.Rand is nil.
func NewSetPXFenced(client redis.Scripter, name string, options Options) *SetPXFenced {
	return &SetPXFenced{client: client, keys: []string{name, "{" + name + "}:fence"}, options: options.withDefaults()}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetPXFenced) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.spin(ctx, func(ctx context.Context, value string, ttl time.Duration) (lock.Lease, error) {
		token, err := scripts.AcquireFenced.Run(ctx, l.client, l.keys, value, scripts.Millis(ttl)).Int64()
		if err != nil || token == 0 {
			return nil, err
		}
		return &fencedLease{scripts.Lease{Client: l.client, Name: l.keys[0], Value: value}, token}, nil
	})
}

// fencedLease is a lease with a token.
type fencedLease struct {
	scripts.Lease
	token int64
}

// Token returns the fencing token of this acquisition, from 1.
func (l *fencedLease) Token() int64 { return l.token }
