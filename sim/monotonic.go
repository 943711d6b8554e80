package sim

import "sync/atomic"

// clocks are those of a process.
type clocks struct {
	clock, monotonic *Clock
	read             atomic.Bool // ReadClock has been called
}

// ReadClock returns Clock for the code under test, and notes that it reads that clock. Any goroutine may call it.
func (p *Process) ReadClock() *Clock { p.read.Store(true); return p.clock }

// LeaseClock returns the clock by which leases of the code under test end: Monotonic or Clock if the code has asked for it, and
// otherwise package time, which no fault concerns. Any goroutine of the process may call it.
func (p *Process) LeaseClock() *Clock {
	switch {
	case p.Measures():
		return p.monotonic
	case p.read.Load():
		return p.clock
	}
	return &Clock{p.world.NewTimepiece(0, 0), p}
}

// ReadsClock reports whether the code under test has asked for Monotonic or Clock, whose errors concern it. The conductor may call it.
func (p *Process) ReadsClock() bool { return p.Measures() || p.read.Load() }

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
