package recipe

import (
	mrand "math/rand/v2"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock/pauses"
)

// Config are the options of package pglocks, which documents them.
type Config struct {
	TTL, Patience         time.Duration
	MinSleep, RandomSleep time.Duration
	Clock                 clockwork.Clock
	Rand                  *mrand.Rand
}

// Options are the options of one locker. Their methods run its statements.
type Options struct {
	Config
	*pauses.Pauses
}

// New returns options with the defaults of those that are not set.
func New(o Config) *Options {
	if o.TTL == 0 {
		o.TTL = 30 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = o.TTL / 4
	}
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	return &Options{o, pauses.New(o.MinSleep, o.RandomSleep, o.Clock, o.Rand)}
}
