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
	until time.Time // by the clock on the wall, zero for no limit
}

// Spent returns the time so far, 0 of a nil Meter.
func (m *Meter) Spent() time.Duration {
	if m == nil {
		return 0
	}
	return time.Duration(m.spent.Load())
}

// Part returns a meter whose time counts here as well.
func (m *Meter) Part() *Meter { return &Meter{whole: m} }

func (m *Meter) add(d time.Duration) {
	for ; m != nil; m = m.whole {
		m.spent.Add(int64(d))
	}
}

// Until sets a deadline by the wall clock, beside the limits of processor time: work that this meter or a part of it measures ends
// then. The zero Time sets none. It is not safe to call while such work goes on.
func (m *Meter) Until(end time.Time) { m.until = end }

// past reports whether a limit is reached, of which 0 is none, or the time has come that ends it.
func (m *Meter) past(limit time.Duration) bool {
	if limit > 0 && m.Spent() >= limit {
		return true
	}
	for ; m != nil; m = m.whole {
		if !m.until.IsZero() && time.Now().After(m.until) {
			return true
		}
	}
	return false
}

// stopwatch is the processor time of a worker.
type stopwatch struct{ last time.Duration }

// lap returns the time since the last lap, or since the process was started.
func (s *stopwatch) lap() time.Duration {
	now := processorTime()
	d := now - s.last
	s.last = now
	return d
}
