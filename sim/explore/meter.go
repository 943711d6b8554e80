package explore

import (
	"sync/atomic"
	"time"
)

// Meter adds up the processor time of workers, the time to start them included, as they report it with each
// run. It differs from machine to machine: what it ends says so ([Summary].Cut, [Shrunk].Cut). Where the
// operating system does not say what a process takes, it stays at zero. It may be used by several goroutines.
type Meter struct {
	whole *Meter // of which this is a part, nil for none
	spent atomic.Int64
}

// Spent is the time so far, 0 of a nil Meter.
func (m *Meter) Spent() time.Duration {
	if m == nil {
		return 0
	}
	return time.Duration(m.spent.Load())
}

// Part is a meter whose time counts here as well.
func (m *Meter) Part() *Meter { return &Meter{whole: m} }

func (m *Meter) add(d time.Duration) {
	for ; m != nil; m = m.whole {
		m.spent.Add(int64(d))
	}
}

// past reports whether a limit is reached, of which 0 is none.
func (m *Meter) past(limit time.Duration) bool { return limit > 0 && m.Spent() >= limit }

// stopwatch is the processor time of a worker.
type stopwatch struct{ last time.Duration }

// lap is the time since the last lap, or since the process was started.
func (s *stopwatch) lap() time.Duration {
	now := processorTime()
	d := now - s.last
	s.last = now
	return d
}
