package pglocks

import (
	mrand "math/rand/v2"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/postgres/pglocks/internal/recipe"
)

// Options are the common options of the locks of this package and of package flawed.
type Options struct {
	// TTL is how long a lease lasts, and how long a session or a transaction that has a lock is kept when
	// nothing is heard of its client (default 30 s).
	TTL time.Duration
	// Patience is how long a client waits for the answer to a statement before the statement fails with
	// its connection (default a quarter of the TTL). A statement that waits for a lock in the server has
	// longer.
	Patience time.Duration
	// MinSleep and RandomSleep are the pause between two tries: drawn from
	// [MinSleep, MinSleep+RandomSleep). Defaults: 50 ms and 50 ms.
	MinSleep, RandomSleep time.Duration
	// Clock measures leases, patience and pauses; nil means the real one.
	Clock clockwork.Clock
	// Rand is the source of the random part of the pauses; nil means the global source. No other code may
	// use it; the locker synchronizes its own use.
	Rand *mrand.Rand
}

func (o Options) recipe() *recipe.Options { return recipe.New(recipe.Config(o)) }
