package sim

import (
	"fmt"
	"math/bits"
	"sync"
	"time"
)

// Timepiece shows true time plus an offset, at a rate of its own. It is safe for
// concurrent use.
type Timepiece struct {
	mu   sync.Mutex
	base time.Time // what it shows at virtual time zero
	rate int64     // parts per million faster than true time
}

// NewTimepiece returns a timepiece that is ahead of true time by offset and
// runs faster by rate parts per million (above -1,000,000).
func (w *World) NewTimepiece(offset time.Duration, rate int64) *Timepiece {
	if rate <= -million {
		panic(fmt.Sprintf("sim: NewTimepiece: rate %d: want more than -1000000 parts per million, or the clock would not run forward", rate))
	}
	return &Timepiece{base: w.bubble.epoch.Add(offset), rate: rate}
}

// At is what it shows at virtual time t.
func (c *Timepiece) At(t time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rate != 0 {
		t = scale(t, million+c.rate, million, false)
	}
	return c.base.Add(t)
}

// When is the first virtual time at which it shows t or later, if it does not
// jump.
func (c *Timepiece) When(t time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trueDuration(t.Sub(c.base))
}

// Jump sets it forward by d, or back if d is negative.
func (c *Timepiece) Jump(d time.Duration) {
	c.mu.Lock()
	c.base = c.base.Add(d)
	c.mu.Unlock()
}

// trueDuration is how much true time passes, in whole nanoseconds, until d has
// passed on this timepiece.
func (c *Timepiece) trueDuration(d time.Duration) time.Duration {
	if c.rate == 0 {
		return d
	}
	return scale(d, million, million+c.rate, true)
}

const million = 1_000_000

// scale is d*num/den, rounded up or down, and at most forEver.
func scale(d time.Duration, num, den int64, up bool) time.Duration {
	if d < 0 {
		return -scale(-d, num, den, !up)
	}
	high, low := bits.Mul64(uint64(d), uint64(num))
	if high >= uint64(den) {
		return forEver
	}
	quotient, rest := bits.Div64(high, low, uint64(den))
	if up && rest > 0 {
		quotient++
	}
	return time.Duration(min(quotient, uint64(forEver)))
}
