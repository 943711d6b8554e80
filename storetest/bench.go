package storetest

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Benchmark measures runs of each lock: a calm one with two clients, and one of the scenario
// failover-loss.
func (s Suite) Benchmark(b *testing.B) {
	for _, l := range s.Locks {
		b.Run(l.ID+"/calm", func(b *testing.B) {
			s.schedules(b, "two-step-release", l.ID, func(int) sim.Tape { return sim.Calm{} })
		})
		b.Run(l.ID, func(b *testing.B) {
			s.schedules(b, "failover-loss", l.ID, func(n int) sim.Tape { return explore.Random(1, n) })
		})
	}
}

func (s Suite) schedules(b *testing.B, scenario, lock string, tape func(int) sim.Tape) {
	c, err := scenarios.Registry(s.Locks).Cell(scenario, lock, nil)
	if err != nil {
		b.Fatal(err)
	}
	var events int64
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		events += c.Run(explore.Run{Tape: tape(n)}).Events
		n++
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "schedules/s")
	b.ReportMetric(float64(events)/float64(b.N), "events/schedule")
}
