package sim

import "sync/atomic"

// clocks are those of a process.
type clocks struct {
	clock, monotonic *Clock
	shown            atomic.Bool // ShowClock has been called
}

// ShowClock returns Clock to the code under test, whose leases end by it then. Any goroutine may call it.
func (p *Process) ShowClock() *Clock { p.shown.Store(true); return p.clock }

// Shown reports whether ShowClock has been called. Any goroutine may call it.
func (p *Process) Shown() bool { return p.shown.Load() }

// ShownClock returns the clock by which the code under test goes: Clock if it was shown, and otherwise package time, which is never off.
func (p *Process) ShownClock() *Clock {
	if p.shown.Load() {
		return p.clock
	}
	return &Clock{p.world.NewTimepiece(0, 0), p}
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
