package sim

import (
	"sync"
	"time"
)

// timer is a timer or ticker of a Clock.
type timer struct {
	clock *Clock
	ch    chan time.Time // nil for AfterFunc
	f     func()         // of AfterFunc

	mu     sync.Mutex
	period time.Duration // of a ticker; zero for a timer
	round  int64         // grows with every Reset and Stop, so that earlier firings do not count
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
	d = max(t.clock.trueDuration(d), 0)
	due := later(p.world.window(), d)
	if p.world.draining() {
		p.world.bubble.after(drainDelay(d), func() { t.expire(round, due) })
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
	received := t.fire()
	if !t.live {
		return
	}
	w := t.clock.process.world
	period := t.clock.trueDuration(t.period)
	if w.draining() {
		// A ticker that nobody receives from stops here.
		if received {
			w.bubble.after(drainDelay(period), func() { t.expire(round, due) })
		}
		return
	}
	missed := (w.now - due) / period
	t.schedule(later(due, period*(missed+1)))
}

// fire calls the function or sends the time, with mu held. It answers false if the
// tick before has not been received yet.
func (t *timer) fire() bool {
	if p := t.clock.process; t.f != nil {
		event := p.world.seq
		go guard(func() {
			setStarter(event)
			p.pass(laneStep, 0)
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
