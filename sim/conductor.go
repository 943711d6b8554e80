package sim

import (
	"fmt"
	"time"
)

// conduct is the conductor's loop: wait until every goroutine is blocked, apply what
// they emitted, choose the next event, let time pass, fire it.
func (w *World) conduct() {
	w.shown = shown{}
	idle := w.inbox.empty
	for {
		emitted := w.settle()
		p := w.first()
		if emitted && (w.over() || p != nil && p.at <= w.moment) {
			continue // what was applied may have woken goroutines at this very instant
		}
		if w.over() {
			w.cut, w.end = w.limit(), w.now
			return
		}
		if p = w.next(); p == nil {
			// Nothing but timers of package time can happen.
			w.bubble.sleep(w.config.Horizon-w.moment, idle)
			continue
		}
		if at := w.instant(p); at > w.moment {
			w.bubble.sleep(min(at, w.config.Horizon)-w.moment, idle)
			continue // whatever is due at that instant settles first
		}
		if !w.askInjectors(p) {
			w.perform(p)
		}
	}
}

// settle waits until every goroutine is blocked and applies what they emitted, in
// canonical order. It reports whether there was anything.
func (w *World) settle() (emitted bool) {
	w.config.Progress.Add(1)
	w.bubble.freeze()
	w.bubble.quiesce()
	w.moment = w.bubble.now()
	list := w.inbox.take()
	byTimer := w.moment != w.last // of package time: no event has happened just now
	if byTimer {
		w.now = max(w.now, w.floor(w.moment))
	}
	for i := range list {
		w.acting = list[i].actor
		if byTimer {
			w.trail.beginTimer(w.now, list[i].actor, w.decisions)
		}
		list[i].apply()
		list[i].apply = nil
		if i+1 == len(list) || list[i+1].lane != list[i].lane || list[i+1].actor != list[i].actor {
			w.sendGathered()
		}
	}
	w.acting = nil
	w.grant()
	w.steps.Add(1)
	return len(list) > 0
}

// over decides whether the run has come to its end.
func (w *World) over() bool {
	return w.failure != nil || w.done() || w.limit() != ""
}

// done reports whether the workloads have returned and nothing vital is left.
// What else is due in the same window still happens first, so that the end does
// not depend on the order within the window.
func (w *World) done() bool {
	if w.workloads > 0 || w.vital > 0 {
		w.final = forEver
		return false
	}
	w.final = min(w.final, w.now)
	p := w.first()
	return p == nil || p.at > w.final
}

// limit says which limit the run has reached before it was done, if any.
func (w *World) limit() string {
	switch {
	case w.failure != nil || w.done():
		return ""
	case w.seq >= w.config.MaxEvents:
		return fmt.Sprintf("the run was cut after %d events", w.seq)
	case w.moment >= w.config.Horizon:
		return fmt.Sprintf("the run was cut after %v of virtual time", w.config.Horizon)
	}
	return ""
}

// instant is when the event can happen on package time's clock: on its actor's
// nanosecond, and when no other has happened.
func (w *World) instant(p *pending) time.Duration {
	return p.actor.slot(max(p.at, w.moment, w.last+1))
}

// perform fires the event.
func (w *World) perform(p *pending) {
	w.discard(p)
	w.last = w.moment
	w.trail.beginEvent(w.now, p, w.decisions, w.moment >= p.at+w.config.Window)
	if own := p.actor.process; own != nil {
		own.currentPhase().steps++
		own.reseedAfter(p.kind)
	}
	w.acting = p.actor
	w.shown = shown{strike: p.strike, by: p.shows}
	p.happen()
	w.shown = shown{}
	w.acting = nil
}
