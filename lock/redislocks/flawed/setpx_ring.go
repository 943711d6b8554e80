package flawed

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// SetPXRing is [redislocks.SetPX] on client-side shards: each name belongs to one of several independent
// servers, by hashing, and a server that fails three health checks in a row is left out until it passes one. Its
// names belong to other servers meanwhile, as in go-redis's Ring. It is flawed.
//
// Guarantee: that of SetPX as long as every client finds every server up.
//
// What breaks it: a server that hangs, or that some clients do not reach, is down for those who notice.
// They take the lock from another server, which knows nothing of its holder (scenario hung-node, properties
// mutual-exclusion and no-lost-update). What they leave on the first server blocks others when that is
// back (hung-node, no-orphan). It is a cache's way to stay available. A lock stays where it is: see
// [redislocks.ShardOf]. And all that breaks SetPX.
//
// Commands: those of SetPX, and one PING for each server and interval.
//
// Defaults: those of SetPX, and a health check every 500 ms.
type SetPXRing struct {
	shards  []RingShard
	name    string
	options RingOptions
	polling polling.Options

	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex // never held while anything is waited for
	fails []int      // how many health checks each shard has failed in a row
}

// RingShard is a server of a ring: its client, and one for health checks, whose time-out is theirs.
type RingShard struct {
	Client polling.SetPXClient
	Health interface {
		Ping(ctx context.Context) *redis.StatusCmd
	}
}

// RingOptions are the options of [SetPXRing].
type RingOptions struct {
	redislocks.Options
	// Interval is how long after a health check of all servers the next one begins (default
	// 500 ms).
	Interval time.Duration
}

// mostFails is how many health checks a server that is up may fail in a row.
const mostFails = 2

// NewSetPXRing returns a locker for the lock of the given name, which is the key. It is safe for
// concurrent use if options.Rand is nil. Close ends its health checks.
func NewSetPXRing(shards []RingShard, name string, options RingOptions) *SetPXRing {
	if options.Interval == 0 {
		options.Interval = 500 * time.Millisecond
	}
	l := &SetPXRing{
		shards: slices.Clone(shards), name: name, options: options, polling: withDefaults(options.Options),
		closed: make(chan struct{}), fails: make([]int, len(shards)),
	}
	go l.watch()
	return l
}

// Close ends the health checks.
func (l *SetPXRing) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// watch checks the servers, one after the other.
func (l *SetPXRing) watch() {
	for {
		timer := l.polling.Clock.NewTimer(l.options.Interval)
		select {
		case <-timer.Chan():
		case <-l.closed:
			timer.Stop()
			return
		}
		for i := range l.shards {
			err := l.shards[i].Health.Ping(context.Background()).Err()
			l.mu.Lock()
			l.fails[i]++
			if err == nil {
				l.fails[i] = 0
			}
			l.mu.Unlock()
		}
	}
}

// shard returns the client of the server that the name belongs to now.
func (l *SetPXRing) shard() polling.SetPXClient {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shards[redislocks.ShardOf(l.name, len(l.shards), func(i int) bool { return l.fails[i] <= mostFails })].Client
}

// Acquire tries until the lock is held, ctx is done or a request fails. Any error leaves open whether the
// lock was taken.
func (l *SetPXRing) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.polling.Spin(ctx, func(ctx context.Context, value string, ttl time.Duration) (lock.Lease, error) {
		ok, err := l.shard().SetNX(ctx, l.name, value, ttl).Result()
		if err != nil || !ok {
			return nil, err
		}
		return ringLease{l, value}, nil
	})
}

type ringLease struct {
	ring  *SetPXRing
	value string
}

// Release deletes the key if it is still this acquisition's, on the server that the name belongs to by
// now. It returns [lock.ErrNotHeld] if it is not there.
func (l ringLease) Release(ctx context.Context) error {
	return scripts.Delete(ctx, l.ring.shard(), l.ring.name, l.value)
}
