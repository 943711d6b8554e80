package sim

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
