package flawed

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
)

// SetPXReplicaCheck is [SetPXTwoStep] whose GET goes to a replica.
//
// Programs get it from a client that sends reads to replicas, such as go-redis's with ReplicaOnly or RouteRandomly,
// and from the advice to spare the primary. Guarantee: that of SetPX for holds that are shorter than the TTL, as long as
// replicas have all that the primary has.
//
// What breaks it: a replica that lags, or follows another primary, has not got the key yet, and its holder learns that
// the lock is lost and leaves the key behind (scenario two-masters, property no-orphan). Or it still has the key of
// a holder whose lock is lost, who deletes another's by it. The replica may also be the one that has been promoted since.
// And all that breaks SetPXTwoStep.
//
// Commands: acquire 1 a try, release 2. Defaults: those of SetPX.
type SetPXReplicaCheck struct {
	client  replicaCheckClient
	replica replicaReader
	name    string
	options polling.Options
}

type replicaCheckClient interface {
	polling.SetNXer
	Del(ctx context.Context, keys ...string) *redis.IntCmd
}

type replicaReader interface {
	Get(ctx context.Context, key string) *redis.StringCmd
}

// NewSetPXReplicaCheck returns a locker for the lock of the given name, which is the key. The first client
// writes to the primary, and the second reads from a replica. The locker is safe for concurrent use if options.Rand is nil.
func NewSetPXReplicaCheck(client replicaCheckClient, replica replicaReader, name string, options redislocks.Options) *SetPXReplicaCheck {
	return &SetPXReplicaCheck{client: client, replica: replica, name: name, options: withDefaults(options)}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open whether the lock was taken.
func (l *SetPXReplicaCheck) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.Spin(ctx, polling.SetNX(l.client, l.name, func(value string) lock.Lease {
		return &replicaCheckLease{lock: l, value: value}
	}))
}

type replicaCheckLease struct {
	lock  *SetPXReplicaCheck
	value string
}

// Release deletes the key if a replica has just shown this acquisition's value.
func (l *replicaCheckLease) Release(ctx context.Context) error {
	switch held, err := l.Held(ctx); {
	case err != nil:
		return fmt.Errorf("redislocks: release: %w", err)
	case !held:
		return lock.ErrNotHeld
	}
	if err := l.lock.client.Del(ctx, l.lock.name).Err(); err != nil {
		return fmt.Errorf("redislocks: release: %w", err)
	}
	return nil
}

// Held reports whether a replica has this acquisition's value.
func (l *replicaCheckLease) Held(ctx context.Context) (bool, error) {
	value, err := l.lock.replica.Get(ctx, l.lock.name).Result()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return value == l.value, err
}
