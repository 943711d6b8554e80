package sim

import (
	"slices"
	"time"
)

// OnEnd registers a function that is called when the run has ended and the
// world drains: close clients here. It runs in a goroutine of its own.
func (w *World) OnEnd(f func()) { w.closers = append(w.closers, f) }

// drainTime is how much virtual time the drain takes. A client's dial retries
// outlive its Close by many seconds.
const drainTime = 5 * time.Minute

// drain lets the goroutines of the run end: gates open, connections break,
// dials are refused and later ones lead nowhere, timers fire, the functions of
// OnEnd are called, and virtual time passes before the bubble ends.
func (w *World) drain() {
	w.bubble.thaw()
	close(w.ended)
	w.net.shutDown()
	for _, f := range w.closers {
		go guard(f, w.conductor.failed)
	}
	for end := w.bubble.now() + drainTime; w.bubble.now() < end; {
		w.config.Progress.Add(1)
		w.bubble.quiesce()
		for _, e := range w.inbox.take() {
			guard(e.apply, w.fail)
		}
		w.release()
		w.bubble.sleep(end-w.bubble.now(), w.inbox.empty)
	}
}

// release lets the goroutines go that wait for events that will not happen any
// more.
func (w *World) release() {
	list := slices.Concat(w.stranded, w.queue)
	w.stranded, w.queue = nil, nil
	for _, p := range list {
		p.index = -1
		if p.awaited {
			p.happen()
		}
	}
}

// draining reports whether the run has ended. Any goroutine of the run may
// ask.
func (w *World) draining() bool {
	select {
	case <-w.ended:
		return true
	default:
		return false
	}
}

// sleepInDrain blocks for d while the world drains, or for less: nobody judges
// times any more, and loops that wait have to end within the drain.
func (w *World) sleepInDrain(d time.Duration) { w.bubble.pause(drainDelay(d)) }

// drainDelay is how long d takes while the world drains.
func drainDelay(d time.Duration) time.Duration {
	return min(max(d, time.Microsecond), drainTime/10)
}
