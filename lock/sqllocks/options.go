package sqllocks

import (
	"context"
	grand "math/rand"
	mrand "math/rand/v2"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// Options are the common options of the locks of this package.
type Options struct {
	// TTL is how long a lease lasts, and how long a connection that has a lock is kept
	// when nothing is heard of its client (default 30 s). A named lock counts in whole
	// seconds, and rounds up.
	TTL time.Duration
	// Patience is how long a statement is waited for, which then fails with its
	// connection (default a quarter of the TTL). What waits for a lock in the server
	// waits for longer.
	Patience time.Duration
	// MinSleep and RandomSleep are the pause between two tries: drawn from
	// [MinSleep, MinSleep+RandomSleep). Defaults: 50 ms and 50 ms.
	MinSleep, RandomSleep time.Duration
	// Clock measures everything; nil means the real one.
	Clock clockwork.Clock
	// Rand is the source of the random part of the pauses; nil means the global source. It
	// is the locker's alone, which draws from it for one goroutine at a time.
	Rand *mrand.Rand

	drawing *sync.Mutex // held while a number is drawn from Rand
}

func (o Options) withDefaults() Options {
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
	o.drawing = new(sync.Mutex)
	return o
}

// rest waits between two tries.
func (o *Options) rest(ctx context.Context) error { return o.wait(ctx, o.pause()) }

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
