package recipe

import (
	"context"
	grand "math/rand"
	mrand "math/rand/v2"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// Config are the options of package sqllocks, which explains them.
type Config struct {
	TTL, Patience         time.Duration
	MinSleep, RandomSleep time.Duration
	Clock                 clockwork.Clock
	Rand                  *mrand.Rand
}

// Options are those of one locker. They run its statements.
type Options struct {
	Config
	drawing sync.Mutex // held while a number is drawn from Rand
}

// New fills in what is not set.
func New(o Config) *Options {
	if o.TTL == 0 {
		o.TTL = 30 * time.Second
	}
	if o.Patience == 0 {
		o.Patience = o.TTL / 4
	}
	if o.MinSleep == 0 {
		o.MinSleep = 50 * time.Millisecond
	}
	if o.RandomSleep == 0 {
		o.RandomSleep = 50 * time.Millisecond
	}
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	return &Options{Config: o}
}

// Rest waits between two tries.
func (o *Options) Rest(ctx context.Context) error { return o.wait(ctx, o.pause()) }

// pause draws a pause.
func (o *Options) pause() time.Duration {
	most := int64(max(o.RandomSleep, 1))
	if o.Rand == nil {
		return o.MinSleep + time.Duration(grand.Int63n(most)) // the global source that a simulation can seed
	}
	o.drawing.Lock()
	defer o.drawing.Unlock()
	return o.MinSleep + time.Duration(o.Rand.Int64N(most))
}

func (o *Options) wait(ctx context.Context, d time.Duration) error {
	timer := o.Clock.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.Chan():
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
