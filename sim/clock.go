package sim

import (
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
	return &Timepiece{base: w.bubble.epoch.Add(offset), rate: rate}
}

const million = 1_000_000

// scale is d*num/den without overflow for any duration of a run.
func scale(d time.Duration, num, den int64) time.Duration {
	return d/time.Duration(den)*time.Duration(num) + d%time.Duration(den)*time.Duration(num)/time.Duration(den)
}

// worldly converts a duration on this timepiece into true time.
func (c *Timepiece) worldly(d time.Duration) time.Duration {
	if c.rate == 0 {
		return d
	}
	return scale(d, million, million+c.rate)
}

// At is what it shows at virtual time t.
func (c *Timepiece) At(t time.Duration) time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.base.Add(scale(t, million+c.rate, million))
}

// When is the virtual time at which it shows t, if it does not jump.
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

// Now is the time that the clock shows.
func (c *Clock) Now() time.Time { return c.At(c.process.world.bubble.now()) }

// Since is the time that has passed since t on this clock.
func (c *Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Until is the time until t on this clock.
func (c *Clock) Until(t time.Time) time.Duration { return t.Sub(c.Now()) }

// Sleep blocks for d, and while the process is paused.
func (c *Clock) Sleep(d time.Duration) {
	w := c.process.world
	if w.draining() {
		w.bubble.pause(d)
		return
	}
	t := c.NewTimer(d)
	select {
	case <-t.Chan():
	case <-w.ended:
	}
	c.process.pass()
}

// After returns a channel on which the time is sent after d.
func (c *Clock) After(d time.Duration) <-chan time.Time { return c.NewTimer(d).Chan() }

// NewTimer returns a timer that fires after d.
func (c *Clock) NewTimer(d time.Duration) clockwork.Timer {
	ch := make(chan time.Time, 1)
	return c.start(&timer{clock: c, ch: ch, ring: func(now time.Time) {
		select {
		case ch <- now:
		default:
		}
	}}, d)
}

// AfterFunc returns a timer that calls f, in a goroutine of its own, after d.
func (c *Clock) AfterFunc(d time.Duration, f func()) clockwork.Timer {
	p := c.process
	return c.start(&timer{clock: c, ring: func(time.Time) {
		go p.world.guard(p.name, func() {
			p.pass()
			f()
		})
	}}, d)
}

// NewTicker returns a ticker that fires every d; d must be positive.
func (c *Clock) NewTicker(d time.Duration) clockwork.Ticker {
	if d <= 0 {
		panic("sim: NewTicker with a period that is not positive")
	}
	ch := make(chan time.Time, 1)
	t := &timer{clock: c, ch: ch, period: d, ring: func(now time.Time) {
		select {
		case ch <- now:
		default:
		}
	}}
	return ticker{c.start(t, d)}
}

func (c *Clock) start(t *timer, d time.Duration) *timer {
	t.Reset(d)
	return t
}

// timer is a timer or ticker of a Clock.
type timer struct {
	clock  *Clock
	ch     chan time.Time
	ring   func(now time.Time)
	period time.Duration // of a ticker; zero for a timer

	mu    sync.Mutex
	round int64    // grows with every Reset and Stop, so that older firings are void
	event *pending // set once the conductor has scheduled it
	live  bool
}

// Chan returns the channel on which the timer fires, nil for AfterFunc.
func (t *timer) Chan() <-chan time.Time { return t.ch }

// Reset starts the timer anew and reports whether it had been running.
func (t *timer) Reset(d time.Duration) bool {
	was := t.Stop()
	t.mu.Lock()
	t.live = true
	round := t.round
	t.mu.Unlock()
	p := t.clock.process
	d = max(t.clock.worldly(d), 0)
	if p.world.draining() {
		go func() {
			p.world.bubble.pause(d)
			t.expire(round)
		}()
		return was
	}
	due := p.world.bubble.now() + d
	p.emit(laneStep, int64(d), func() { t.schedule(round, due) })
	return was
}

// schedule is the conductor's part of Reset.
func (t *timer) schedule(round int64, due time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.round != round {
		return
	}
	p := t.clock.process
	t.event = p.world.schedule(&pending{at: due, kind: EventTimer, actor: p.Actor, gated: true, fire: func() {
		p.world.Log(Event{Kind: EventTimer, Actor: p.name})
		t.expire(round)
	}})
}

// expire fires the timer, unless it was stopped or reset since.
func (t *timer) expire(round int64) {
	t.mu.Lock()
	if t.round != round || !t.live {
		t.mu.Unlock()
		return
	}
	t.live = false
	t.mu.Unlock()
	t.ring(t.clock.Now())
	if t.period > 0 && !t.clock.process.world.draining() {
		t.Reset(t.period)
	}
}

// Stop stops the timer and reports whether it had been running.
func (t *timer) Stop() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	was := t.live
	t.live = false
	t.round++
	if t.event != nil {
		t.event.Cancel()
		t.event = nil
	}
	return was
}

// ticker narrows a timer to what a ticker can do.
type ticker struct{ t *timer }

func (t ticker) Chan() <-chan time.Time { return t.t.Chan() }
func (t ticker) Stop()                  { t.t.Stop() }
func (t ticker) Reset(d time.Duration) {
	t.t.mu.Lock()
	t.t.period = d
	t.t.mu.Unlock()
	t.t.Reset(d)
}
