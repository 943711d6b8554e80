package recipe

import (
	"cmp"
	"context"
	mrand "math/rand/v2"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock/pauses"
)

// Config are the options of package s3locks, which documents them.
type Config struct {
	TTL, Patience         time.Duration
	MinSleep, RandomSleep time.Duration
	Clock                 clockwork.Clock
	Rand                  *mrand.Rand
}

// Options are the options of one locker.
type Options struct {
	Config
	*pauses.Pauses
}

// pause is the default of the shortest pause, and of the longest random part: a request costs money.
const pause = 200 * time.Millisecond

// New returns options with the defaults of those that are not set.
func New(o Config) *Options {
	if o.TTL == 0 {
		o.TTL = 30 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = o.TTL / 4
	}
	o.MinSleep, o.RandomSleep = cmp.Or(o.MinSleep, pause), cmp.Or(o.RandomSleep, pause)
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	return &Options{o, pauses.New(o.MinSleep, o.RandomSleep, o.Clock, o.Rand)}
}

// within makes a request, and gives it up after the patience.
func (o *Options) within(ctx context.Context, request func(context.Context) error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer o.Clock.AfterFunc(o.Patience, cancel).Stop()
	return request(ctx)
}

// Afterwards repeats a request in the background until it succeeds, for a few TTLs at most: nobody waits for it.
func (o *Options) Afterwards(request func(context.Context) error) {
	o.Clock.AfterFunc(0, func() {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		defer o.Clock.AfterFunc(10*o.TTL, cancel).Stop()
		for request(ctx) != nil {
			if o.Rest(ctx) != nil {
				return
			}
		}
	})
}
