package main

import (
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// BenchmarkEvent is what an event costs: of a lock in Redis, and of programs of three processes over
// Redis and MySQL. A program costs no more than its events.
func BenchmarkEvent(b *testing.B) {
	setpx := cell.Lock{ID: "setpx", Summary: "a lock", Store: redis.Store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
		return redislocks.NewSetPX(redis.Connect(c), c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock()})
	})}
	locks := []cell.Lock{setpx}
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
