package explore

import (
	"sync/atomic"
	"time"
)

// Meter adds up the processor time of workers, which they report with each run, including the time to start
// them. The time differs from machine to machine; results that it cut short say so ([Summary].Cut,
// [Shrunk].Cut). If the operating system does not report a process's time, it remains zero. A Meter is safe
// for concurrent use.
type Meter struct {
	whole *Meter // the meter that this is a part of, or nil
	spent atomic.Int64
	until time.Time // by the wall clock, zero for no limit
}

// Spent returns the time so far. A nil Meter has spent none.
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

// Until sets a deadline by the wall clock for all work that this meter or a part of it measures, beside the limits of
// processor time. The zero Time means no deadline. Until must not be called while such work goes on.
func (m *Meter) Until(end time.Time) { m.until = end }

// past reports whether the limit of processor time (0: none) is reached, or the deadline has
// passed.
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

// stopwatch measures the processor time of a worker.
type stopwatch struct{ last time.Duration }

// lap returns the time since the last call, or since the process was started.
func (s *stopwatch) lap() time.Duration {
	now := processorTime()
	d := now - s.last
	s.last = now
	return d
}
