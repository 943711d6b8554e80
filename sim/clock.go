package sim

import (
	"math/bits"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// Timepiece shows a time of its own: true time plus an offset, at a rate of its
// own. It is safe for concurrent use.
type Timepiece struct {
	mu   sync.Mutex
	base time.Time // what it shows at virtual time zero
	rate int64     // parts per million faster than true time
}

// NewTimepiece returns a timepiece that is ahead of true time by offset and
// runs faster by rate parts per million (above -1,000,000).
func (w *World) NewTimepiece(offset time.Duration, rate int64) *Timepiece {
	if rate <= -million {
		panic("sim: a timepiece that stands still or runs backwards")
	}
	return &Timepiece{base: w.bubble.epoch.Add(offset), rate: rate}
}

const million = 1_000_000

// scale is d*num/den, rounded down, or up; at most for ever.
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

// worldly converts a duration on this timepiece into true time: the first
// nanosecond by which it has passed here.
func (c *Timepiece) worldly(d time.Duration) time.Duration {
	if c.rate == 0 {
		return d
	}
	return scale(d, million, million+c.rate, true)
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

// When is the virtual time at which it shows t, or the first nanosecond
// thereafter, if it does not jump.
func (c *Timepiece) When(t time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.worldly(t.Sub(c.base))
}

// Jump sets it forward by d, or back if d is negative.
func (c *Timepiece) Jump(d time.Duration) {
	c.mu.Lock()
	c.base = c.base.Add(d)
	c.mu.Unlock()
}

// Clock is a process's own clock. It is a [clockwork.Clock]: code under test
// that takes one runs on simulated time, and its timers are events of the run.
// A jump does not move timers that run, as in a Go program. It is safe for
// concurrent use by the goroutines of the process.
type Clock struct {
	*Timepiece
	process *Process
}

var _ clockwork.Clock = (*Clock)(nil)

// Now is the time that the clock shows, in whole windows ([Config.Window]):
// which of two events of a window goes first cannot be read off it.
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

// timer is a timer or ticker of a Clock.
type timer struct {
	clock *Clock
	ch    chan time.Time // nil for AfterFunc
	f     func()         // of AfterFunc

	mu     sync.Mutex
	period time.Duration // of a ticker; zero for a timer
	round  int64         // grows with every Reset and Stop, so that older firings are void
	live   bool
	event  *pending // set once the conductor has scheduled it
}

// Chan returns the channel on which the timer fires, nil for AfterFunc.
func (t *timer) Chan() <-chan time.Time { return t.ch }

// Reset starts the timer anew and reports whether it had been running.
func (t *timer) Reset(d time.Duration) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.reset(d)
}

// Stop stops the timer and reports whether it had been running.
func (t *timer) Stop() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.stop()
}

// stop is Stop, with mu held. A value that has been sent and that nobody has
// received yet is taken back, and the timer then counts as running, as it does
// since Go 1.23.
func (t *timer) stop() bool {
	was := t.live
	t.live = false
	t.round++
	if t.event != nil {
		t.event.Cancel()
		t.event = nil
	}
	select {
	case <-t.ch:
		was = true
	default:
	}
	return was
}

// reset is Reset, with mu held.
func (t *timer) reset(d time.Duration) bool {
	was := t.stop()
	t.live = true
	round, p := t.round, t.clock.process
	d = max(t.clock.worldly(d), 0)
	due := later(p.world.window(), d)
	if p.world.draining() {
		p.world.bubble.after(brief(d), func() { t.expire(round, due) })
		return was
	}
	p.emitFor(who(), laneStep, int64(d), func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.round == round {
			t.schedule(due)
		}
	})
	return was
}

// schedule makes the timer's firing an event, with mu held. It is for the
// conductor.
func (t *timer) schedule(due time.Duration) {
	p, round := t.clock.process, t.round
	t.event = p.world.schedule(&pending{at: due, kind: EventTimer, actor: p.Actor, gated: true, awaited: true, fire: func() {
		p.world.Log(Event{Kind: EventTimer, Actor: p.name})
		t.expire(round, due)
	}})
}

// expire fires the timer that was due, unless it was stopped or reset since.
func (t *timer) expire(round int64, due time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.round != round || !t.live {
		return
	}
	t.event, t.live = nil, t.period > 0
	received := t.ring()
	if !t.live {
		return
	}
	w := t.clock.process.world
	period := t.clock.worldly(t.period)
	if w.draining() {
		// A ticker that nobody listens to may stop here.
		if received {
			w.bubble.after(brief(period), func() { t.expire(round, due) })
		}
		return
	}
	missed := (w.now - due) / period
	t.schedule(later(due, period*(missed+1)))
}

// ring does what the timer is for, with mu held, and reports whether the tick
// before has been received.
func (t *timer) ring() bool {
	if p := t.clock.process; t.f != nil {
		event := p.world.seq
		go guard(func() {
			startedAt(event)
			p.pass(laneStep, 0, nil)
			t.f()
		}, p.failed)
		return true
	}
	select {
	case t.ch <- t.clock.Now():
		return true
	default:
		return false
	}
}

// ticker narrows a timer to what a ticker can do.
type ticker struct{ t *timer }

func (t ticker) Chan() <-chan time.Time { return t.t.Chan() }
func (t ticker) Stop()                  { t.t.Stop() }
func (t ticker) Reset(d time.Duration) {
	if d <= 0 {
		panic("sim: Ticker.Reset with a period that is not positive")
	}
	t.t.mu.Lock()
	defer t.t.mu.Unlock()
	t.t.period = d
	t.t.reset(d)
}
