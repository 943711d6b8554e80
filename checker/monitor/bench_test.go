package monitor_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/lockpick-dev/lockpick/checker/monitor"
	"github.com/lockpick-dev/lockpick/internal/test/histories"
	"github.com/lockpick-dev/lockpick/model"
)

var measured = []model.Spec{
	{Kind: model.KindMutex},
	{Kind: model.KindReadWrite},
	{Kind: model.KindSemaphore, Permits: 8},
}

// BenchmarkFeed: time and memory for each call do not depend on how many there
// are.
func BenchmarkFeed(b *testing.B) {
	for _, spec := range measured {
		for _, n := range []int{10_000, 100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", spec.Kind, n), func(b *testing.B) {
				calls := histories.Long(spec, n/2, 16, 1)
				n := len(calls)
				b.ReportAllocs()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				for b.Loop() {
					m, err := monitor.New(spec)
					if err != nil {
						b.Fatal(err)
					}
					if r := monitor.Feed(m, calls); r.Status == model.Violated {
						b.Fatalf("%+v", r.Violation)
					}
				}
				runtime.ReadMemStats(&after)
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/call")
				b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/float64(b.N)/float64(n), "B/call")
			})
		}
	}
}

// TestMemory: what a monitor keeps depends on how many calls are open, not on how
// many there were.
func TestMemory(t *testing.T) {
	for _, spec := range measured {
		small, large := kept(t, spec, 2_000), kept(t, spec, 40_000)
		t.Logf("%s: %d bytes after 2,000 calls, %d after 40,000", spec.Kind, small, large)
		if large > small+64<<10 {
			t.Errorf("%s: %d bytes after 2,000 calls, %d after 40,000", spec.Kind, small, large)
		}
	}
}

// kept is how much memory a monitor keeps when it has seen so many calls.
func kept(t *testing.T, spec model.Spec, n int) int64 {
	calls := histories.Long(spec, n, 16, 1)
	inner, err := monitor.New(spec)
	if err != nil {
		t.Fatal(err)
	}
	m := &metered{Monitor: inner, before: heap()}
	if r := monitor.Feed(m, calls); r.Status == model.Violated {
		t.Fatalf("%+v", r.Violation)
	}
	runtime.KeepAlive(calls)
	return m.after - m.before
}

// metered measures what a monitor keeps at the end.
type metered struct {
	monitor.Monitor
	before, after int64
}

func (m *metered) End() {
	m.Monitor.End()
	m.after = heap()
}

func heap() int64 {
	runtime.GC()
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return int64(s.HeapAlloc)
}
