package sim_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"runtime"
	"strings"
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
			w.At(p.Actor, 5*ms, sim.EventWork, sim.EventOptions{Vital: true, Gated: true}, func() { t.Error("it happened") })
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
	tests := []struct {
		name   string
		config sim.Config
		setUp  func(*sim.World)
		cut    string
		events int64
	}{
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

// TestFailures: code that panics ends its run and nothing else, and the report
// says whose it was and where.
func TestFailures(t *testing.T) {
	boom := func() { panic("boom") }
	tests := []struct {
		name          string
		tape          sim.Tape
		setUp         func(w *sim.World)
		actor, reason string
	}{
		{"a workload", nil, func(w *sim.World) {
			client(w, "c1", func(*sim.Process) { boom() })
		}, "c1", "panic: boom"},
		{"an AfterFunc", nil, func(w *sim.World) {
			client(w, "c1", func(p *sim.Process) { p.Clock().AfterFunc(ms, boom); p.Step("wait", time.Second) })
		}, "c1", "panic: boom"},
		{"a handler", nil, func(w *sim.World) {
			listen(w, handler{receive: func(*sim.ServerConn, []byte) { boom() }})
			client(w, "c1", func(p *sim.Process) { must(ping(dialed(p), "x")) })
		}, "server", "panic: boom"},
		{"an accepting server", nil, func(w *sim.World) {
			w.Network().Listen(address, w.NewActor("server"), func(*sim.ServerConn) sim.Handler { panic("boom") })
			client(w, "c1", func(p *sim.Process) { dialed(p) })
		}, "server", "panic: boom"},
		{"a mark", nil, func(w *sim.World) {
			client(w, "c1", func(p *sim.Process) { p.Mark(0, "x", func(sim.Event) { boom() }) })
		}, "c1", "panic: boom"},
		{"an event", nil, func(w *sim.World) {
			at(w, w.NewActor("a"), ms, boom)
		}, "a", "panic: boom"},
		{"set-up", nil, func(*sim.World) { boom() }, "", "panic: boom"},
		{"nil", nil, func(*sim.World) { panic(nil) }, "", "panic: panic called with nil argument"},
		{"an injector", nil, func(w *sim.World) {
			w.Inject(injectorFunc(func(sim.Upcoming) bool { panic("boom") }))
			at(w, w.NewActor("a"), ms, func() {})
		}, "", "panic: boom"},
		{"a closer", nil, func(w *sim.World) { w.OnEnd(boom) }, "", "panic: boom"},
		{"a workload that is cut", nil, func(w *sim.World) {
			client(w, "c1", func(p *sim.Process) { <-p.Ended(); boom() })
		}, "c1", "panic: boom"},
		{"Goexit in a workload", nil, func(w *sim.World) {
			client(w, "c1", func(*sim.Process) { runtime.Goexit() })
		}, "c1", "the goroutine was ended by runtime.Goexit, as t.FailNow does"},
		{"Goexit in set-up", nil, func(*sim.World) { runtime.Goexit() }, "", "the goroutine was ended by runtime.Goexit, as t.FailNow does"},
		{"Goexit in a handler", nil, func(w *sim.World) {
			at(w, w.NewActor("a"), ms, func() { runtime.Goexit() })
		}, "a", "the goroutine was ended by runtime.Goexit, as t.FailNow does"},
		{"a tape that panics", tapeFunc(func(sim.Decision) int { panic("boom") }), func(*sim.World) {}, "", "panic: boom"},
		{"a tape that chooses too much", tapeFunc(func(d sim.Decision) int { return d.Options }), func(*sim.World) {},
			"", "panic: sim: the tape chose option 1073741824 of seed/world#0, which has 1073741824"},
		{"a tape that chooses too little", tapeFunc(func(d sim.Decision) int { return -d.Occurrence }), func(w *sim.World) {
			w.NewActor("a")
			for range 2 {
				w.Choose(sim.Decision{Kind: "k", Actor: "a", Options: 2})
			}
		}, "", "panic: sim: the tape chose option -1 of k/a#1, which has 2"},
		{"a decision of nobody's", nil, func(w *sim.World) {
			w.Choose(sim.Decision{Kind: "k", Actor: "nobody", Options: 2})
		}, "", `panic: sim: a decision for "nobody", who is no actor`},
		{"two actors of a name", nil, func(w *sim.World) { w.NewActor("a"); w.NewActor("a") }, "", `panic: sim: a second actor named "a"`},
		{"too many actors", nil, func(w *sim.World) {
			for i := range 1000 {
				w.NewActor(fmt.Sprint(i))
			}
		}, "", "panic: sim: more than 1000 actors"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := sim.Run(sim.Config{Tape: test.tape, Horizon: time.Minute}, test.setUp)
			f := r.Failure
			if f == nil {
				t.Fatal("the run did not fail")
			}
			if f.Actor != test.actor || f.Reason != test.reason || f.Leaked || f.Error() != f.Reason {
				t.Errorf("in %q: %s; leaked: %v", f.Actor, f.Reason, f.Leaked)
			}
			if reason, panicked := strings.CutPrefix(f.Reason, "panic: "); panicked && fmt.Sprint(f.Panic) != reason || !panicked && f.Panic != nil {
				t.Errorf("the value of the panic is %v", f.Panic)
			}
			if !strings.Contains(f.Stack, "_test.go:") {
				t.Errorf("the stack is %s", f.Stack)
			}
			good(t, sim.Run(sim.Config{}, func(w *sim.World) { echo(w); client(w, "c1", func(p *sim.Process) { must(ping(dialed(p), "x")) }) }))
		})
	}
}

type injectorFunc func(sim.Upcoming) bool

func (f injectorFunc) Before(e sim.Upcoming) bool { return f(e) }

// TestFailureIsDeterministic: which of two panics of one step is reported does
// not depend on the scheduler.
func TestFailureIsDeterministic(t *testing.T) {
	reasons := map[string]bool{}
	for range 30 {
		r := sim.Run(sim.Config{}, func(w *sim.World) {
			client(w, "c1", func(p *sim.Process) {
				start := make(chan bool)
				for i := range 5 {
					p.Clock().AfterFunc(ms, func() { <-start; dawdle(); panic(fmt.Sprint("boom ", i)) })
				}
				p.Step("wait", 2*ms)
				close(start)
				p.Step("wait", ms)
			})
		})
		reasons[r.Failure.Reason] = true
	}
	if len(reasons) != 1 {
		t.Errorf("reported: %v", reasons)
	}
}

// TestLeaks: goroutines that never end are reported with their stacks, and
// later runs of the process are not disturbed.
func TestLeaks(t *testing.T) {
	leaks := map[string]func(*sim.Process){
		"on a channel": func(*sim.Process) { <-make(chan int) },
		"in a loop":    func(*sim.Process) { time.Sleep(24 * time.Hour) },
		"on a group":   func(*sim.Process) { var g sync.WaitGroup; g.Add(1); g.Wait() },
		"in steps": func(p *sim.Process) {
			for {
				p.Step("for ever", 100*ms)
			}
		},
		"in sleeps": func(p *sim.Process) {
			for {
				p.Clock().Sleep(100 * ms)
			}
		},
		"at a ticker": func(p *sim.Process) {
			for range p.Clock().NewTicker(100 * ms).Chan() {
			}
		},
		"dialing": func(p *sim.Process) {
			for {
				_, _ = dial(p, 0)
			}
		},
	}
	for name, leak := range leaks {
		t.Run(name, func(t *testing.T) {
			r := sim.Run(sim.Config{}, func(w *sim.World) {
				client(w, "c1", func(p *sim.Process) { go leak(p); p.Step("x", ms) })
			})
			f := r.Failure
			if f == nil || !f.Leaked {
				t.Fatalf("not reported as a leak: %+v", f)
			}
			if f.Reason != "deadlock: main bubble goroutine has exited but blocked goroutines remain" {
				t.Errorf("the reason is %s", f.Reason)
			}
			if !strings.Contains(f.Stack, "TestLeaks") || strings.Count(f.Stack, "goroutine ") > 4 {
				t.Errorf("the stacks are\n%s", f.Stack)
			}
			if r.EventCount == 0 || r.Hash == 0 {
				t.Error("the report does not cover what happened before")
			}
			one := run(t, randomTape(1), busy)
			same(t, "after a leak", one, run(t, randomTape(1), busy))
		})
	}
}

// TestDrain: when the run is over, whoever waits for anything is let go, and
// virtual time passes.
func TestDrain(t *testing.T) {
	never := func(w *sim.World) *sim.Actor { return w.NewActor("nobody") }
	tests := map[string]func(w *sim.World, p *sim.Process){
		"a step":   func(_ *sim.World, p *sim.Process) { p.Step("x", time.Hour) },
		"a sleep":  func(_ *sim.World, p *sim.Process) { p.Clock().Sleep(time.Hour) },
		"a timer":  func(_ *sim.World, p *sim.Process) { <-p.Clock().After(time.Hour) },
		"a ticker": func(_ *sim.World, p *sim.Process) { <-p.Clock().NewTicker(time.Hour).Chan() },
		"many ticks": func(_ *sim.World, p *sim.Process) {
			c := p.Clock().NewTicker(time.Second).Chan()
			waitOver(p)
			ticks(c, 5)
		},
		"time.Sleep": func(*sim.World, *sim.Process) { time.Sleep(2 * time.Minute) },
		"two dials":  func(_ *sim.World, p *sim.Process) { waitOver(p); _, _ = dial(p, 0); _, _ = dial(p, time.Second) },
		"dialing in vain": func(_ *sim.World, p *sim.Process) {
			for {
				if c, err := p.DialContext(context.Background(), "tcp", "10.0.1.8:7", 0); err == nil {
					c.Close()
					return
				}
				time.Sleep(time.Second)
			}
		},
		"a connection made too late": func(_ *sim.World, p *sim.Process) {
			waitOver(p)
			c, err := dial(p, 0)
			must(err)
			must(c.SetDeadline(time.Now().Add(time.Hour)))
			if _, err := c.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
				t.Errorf("a write: %v", err)
			}
			if _, err := c.Read(make([]byte, 1)); !errors.Is(err, net.ErrClosed) {
				t.Errorf("a read: %v", err)
			}
			must(c.Close())
		},
		"a later nap": func(_ *sim.World, p *sim.Process) { waitOver(p); p.Clock().Sleep(time.Hour); p.Step("x", time.Hour) },
		"a later timer": func(_ *sim.World, p *sim.Process) {
			waitOver(p)
			<-p.Clock().After(time.Hour)
			done := make(chan bool)
			p.Clock().AfterFunc(time.Hour, func() { close(done) })
			<-done
		},
		"a timer that is stopped": func(_ *sim.World, p *sim.Process) {
			waitOver(p)
			timer := p.Clock().NewTimer(time.Hour)
			if !timer.Stop() || timer.Reset(time.Hour) || !timer.Stop() {
				t.Error("Stop and Reset do not agree")
			}
		},
		"a mark":      func(_ *sim.World, p *sim.Process) { waitOver(p); p.Mark(0, "x", func(sim.Event) { t.Error("marked") }) },
		"a read":      func(_ *sim.World, p *sim.Process) { c := dialed(p); _, _ = c.Read(make([]byte, 1)) },
		"a late read": func(_ *sim.World, p *sim.Process) { c := dialed(p); waitOver(p); _, _ = c.Read(make([]byte, 1)) },
		"a dial": func(w *sim.World, p *sim.Process) {
			_, _ = p.DialContext(context.Background(), "tcp", "10.0.1.9:7", 0)
		},
		"a read of what was closed": func(_ *sim.World, p *sim.Process) {
			c := dialed(p)
			_, err := io.WriteString(c, "close")
			must(err)
			_, _ = c.Read(make([]byte, 1))
		},
		"behind a pause": func(w *sim.World, p *sim.Process) {
			p.Mark(0, "pause", func(sim.Event) { p.Pause(10 * time.Minute) })
			p.Step("x", 0)
		},
		"of a crashed process": func(w *sim.World, p *sim.Process) {
			timer := p.Clock().After(time.Hour)
			p.Mark(0, "crash", func(sim.Event) { p.Crash() })
			<-timer
			p.Step("x", 0)
		},
	}
	for name, f := range tests {
		t.Run(name, func(t *testing.T) {
			ended := false
			r := sim.Run(sim.Config{Horizon: time.Second}, func(w *sim.World) {
				never(w)
				var silent *sim.Actor
				p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
				silent = listen(w, handler{receive: func(c *sim.ServerConn, data []byte) {
					w.Network().Cut(silent, p.Actor) // what it says now is held for ever
					c.Close()
				}})
				// Where dials are neither accepted nor refused.
				hung := w.NewActor("hung")
				w.Network().Listen("10.0.1.9:7", hung, func(*sim.ServerConn) sim.Handler { return handler{} })
				w.Network().Cut(p.Actor, hung)
				p.Go(func() {
					f(w, p)
					ended = true
				})
				p.Go(func() { waitOver(p) })
			})
			if r.Failure != nil {
				t.Errorf("%s\n%s", r.Failure.Reason, r.Failure.Stack)
			}
			if !ended {
				t.Error("it was not let go")
			}
		})
	}
}

// waitOver waits until the run is over.
func waitOver(p *sim.Process) { <-p.Ended() }

func ticks(c <-chan time.Time, n int) {
	for range n {
		<-c
	}
}

// TestClosers: they run when the world drains, each in a goroutine of its own,
// and see it so.
func TestClosers(t *testing.T) {
	closed := 0
	r := run(t, nil, func(w *sim.World) {
		var p *sim.Process
		first := make(chan bool)
		w.OnEnd(func() { <-first; closed++ })
		w.OnEnd(func() {
			if !over(p) {
				t.Error("the run is not over")
			}
			e := w.Log(sim.Event{Kind: sim.EventNote, Actor: "c1"})
			if e.Seq != 0 {
				t.Error("something was logged in the drain")
			}
			closed++
			close(first)
		})
		p = client(w, "c1", func(p *sim.Process) {
			if over(p) {
				t.Error("the run is over already")
			}
		})
	})
	if closed != 2 {
		t.Errorf("%d closers ran", closed)
	}
	if r.EventCount != 1 {
		t.Error(list(r.Events))
	}
}

// TestDrainIsNoEvent: what is scheduled when the run has ended neither happens
// nor keeps the drain from ending.
func TestDrainIsNoEvent(t *testing.T) {
	run(t, nil, func(w *sim.World) {
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		var again func()
		again = func() {
			w.At(p.Actor, w.Now()+ms, sim.EventWork, sim.EventOptions{Gated: true}, func() {
				if over(p) {
					t.Error("it happens in the drain")
				}
				again()
			})
		}
		again()
		p.Go(func() { p.Step("x", 10*ms) })
	})
}

// TestInjectors: each is asked once for each event, in order, of events that
// are about to happen; one that strikes is given another look at nothing.
func TestInjectors(t *testing.T) {
	var asked []string
	run(t, nil, func(w *sim.World) {
		a := w.NewActor("a")
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		for i := range 2 {
			struck := false
			w.Inject(injectorFunc(func(e sim.Upcoming) bool {
				asked = append(asked, fmt.Sprint(i, " ", e.Kind, " ", e.Actor.Name(), " ", e.At.Round(ms)))
				if i == 0 && e.Kind == sim.EventStep && !struck {
					struck = true
					return p.Pause(5 * ms)
				}
				return false
			}))
		}
		p.Go(func() {})
		at(w, a, ms, func() { asked = append(asked, "happened") })
	})
	want := "0 step c1 0s, 0 fault a 1ms, 1 fault a 1ms, happened, 0 fault c1 5ms, 1 fault c1 5ms, 1 step c1 5ms"
	if got := strings.Join(asked, ", "); got != want {
		t.Errorf("asked %s\nwant  %s", got, want)
	}
}

// TestStrikeTakesAwayTheEvent: an injector may make the very event impossible
// that it was asked about.
func TestStrikeTakesAwayTheEvent(t *testing.T) {
	for n := range 8 {
		run(t, nil, func(w *sim.World) {
			server := echo(w)
			struck := false
			w.Inject(injectorFunc(func(e sim.Upcoming) bool {
				if n--; n < 0 && !struck {
					if conns := w.Network().Conns(server); len(conns) > 0 {
						struck = true
						conns[0].Reset(nil)
						return true
					}
				}
				return false
			}))
			client(w, "c1", func(p *sim.Process) { _ = ping(dialed(p), "x") })
		})
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

// TestTapePanics: a tape may end the run at any decision, and finds its own
// value in the report.
func TestTapePanics(t *testing.T) {
	type words struct{ said string }
	for last := 0; ; last++ {
		asked, enough := 0, &words{"enough"}
		random := randomTape(1)
		r := sim.Run(sim.Config{Tape: tapeFunc(func(d sim.Decision) int {
			if asked == last {
				panic(enough)
			}
			asked++
			return random.Choose(d)
		})}, busy)
		if asked == last && r.Failure == nil { // there is no such decision
			if last < 50 {
				t.Errorf("vacuous: %d decisions", last)
			}
			good(t, r)
			return
		}
		if r.Failure == nil || r.Failure.Panic != enough || r.Failure.Leaked {
			t.Fatalf("decision %d: %+v", last, r.Failure)
		}
	}
}
