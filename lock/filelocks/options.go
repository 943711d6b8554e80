package filelocks

import (
	mrand "math/rand/v2"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock/filelocks/internal/recipe"
)

// Options are the common options of the locks of this package and of package flawed.
type Options struct {
	// MinSleep and RandomSleep are the pause between two tries: drawn from
	// [MinSleep, MinSleep+RandomSleep). Defaults: 50 ms and 50 ms.
	MinSleep, RandomSleep time.Duration
	// Clock measures pauses and leases; nil means the real one.
	Clock clockwork.Clock
	// Rand is the source of the random part of the pauses; nil means the global source. No
	// other code may use it; the locker synchronizes its own use.
	Rand *mrand.Rand
}

func (o Options) recipe() *recipe.Options { return recipe.New(recipe.Config(o)) }
