package sim

import "sync/atomic"

// clocks are those of a process. All its lives share uses.
type clocks struct {
	clock, monotonic *Clock
	*uses
}

// uses are what the code of a process has done: asked for Clock, read its time, asked for Monotonic, had leases that end by package time.
type uses struct{ asked, read, measures, apart atomic.Bool }

// ReadClock returns Clock for the code under test, and notes what that does with it. Any goroutine may call it.
func (p *Process) ReadClock() *Clock {
	p.asked.Store(true)
	return &Clock{p.clock.Timepiece, p, p.uses}
}

// LeaseClock returns the clock by which leases of the code under test end: Monotonic if the code has asked for it, Clock if it has read
// the time of that, and otherwise package time, which no fault concerns. Ends is set for a lease that has an end. Any goroutine of the process may call it.
func (p *Process) LeaseClock(ends bool) *Clock {
	switch {
	case p.Measures():
		return p.monotonic
	case p.read.Load():
		return p.clock
	}
	p.apart.CompareAndSwap(false, ends)
	return &Clock{p.world.NewTimepiece(0, 0), p, nil}
}

// ConcernedBy reports whether an error of Clock concerns the code under test: a rate also concerns Monotonic and timers. The conductor may call it.
func (p *Process) ConcernedBy(rate int64) bool {
	return p.read.Load() || p.asked.Load() && !p.apart.Load() || rate != 0 && (p.asked.Load() || p.measures.Load())
}

// Monotonic returns a clock of the process that runs as fast as its Clock and never jumps. time.Since measures by such a clock. Its
// readings, which begin near the epoch of the run, cannot be compared with those of another process. Call it first while the process is
// set up, before its goroutines run; the clock itself is safe for concurrent use by them.
func (p *Process) Monotonic() *Clock {
	if p.measures.Store(true); p.monotonic == nil {
		p.monotonic = &Clock{Timepiece: p.world.NewTimepiece(0, p.clock.rate), process: p}
	}
	return p.monotonic
}

// Measures reports whether Monotonic has been called. The conductor may call it, as injectors do.
func (p *Process) Measures() bool { return p.monotonic != nil }
