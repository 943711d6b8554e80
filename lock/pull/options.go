package pull

import (
	grand "math/rand"
	mrand "math/rand/v2"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// Options are the options of a [Locker]. The zero value is ready to use.
type Options struct {
	// TTL is how long a record lives in the store without a renewal or a release
	// (default 30 s). lock.WithTTL sets another TTL for one acquisition.
	TTL time.Duration
	// Wait is how long Acquire may wait; 0 means until its context is done. It tries at
	// least once.
	Wait time.Duration
	// MinSleep and RandomSleep are the pause between two tries: drawn from
	// [MinSleep, MinSleep+RandomSleep). Defaults: 10 ms and 10 ms.
	MinSleep, RandomSleep time.Duration
	// IOTimeout is how long one request to the store may take (default 2 s, or a
	// third of TTL if that is less). A removal without an answer is tried three
	// times, each for that long, with MinSleep in between.
	IOTimeout time.Duration
	// Drift is how long a lease ends before its record (default a hundredth of its TTL,
	// plus 2 ms), since clocks drift apart.
	Drift time.Duration

	// Renew renews leases while they are held, every third of their TTL.
	Renew bool
	// RenewFor is the longest time for which a lease is renewed (default 10 min), so
	// that a holder that hangs does not hold the lock for ever.
	RenewFor time.Duration

	// Handlers wrap every Acquire and every Release, the first one outermost.
	Handlers []Handler

	// Clock is the clock for readings and waits; nil means the real one.
	Clock clockwork.Clock
	// Rand is the source of the random part of the pauses; nil means the global
	// source. No other code may use it.
	Rand *mrand.Rand
}

func (o Options) withDefaults() Options {
	usual := func(d *time.Duration, value time.Duration) {
		if *d <= 0 {
			*d = value
		}
	}
	usual(&o.TTL, 30*time.Second)
	usual(&o.MinSleep, 10*time.Millisecond)
	usual(&o.RandomSleep, 10*time.Millisecond)
	usual(&o.IOTimeout, min(2*time.Second, max(o.TTL/3, time.Millisecond)))
	usual(&o.RenewFor, 10*time.Minute)
	if o.Clock == nil {
		o.Clock = clockwork.NewRealClock()
	}
	return o
}

// RequestTimeout is IOTimeout, or its default, for the configuration of a store's
// client.
func (o Options) RequestTimeout() time.Duration { return o.withDefaults().IOTimeout }

// valid returns how long a lease of the given TTL claims to be valid, from before its
// request was sent.
func (o *Options) valid(ttl time.Duration) time.Duration {
	if o.Drift > 0 {
		return ttl - o.Drift
	}
	return ttl - ttl/100 - 2*time.Millisecond
}

// dice draws the pauses. It is safe for concurrent use.
type dice struct {
	mu   sync.Mutex
	rand *mrand.Rand
}

// sleep returns the next pause.
func (d *dice) sleep(o *Options) time.Duration {
	if d.rand == nil {
		return o.MinSleep + time.Duration(grand.Int63n(int64(o.RandomSleep))) // a simulation can seed the global source
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return o.MinSleep + time.Duration(d.rand.Int64N(int64(o.RandomSleep)))
}
