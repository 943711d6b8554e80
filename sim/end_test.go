package sim_test

import (
	"fmt"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestVital: the run waits for workloads and for what is vital, and for
// nothing else.
func TestVital(t *testing.T) {
	tests := []struct {
		name  string
		setUp func(w *sim.World)
		ends  time.Duration // rounded to a millisecond
	}{
		{"nothing", func(*sim.World) {}, 0},
		{"an event that is vital", func(w *sim.World) {
			at(w, w.NewActor("a"), 5*ms, func() {})
		}, 5 * ms},
		{"an event that is not", func(w *sim.World) {
			w.At(w.NewActor("a"), 5*ms, sim.EventWork, sim.EventOptions{}, func() {})
		}, 0},
		{"an event that never comes", func(w *sim.World) {
			a := w.NewActor("a")
			w.At(a, math.MaxInt64, sim.EventWork, sim.EventOptions{}, func() { t.Error("it came") })
			at(w, a, 2*ms, func() {})
		}, 2 * ms},
		{"a vital event that is cancelled", func(w *sim.World) {
			a := w.NewActor("a")
			cancel := w.At(a, 5*ms, sim.EventWork, sim.EventOptions{Vital: true}, func() { t.Error("it happened") })
			w.At(a, 4*ms, sim.EventWork, sim.EventOptions{}, func() {})
			at(w, a, 2*ms, func() { cancel(); cancel() })
		}, 2 * ms},
		{"an event that is cancelled when it has happened", func(w *sim.World) {
			a := w.NewActor("a")
			cancel := w.At(a, 1*ms, sim.EventWork, sim.EventOptions{Vital: true}, func() {})
			at(w, a, 2*ms, func() { cancel() })
			at(w, a, 3*ms, func() {})
		}, 3 * ms},
		{"a workload", func(w *sim.World) {
			client(w, "c1", func(p *sim.Process) { time.Sleep(5 * ms) })
		}, 5 * ms},
		{"the slower workload", func(w *sim.World) {
			p := client(w, "c1", func(p *sim.Process) { p.Step("x", 5*ms) })
			p.Go(func() { p.Step("y", 9*ms) })
		}, 9 * ms},
		{"a segment in flight", func(w *sim.World) {
			w.Network().SetLink(sim.Link{Base: 10 * ms})
			echo(w)
			client(w, "c1", func(p *sim.Process) {
				_, err := io.WriteString(dialed(p), "x") // sent at 20, echoed at 30
				must(err)
			})
		}, 40 * ms},
		{"a connection attempt that was given up", func(w *sim.World) {
			w.Network().SetLink(sim.Link{Base: 10 * ms})
			echo(w)
			client(w, "c1", func(p *sim.Process) { _, _ = dial(p, ms) }) // arrives at 10, answered at 20, hung up on at 30
		}, 30 * ms},
		{"a message", func(w *sim.World) {
			a := w.NewActor("a")
			w.Network().SetLink(sim.Link{Base: 10 * ms})
			w.Network().Propagate(a, a, w.Network().NewLane(), 0, func(time.Duration, bool) {})
		}, 10 * ms},
		{"a pause", func(w *sim.World) {
			p := client(w, "c1", func(p *sim.Process) {})
			at(w, w.NewActor("faults"), ms, func() { p.Pause(10 * ms) })
		}, 11 * ms},
		{"a timer", func(w *sim.World) {
			client(w, "c1", func(p *sim.Process) { p.Clock().NewTimer(time.Second) })
		}, 0},
		{"what is lost", func(w *sim.World) {
			w.Network().SetLink(sim.Link{Base: 10 * ms})
			server := echo(w)
			p := client(w, "c1", func(p *sim.Process) {
				_, err := io.WriteString(dialed(p), "x")
				must(err)
			})
			at(w, server, 25*ms, func() { w.Network().Conns(p.Actor)[0].Reset(p.Actor) })
		}, 25 * ms},
		{"a gated event of a crashed process", func(w *sim.World) {
			p := client(w, "c1", func(p *sim.Process) {})
			w.GatedAt(p, 5*ms, true, func() { t.Error("it happened") })
			at(w, w.NewActor("faults"), 2*ms, func() { p.Crash() })
		}, 2 * ms},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := run(t, nil, test.setUp)
			if got := r.Simulated.Round(ms); got != test.ends {
				t.Errorf("it ended at %v, want %v\n%s", got, test.ends, list(r.Events))
			}
		})
	}
}

func TestLimits(t *testing.T) {
	forEver := func(w *sim.World) {
		client(w, "c1", func(p *sim.Process) {
			for !over(p) {
				p.Step("again", ms)
			}
		})
	}
	stuck := func(w *sim.World) {
		client(w, "c1", func(p *sim.Process) { <-p.Ended() })
	}
	steps := func(n int) func(*sim.World) {
		return func(w *sim.World) {
			client(w, "c1", func(p *sim.Process) {
				for range n {
					p.Step("again", ms)
				}
			})
		}
	}
	pairs := func(w *sim.World) {
		for _, name := range []string{"c1", "c2"} {
			client(w, name, func(p *sim.Process) {
				for !over(p) {
					p.Step("again", 10*ms)
				}
			})
		}
	}
	spins := func(w *sim.World) {
		client(w, "c1", func(p *sim.Process) {
			for !over(p) {
				p.Step("again", 0)
			}
		})
	}
	from := func(t time.Duration) func(time.Duration) string {
		return func(now time.Duration) string {
			if now < t {
				return ""
			}
			return "it is decided"
		}
	}
	tests := []struct {
		name   string
		config sim.Config
		setUp  func(*sim.World)
		cut    string
		events int64
	}{
		{"enough", sim.Config{MaxEvents: 250, Enough: from(2 * time.Second)}, pairs, "the run was cut after 402 events: it is decided", 402},
		{"enough long ago", sim.Config{MaxEvents: 251, Enough: from(ms)}, pairs, "the run was cut after 252 events: it is decided", 252},
		{"never enough", sim.Config{MaxEvents: 250, Enough: from(time.Hour), Horizon: 4 * time.Second}, pairs, "the run was cut after 4s of virtual time", 2 * 400},
		{"time hardly passes", sim.Config{MaxEvents: 150, Enough: from(time.Hour)}, pairs, "the run was cut after 150 events, 150 of them within a second of virtual time", 150},
		{"time does not pass", sim.Config{MaxEvents: 300, Enough: from(0)}, spins, "the run was cut after 300 events, 300 of them within a second of virtual time", 300},
		{"events", sim.Config{MaxEvents: 100}, forEver, "the run was cut after 100 events", 100},
		{"events by default", sim.Config{Horizon: 24 * time.Hour}, forEver, "the run was cut after 50000 events", 50_000},
		{"time", sim.Config{Horizon: 100 * ms}, forEver, "the run was cut after 100ms of virtual time", 1 + 99},
		{"time by default", sim.Config{}, stuck, "the run was cut after 1h0m0s of virtual time", 1},
		{"nothing can happen", sim.Config{Horizon: time.Minute}, stuck, "the run was cut after 1m0s of virtual time", 1},
		{"just within the events", sim.Config{MaxEvents: 11}, steps(10), "", 11},
		{"just within the time", sim.Config{Horizon: 10*ms + 100*us}, steps(10), "", 11},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := sim.Run(test.config, test.setUp)
			if r.Failure != nil || r.Cut != test.cut || r.EventCount != test.events {
				t.Errorf("cut: %q after %d events; %+v", r.Cut, r.EventCount, r.Failure)
			}
			if horizon := test.config.Horizon; horizon > 0 && r.Simulated > horizon {
				t.Errorf("%v were simulated", r.Simulated)
			}
		})
	}
}

// TestHorizonIsNotPassed: events beyond the horizon do not draw the clock of
// package time there.
func TestHorizonIsNotPassed(t *testing.T) {
	var woke time.Duration
	sim.Run(sim.Config{Horizon: time.Second}, func(w *sim.World) {
		client(w, "c1", func(p *sim.Process) {
			go p.Step("far away", 24*time.Hour)
			<-p.Ended()
			woke = since()
		})
	})
	if woke > time.Second+ms {
		t.Errorf("the run ended at %v", woke)
	}
}

// TestProgress: the watchdog's counter grows with every step.
func TestProgress(t *testing.T) {
	var progress atomic.Int64
	last := int64(-1)
	sim.Run(sim.Config{Progress: &progress}, func(w *sim.World) {
		client(w, "c1", func(p *sim.Process) {
			for range 10 {
				p.Step("x", ms)
				if now := progress.Load(); now <= last {
					t.Errorf("no progress from %d to %d", last, now)
				} else {
					last = now
				}
			}
		})
	})
	if progress.Load() <= last {
		t.Error("no progress in the drain")
	}
}

// TestRunsWait: a second run waits for the first.
func TestRunsWait(t *testing.T) {
	var running, most atomic.Int32
	var g sync.WaitGroup
	for range 4 {
		g.Go(func() {
			r := sim.Run(sim.Config{}, func(w *sim.World) {
				most.Store(max(most.Load(), running.Add(1)))
				client(w, "c1", func(p *sim.Process) { p.Step("x", ms) })
				w.OnEnd(func() { running.Add(-1) })
			})
			good(t, r)
		})
	}
	g.Wait()
	if most.Load() != 1 {
		t.Errorf("%d runs at once", most.Load())
	}
}

// TestEndsAmidEvents: whoever goes on for ever does not keep the run from
// ending: the rest of the window happens, and that is all.
func TestEndsAmidEvents(t *testing.T) {
	for name, f := range map[string]func(p *sim.Process){
		"steps":  func(p *sim.Process) { p.Step("x", 0) },
		"sleep":  func(p *sim.Process) { p.Clock().Sleep(1) },
		"timers": func(p *sim.Process) { <-p.Clock().After(0) },
	} {
		t.Run(name, func(t *testing.T) {
			r := run(t, nil, func(w *sim.World) {
				client(w, "c1", func(p *sim.Process) {
					go func() {
						for !over(p) {
							f(p)
						}
					}()
					p.Step("work", ms)
				})
			})
			if r.Simulated < ms || r.Simulated > ms+5*window {
				t.Errorf("it took %v", r.Simulated)
			}
		})
	}
}

// TestEndIsNoRace: what is due together with the end of the last workload
// happens, whichever goes first.
func TestEndIsNoRace(t *testing.T) {
	n := every(sim.Order, func(tape sim.Tape) {
		happened := 0
		run(t, tape, func(w *sim.World) {
			client(w, "c1", func(p *sim.Process) { p.Step("work", ms) })
			for i := range 2 {
				w.At(w.NewActor(fmt.Sprint("a", i)), ms, sim.EventWork, sim.EventOptions{}, func() { happened++ })
			}
			w.At(w.NewActor("later"), ms+1, sim.EventWork, sim.EventOptions{}, func() { t.Error("the run went on") })
		})
		if happened != 2 {
			t.Errorf("%d of 2 events happened", happened)
		}
	})
	if n != 6 {
		t.Errorf("%d orders", n)
	}
}
