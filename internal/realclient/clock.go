package realclient

import (
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// clock is the clock of a client process: it shows true time plus an error, at a rate of its own. As in a Go program, a
// jump does not move running timers. It is safe for concurrent use.
type clock struct {
	clockwork.Clock // the true clock
	began           time.Time
	rate            int64 // parts per million faster than true time

	mu    sync.Mutex
	ahead time.Duration
}

const million = 1_000_000

// newClock returns a clock that is ahead, and is faster by a rate in parts per million, above -1,000,000.
func newClock(ahead time.Duration, rate int64) *clock {
	c := &clock{Clock: clockwork.NewRealClock(), ahead: ahead, rate: rate}
	c.began = c.Clock.Now()
	return c
}

// jump sets the clock forward, or back.
func (c *clock) jump(by time.Duration) {
	c.mu.Lock()
	c.ahead += by
	c.mu.Unlock()
}

// shows returns what the clock shows at a true time; when is its inverse, the first true time at which the clock shows t
// if it does not jump.
func (c *clock) shows(at time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return at.Add(c.ahead + scaled(at.Sub(c.began), c.rate, million))
}

func (c *clock) when(t time.Time) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.began.Add(c.lasts(t.Sub(c.began) - c.ahead))
}

// lasts returns how much true time passes until d has passed on the clock.
func (c *clock) lasts(d time.Duration) time.Duration {
	if c.rate == 0 {
		return d
	}
	return scaled(d, million, million+c.rate)
}

// scaled returns d*num/den. A float's 53 bits are a month in nanoseconds.
func scaled(d time.Duration, num, den int64) time.Duration {
	return time.Duration(float64(d) * float64(num) / float64(den))
}

func (c *clock) Now() time.Time                         { return c.shows(c.Clock.Now()) }
func (c *clock) Since(t time.Time) time.Duration        { return c.Now().Sub(t) }
func (c *clock) Until(t time.Time) time.Duration        { return t.Sub(c.Now()) }
func (c *clock) Sleep(d time.Duration)                  { c.Clock.Sleep(c.lasts(d)) }
func (c *clock) After(d time.Duration) <-chan time.Time { return c.Clock.After(c.lasts(d)) }

func (c *clock) NewTimer(d time.Duration) clockwork.Timer {
	return timer{c.Clock.NewTimer(c.lasts(d)), c}
}

func (c *clock) AfterFunc(d time.Duration, f func()) clockwork.Timer {
	return timer{c.Clock.AfterFunc(c.lasts(d), f), c}
}

func (c *clock) NewTicker(d time.Duration) clockwork.Ticker {
	return ticker{c.Clock.NewTicker(c.lasts(d)), c}
}

// timer and ticker are those of a clock that does not run like the true one.
type (
	timer struct {
		clockwork.Timer
		of *clock
	}
	ticker struct {
		clockwork.Ticker
		of *clock
	}
)

func (t timer) Reset(d time.Duration) bool { return t.Timer.Reset(t.of.lasts(d)) }

func (t ticker) Reset(d time.Duration) { t.Ticker.Reset(t.of.lasts(d)) }
