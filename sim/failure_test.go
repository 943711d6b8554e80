package sim_test

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

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
		}, "", `panic: sim: a decision for "nobody": there is no such actor`},
		{"two actors of a name", nil, func(w *sim.World) { w.NewActor("a"); w.NewActor("a") }, "", `panic: sim: two actors named "a"`},
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
			if f.Reason != "some goroutines had not ended 5m0s of virtual time after the run" {
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
