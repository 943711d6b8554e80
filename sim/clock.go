package sim

import (
	"time"

	"github.com/jonboulle/clockwork"
)

// Clock is a process's own clock. It is a [clockwork.Clock]: code under test that
// takes one runs on simulated time, and its timers are events of the run. As in a
// Go program, a jump does not move running timers. It is safe for concurrent use by
// the goroutines of the process.
type Clock struct {
	*Timepiece
	process *Process
}

var _ clockwork.Clock = (*Clock)(nil)

// Now is the time that the clock shows, in whole windows ([Config.Window]). It does
// not show the order of two events of a window.
func (c *Clock) Now() time.Time { return c.At(c.process.world.window()) }

// Since is the time that has passed since t on this clock.
func (c *Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Until is the time until t on this clock.
func (c *Clock) Until(t time.Time) time.Duration { return t.Sub(c.Now()) }

// Sleep blocks for d, and while the process is paused.
func (c *Clock) Sleep(d time.Duration) { c.process.wait(d, EventTimer, "") }

// After returns a channel on which the time is sent after d.
func (c *Clock) After(d time.Duration) <-chan time.Time { return c.NewTimer(d).Chan() }

// NewTimer returns a timer that fires after d. As with package time's, no
// value of an earlier round is received once Stop or Reset has returned.
func (c *Clock) NewTimer(d time.Duration) clockwork.Timer {
	t := &timer{clock: c, ch: make(chan time.Time, 1)}
	t.Reset(d)
	return t
}

// AfterFunc returns a timer that calls f, in a goroutine of its own, after d.
func (c *Clock) AfterFunc(d time.Duration, f func()) clockwork.Timer {
	t := &timer{clock: c, f: f}
	t.Reset(d)
	return t
}

// NewTicker returns a ticker that fires every d; d must be positive. Ticks
// that nobody receives in time are dropped; those that come late, because the
// process is paused, do not move the ticks after them.
func (c *Clock) NewTicker(d time.Duration) clockwork.Ticker {
	if d <= 0 {
		panic("sim: NewTicker with a period that is not positive")
	}
	t := &timer{clock: c, ch: make(chan time.Time, 1), period: d}
	t.Reset(d)
	return ticker{t}
}
