package main

import (
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/mysql"
	mysqllocks "github.com/lockpick-dev/lockpick/mysql/builtin"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis"
	redislocks "github.com/lockpick-dev/lockpick/stores/redis/builtin"
)

// BenchmarkEvent is what an event costs: of a lock in Redis and one in MySQL, and of programs of three processes over
// Redis and MySQL. Short runs have few events for what it costs to set two stores up.
func BenchmarkEvent(b *testing.B) {
	var locks []cell.Lock
	for _, l := range append(redislocks.Locks(), mysqllocks.Locks()...) {
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

// BenchmarkTwoStores is what a run of three processes over two stores costs, in parts of what it costs over each of them alone:
// 1 is the sum of its events. The three kinds of runs are alternated, and of each the median counts.
func BenchmarkTwoStores(b *testing.B) {
	var cells []cell.Cell
	for i, stores := range [][]stage.Store{{redis.Store}, {ordersStore}, {redis.Store, ordersStore}} {
		p := uses(stores...)
		p.ID = strconv.Itoa(i)
		l, err := p.Lock()
		if err != nil {
			b.Fatal(err)
		}
		c, err := scenarios.Registry([]cell.Lock{l}).Cell("contention", l.ID, nil)
		if err != nil {
			b.Fatal(err)
		}
		cells = append(cells, c)
	}
	var runs [3][]float64 // how long each took, in ns
	var events [3]float64
	for b.Loop() {
		for i, c := range cells {
			begun := time.Now()
			events[i] = float64(c.Run(explore.Run{Tape: sim.Calm{}}).Events)
			runs[i] = append(runs[i], float64(time.Since(begun).Nanoseconds()))
		}
	}
	var took [3]float64 // the median
	for i, name := range []string{"redis", "mysql", "both"} {
		slices.Sort(runs[i])
		took[i] = runs[i][len(runs[i])/2]
		b.ReportMetric(took[i]/events[i], name+"-ns/event")
	}
	b.ReportMetric(events[2]/(events[0]+events[1]), "events/sum")
	b.ReportMetric(took[2]/(took[0]+took[1]), "time/sum")
}

// uses is a program of three processes that each do the same in one store after the other.
func uses(stores ...stage.Store) cell.Program {
	return cell.Program{
		Stores: stores, Processes: 3,
		Main: func(p *cell.Process) error {
			var does []func() error
			for _, s := range stores {
				switch s.ID() {
				case "redis":
					rdb := redis.Connect(p)
					does = append(does, func() error { return rdb.Incr(p.Context(), "n").Err() })
				case "mysql":
					db := mysql.Connect(p)
					does = append(does, func() error {
						_, err := db.ExecContext(p.Context(), "UPDATE stock SET pieces = pieces + 1 WHERE id = 1")
						return err
					})
				}
			}
			for range 20 {
				for _, do := range does {
					if err := do(); err != nil {
						return err
					}
				}
			}
			return nil
		},
		Finally: func(*cell.Process) error { return nil },
	}
}
