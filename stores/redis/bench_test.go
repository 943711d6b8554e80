package redis_test

import (
	"context"
	"slices"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces"
)

// BenchmarkTopologies is a calm run of two clients, as the servers are deployed. The deployments take turns, so that
// all see the same machine, and "ratio" is the median of the processor's time for one over that for a
// run with one stable address and as many replicas.
func BenchmarkTopologies(b *testing.B) {
	redis.SetLogger(silent{})
	cells := map[string]cell.Cell{}
	for _, topology := range []string{"replicas", "sentinel", "cluster"} {
		cells[topology] = deployed(b, "contention", topology, traces.Parameter{Name: "clients", Value: "2"}, traces.Parameter{Name: "replicas", Value: "1"})
	}
	for _, topology := range []string{"sentinel", "cluster"} {
		b.Run(topology, func(b *testing.B) {
			var ratios []float64
			for b.Loop() {
				usual := calm(b, cells["replicas"])
				ratios = append(ratios, float64(calm(b, cells[topology]))/float64(usual))
			}
			slices.Sort(ratios)
			b.ReportMetric(ratios[len(ratios)/2], "ratio")
		})
	}
}

// calm is the processor's time for some calm runs.
func calm(b *testing.B, c cell.Cell) time.Duration {
	var before, after syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &before); err != nil {
		b.Fatal(err)
	}
	for range 20 {
		if out := c.Run(explore.Run{Tape: sim.Calm{}}); out.Failure != nil {
			b.Fatal(out.Failure.Reason)
		}
	}
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &after); err != nil {
		b.Fatal(err)
	}
	return time.Duration(after.Utime.Nano() - before.Utime.Nano() + after.Stime.Nano() - before.Stime.Nano())
}

// silent keeps what go-redis logs.
type silent struct{}

func (silent) Printf(context.Context, string, ...any) {}
