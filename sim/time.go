package sim

import (
	"fmt"
	"math/bits"
	"sync"
	"time"

	"github.com/jonboulle/clockwork"
)

// forEver is a time beyond any horizon. A time a little later can still be
// represented.
const forEver = time.Duration(1 << 62)

// later returns t+d, at most forEver.
func later(t, d time.Duration) time.Duration {
	if d > forEver-t {
		return forEver
	}
	return t + d
}

// window returns the beginning of the present window. Any goroutine of the run may call
// it.
func (w *World) window() time.Duration { return w.floor(w.bubble.Now()) }

// floor returns t rounded down to the beginning of a window, and ceil t rounded up.
func (w *World) floor(t time.Duration) time.Duration { return t - t%w.config.Window }

func (w *World) ceil(t time.Duration) time.Duration { return w.floor(t + w.config.Window - 1) }

// Timepiece is a clock that shows true time plus an offset, at a rate of its own. It is
// safe for concurrent use.
type Timepiece struct {
	mu   sync.Mutex
	base time.Time // its reading at virtual time zero
	rate int64     // parts per million faster than true time
}

// NewTimepiece returns a timepiece that is ahead of true time by offset and runs faster
// by rate parts per million, which must be more than -1,000,000.
func (w *World) NewTimepiece(offset time.Duration, rate int64) *Timepiece {
	if rate <= -million {
		panic(fmt.Sprintf("sim: NewTimepiece: rate %d: want more than -1000000 parts per million, or the clock would not run forward", rate))
	}
	return &Timepiece{base: w.bubble.Time(offset), rate: rate}
}

// At returns the reading of the clock at virtual time t.
func (c *Timepiece) At(t time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rate != 0 {
		t = scale(t, million+c.rate, million, false)
	}
	return c.base.Add(t)
}

// When returns the first virtual time at which the clock shows t or later, if it does
// not jump.
func (c *Timepiece) When(t time.Time) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.trueDuration(t.Sub(c.base))
}

// Jump sets the clock forward by d, or back if d is negative.
func (c *Timepiece) Jump(d time.Duration) {
	c.mu.Lock()
	c.base = c.base.Add(d)
	c.mu.Unlock()
}

// trueDuration returns how much true time passes, in whole nanoseconds, until d has
// passed on this timepiece.
func (c *Timepiece) trueDuration(d time.Duration) time.Duration {
	if c.rate == 0 {
		return d
	}
	return scale(d, million, million+c.rate, true)
}

const million = 1_000_000

// scale returns d*num/den, rounded up or down, and at most forEver.
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

// Clock is a process's own clock. It is a [clockwork.Clock]: code under test that
// takes one runs on simulated time, and its timers are events of the run. As in a
// Go program, a jump does not move running timers. It is safe for concurrent use by
// the goroutines of the process.
type Clock struct {
	*Timepiece
	process *Process
	uses    *uses // nil for the kernel's own
}

var _ clockwork.Clock = (*Clock)(nil)

// Now returns the time that the clock shows, in whole windows ([Config.Window]). It is
// the same for all events of a window.
func (c *Clock) Now() time.Time {
	if c.uses != nil {
		c.uses.read.Store(true)
	}
	return c.At(c.process.world.window())
}

// Since returns the time that has passed since t on this clock.
func (c *Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Until returns the time until t on this clock.
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

// NewTicker returns a ticker that fires every d; d must be positive. Ticks that nobody
// receives in time are dropped. A tick that is late, because the process is paused,
// does not move the ticks after it.
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
	round  int64         // grows with every Reset and Stop, to ignore earlier firings
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

// stop is Stop, with mu held. A value that nobody has received yet is taken
// back, and the timer then counts as running, as in package time since Go 1.23.
func (t *timer) stop() bool {
	was := t.live
	t.live = false
	t.round++
	if t.event != nil {
		t.event.cancel()
		t.event = nil
	}
	select {
	case <-t.ch:
		was = true
	default:
	}
	return was
}

// reset is Reset with mu held.
func (t *timer) reset(d time.Duration) bool {
	was := t.stop()
	t.live = true
	round, p := t.round, t.clock.process
	d = max(t.clock.trueDuration(d), 0)
	due := later(p.world.window(), d)
	if p.world.draining() {
		p.world.bubble.After(p.world.drainDelay(d), func() { t.expire(round, due) })
		return was
	}
	p.emitFor(p.goroutines.caller(), laneStep, int64(d), func() {
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
	t.event = p.world.schedule(&pending{at: due, kind: EventTimer, actor: p.Actor, gated: true, awaited: true, fire: call(func() {
		p.world.Log(Event{Kind: EventTimer, Actor: p.name})
		t.expire(round, due)
	})})
}

// expire fires the timer that was due, unless it was stopped or reset since.
func (t *timer) expire(round int64, due time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.round != round || !t.live {
		return
	}
	t.event, t.live = nil, t.period > 0
	received := t.fire()
	if !t.live {
		return
	}
	w := t.clock.process.world
	period := t.clock.trueDuration(t.period)
	if w.draining() {
		// A ticker without a receiver stops here.
		if received {
			w.bubble.After(w.drainDelay(period), func() { t.expire(round, due) })
		}
		return
	}
	missed := (w.now - due) / period
	t.schedule(later(due, period*(missed+1)))
}

// fire calls the function or sends the time, with mu held. It returns false if the tick
// before has not been received yet.
func (t *timer) fire() bool {
	if p := t.clock.process; t.f != nil {
		event := p.world.seq
		go guard(func() {
			p.goroutines.begin(event)
			p.goroutines.pass(laneStep, 0)
			t.f()
		}, p.failed)
		return true
	}
	select {
	case t.ch <- t.clock.At(t.clock.process.world.window()): // nobody reads the clock
		return true
	default:
		return false
	}
}

// ticker narrows a timer to the methods of a ticker.
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
