package sim_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// BenchmarkRunEmpty is what a run costs in which nothing happens.
func BenchmarkRunEmpty(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		good(b, sim.Run(sim.Config{}, func(*sim.World) {}))
	}
}

// pingPong is a world in which clients and a server exchange so many events.
func pingPong(b *testing.B, clients int, link sim.Link) {
	b.ReportAllocs()
	c := sim.Config{Tape: randomTape(1), MaxEvents: math.MaxInt64, Horizon: math.MaxInt64}
	r := sim.Run(c, func(w *sim.World) {
		w.Network().SetLink(link)
		echo(w)
		for i := range clients {
			client(w, fmt.Sprint("c", i), func(p *sim.Process) {
				conn := dialed(p)
				for range (b.N + 2*clients - 1) / (2 * clients) {
					must(ping(conn, "hello"))
				}
			})
		}
	})
	good(b, r)
}

// BenchmarkEvent is one event, a segment that arrives; half of them wake a
// goroutine.
func BenchmarkEvent(b *testing.B) { pingPong(b, 1, sim.Link{Base: 200 * us}) }

// BenchmarkEventCrowded is the same in a crowd, with all of its decisions.
func BenchmarkEventCrowded(b *testing.B) {
	pingPong(b, 10, sim.Link{Base: 200 * us, Jitter: 100 * us, Late: []sim.Lateness{{By: []time.Duration{time.Second}, Budget: math.MaxInt, Odds: 100}}})
}

// BenchmarkTimer is one timer of a process's clock.
func BenchmarkTimer(b *testing.B) {
	b.ReportAllocs()
	good(b, sim.Run(sim.Config{MaxEvents: math.MaxInt64, Horizon: math.MaxInt64}, func(w *sim.World) {
		client(w, "c1", func(p *sim.Process) {
			for range b.N {
				p.Clock().Sleep(ms)
			}
		})
	}))
}

// BenchmarkMark is one mark.
func BenchmarkMark(b *testing.B) {
	b.ReportAllocs()
	good(b, sim.Run(sim.Config{MaxEvents: math.MaxInt64, Horizon: math.MaxInt64}, func(w *sim.World) {
		client(w, "c1", func(p *sim.Process) {
			for range b.N {
				p.Mark(0, "x", func(sim.Event) {})
			}
		})
	}))
}
