package sim

import (
	crand "crypto/rand"
	"io"
	mrand "math/rand"
	"os"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// This file owns the bubble: the only place in the kernel that touches
// package time's clock, the scheduler and the process-wide random sources.

// bubble is the synctest bubble that a run lives in. Unless said otherwise its
// methods are for the root goroutine, which is the conductor.
type bubble struct {
	epoch time.Time
	// timer is what the conductor sleeps on. Whoever has something for it
	// while it sleeps makes the timer fire at once.
	timer  *time.Timer
	asleep atomic.Bool
}

// now is the virtual time since the bubble's start. Any goroutine of the
// bubble may ask.
func (b *bubble) now() time.Duration { return time.Since(b.epoch) }

// since converts an instant of package time, such as a deadline that a client
// computed with time.Now, into virtual time.
func (b *bubble) since(t time.Time) time.Duration { return t.Sub(b.epoch) }

// quiesce returns when every other goroutine of the bubble is blocked for
// good: nothing moves until the conductor fires an event or a timer of
// package time is due.
func (b *bubble) quiesce() { synctest.Wait() }

// ring wakes the conductor, if it sleeps, at this very instant. Any goroutine
// of the bubble may call it.
func (b *bubble) ring() {
	if b.asleep.CompareAndSwap(true, false) {
		b.timer.Reset(0)
	}
}

// sleepUntil lets virtual time pass until t, or until somebody rings. Idle is
// asked once whoever rings can be heard, and false keeps the conductor awake:
// what was rung for a moment too early must not be missed.
func (b *bubble) sleepUntil(t time.Duration, idle func() bool) {
	b.timer.Reset(t - b.now())
	b.asleep.Store(true)
	if idle() {
		<-b.timer.C
	}
	b.asleep.Store(false)
}

// pause blocks the calling goroutine for d of the bubble's own time. It is
// used in the drain only, when there are no events any more.
func (b *bubble) pause(d time.Duration) { time.Sleep(d) }

// inBubble calls f as the root of a new bubble and returns when all of the
// bubble's goroutines have ended. If they cannot end, it panics, as synctest
// does.
func inBubble(f func(*bubble)) {
	synctest.Test(new(testing.T), func(*testing.T) {
		b := &bubble{epoch: time.Now(), timer: time.NewTimer(time.Hour)}
		defer b.timer.Stop()
		f(b)
	})
}

// Code under test draws from process-wide random sources: go-redis's back-off
// from math/rand, most lock values from crypto/rand. They are seeded for each
// run, so that a run stays a function of its tape, and one run at a time
// holds them. What cannot be seeded, math/rand/v2's global functions above
// all, makes a run nondeterministic and is reported as such.
var global sync.Mutex

// Seeders are called with each run's seed, for random sources that this
// package cannot know, such as a client library's private one. Add to it from
// an init function only.
var Seeders []func(seed int64)

// Since Go 1.24 rand.Seed does nothing unless this is set; the runtime looks
// again whenever the environment changes. It stays set: programs that simulate
// have no use for a source that cannot be seeded.
var allowSeed = sync.OnceFunc(func() {
	const key, setting = "GODEBUG", "randseednop=0"
	value := setting
	if old := os.Getenv(key); old != "" {
		value = old + "," + setting
	}
	_ = os.Setenv(key, value) // fails for malformed keys only
})

func seedGlobals(seed uint64) (restore func()) {
	global.Lock()
	allowSeed()
	mrand.Seed(int64(seed)) //nolint:staticcheck // the deprecated call is the one that reaches the global source
	for _, s := range Seeders {
		s(int64(seed))
	}
	reader := crand.Reader
	crand.Reader = &lockedReader{r: newStream(seed, "crypto/rand")}
	return func() {
		crand.Reader = reader
		global.Unlock()
	}
}

// lockedReader makes a reader safe for concurrent use, as crypto/rand's is.
type lockedReader struct {
	mu sync.Mutex
	r  io.Reader
}

func (l *lockedReader) Read(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.r.Read(p)
}
