package s3locks

import (
	mrand "math/rand/v2"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/s3/s3locks/internal/recipe"
)

// Client is what a lock needs of a client of S3. [github.com/aws/aws-sdk-go-v2/service/s3.Client] has it.
type Client = recipe.Client

// Options are the common options of the locks of this package and of package flawed.
type Options struct {
	// TTL is how long a lease lasts (default 30 s).
	TTL time.Duration
	// Patience is how long a client waits for the answer to a request, with all tries of the library (default a quarter
	// of the TTL).
	Patience time.Duration
	// MinSleep and RandomSleep are the pause between two tries: drawn from
	// [MinSleep, MinSleep+RandomSleep). Defaults: 200 ms and 200 ms.
	MinSleep, RandomSleep time.Duration
	// Clock measures leases, patience and pauses; nil means the real one.
	Clock clockwork.Clock
	// Rand is the source of the random part of the pauses; nil means the global source. No other code may
	// use it; the locker synchronizes its own use.
	Rand *mrand.Rand
}

func (o Options) recipe() *recipe.Options { return recipe.New(recipe.Config(o)) }
