package main

import (
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/builtin"
)

// BenchmarkEvent is what an event costs: of a lock in Redis and one in MySQL, and of programs of three processes over
// Redis and MySQL. A program costs no more than its events.
func BenchmarkEvent(b *testing.B) {
	var locks []cell.Lock
	for _, l := range builtin.Locks() {
		if l.ID == "setpx" || l.ID == "db-row" {
			locks = append(locks, l)
		}
	}
	for _, p := range []cell.Program{remind(true), sell(true)} {
		p.Processes = 3
		l, err := p.Lock()
		if err != nil {
			b.Fatal(err)
		}
		locks = append(locks, l)
	}
	for _, l := range locks {
		c, err := scenarios.Registry(locks).Cell("contention", l.ID, nil)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(l.ID, func(b *testing.B) {
			events := int64(0)
			for b.Loop() {
				events += c.Run(explore.Run{Tape: sim.Calm{}}).Events
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
			b.ReportMetric(float64(events)/float64(b.N), "events/op")
		})
	}
}
