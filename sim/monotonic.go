package sim

import "sync/atomic"

// clocks are those of a process. All its lives share uses.
type clocks struct {
	clock, monotonic *Clock
	*uses
}

// uses are what the code of a process has done: asked for Clock, and read its time.
type uses struct{ asked, read atomic.Bool }

// ClockForCode returns Clock, and notes whether the code under test reads it. Any goroutine may call it.
func (p *Process) ClockForCode() *Clock {
	p.asked.Store(true)
	return &Clock{p.clock.Timepiece, p, p.uses}
}

// LeaseClock returns the clock by which leases of the code under test end: Monotonic if it has asked for that, Clock if it has read
// that, and otherwise package time, which is never off. Any goroutine of the process may call it.
func (p *Process) LeaseClock() *Clock {
	switch {
	case p.Measures():
		return p.monotonic
	case p.read.Load():
		return p.clock
	}
	return &Clock{p.world.NewTimepiece(0, 0), p, nil}
}

// GoesByClock reports whether an error of Clock concerns the code under test. Of code that has leases with an end and never reads
// Clock, a rate alone does: it changes its timers, and Monotonic. The conductor may call it.
func (p *Process) GoesByClock(leased bool, rate int64) bool {
	return p.read.Load() || p.asked.Load() && !leased || rate != 0 && (p.asked.Load() || p.Measures())
}

// Monotonic returns a clock of the process that runs as fast as its Clock and never jumps. time.Since measures by such a clock. Its
// readings, which begin near the epoch of the run, cannot be compared with those of another process. Call it first while the process is
// set up, before its goroutines run; the clock itself is safe for concurrent use by them.
func (p *Process) Monotonic() *Clock {
	if p.monotonic == nil {
		p.monotonic = &Clock{Timepiece: p.world.NewTimepiece(0, p.clock.rate), process: p}
	}
	return p.monotonic
}

// Measures reports whether Monotonic has been called. The conductor may call it, as injectors do.
func (p *Process) Measures() bool { return p.monotonic != nil }
