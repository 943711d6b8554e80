package redislocks

import (
	"context"
	mrand "math/rand/v2"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
)

// Options are the common options of the locks of this package and of package flawed.
type Options struct {
	// TTL is how long the record lives in the store (default 30 s). Redis
	// counts in milliseconds; less than one is rounded up.
	TTL time.Duration
	// MinSleep and RandomSleep are the pause between two tries: drawn from
	// [MinSleep, MinSleep+RandomSleep). Defaults: 100 ms and 100 ms.
	MinSleep, RandomSleep time.Duration
	// Clock measures pauses and leases; nil means the real one.
	Clock clockwork.Clock
	// Rand is the source of the random part of the pauses; nil means the global
	// source. The Locker does not synchronize its use.
	Rand *mrand.Rand
}

func (o Options) withDefaults() Options { return Options(polling.Options(o).WithDefaults()) }

func (o Options) random() *polling.Random { return polling.Options(o).Random() }

func (o Options) spin(ctx context.Context, attempt polling.Try) (lock.Lease, error) {
	return polling.Options(o).Spin(ctx, attempt)
}
