package sim_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

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
			w.GatedAt(p, w.Now()+ms, false, func() {
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

// TestDrainTime: a goroutine may go on for as long as the drain takes, on its process's clock or
// on package time's; one that goes on for longer has leaked, and the report says for how long.
func TestDrainTime(t *testing.T) {
	bounded := func(bound time.Duration) func(p *sim.Process) {
		return func(p *sim.Process) {
			for end := p.Clock().Now().Add(bound); p.Clock().Now().Before(end); {
				p.Clock().Sleep(time.Second)
			}
		}
	}
	for _, test := range []struct {
		name  string
		drain time.Duration
		goOn  func(p *sim.Process)
		leaks string
	}{
		{"bounded", 0, bounded(4 * time.Minute), ""},
		{"bounded, for too long", 0, bounded(6 * time.Minute), "some goroutines had not ended 5m0s of virtual time after the run"},
		{"bounded, in a longer drain", 10 * time.Minute, bounded(6 * time.Minute), ""},
		{"bounded, in a shorter drain", time.Minute, bounded(5 * time.Minute), "some goroutines had not ended 1m0s of virtual time after the run"},
		{"package time", 10 * time.Minute, func(*sim.Process) { time.Sleep(9 * time.Minute) }, ""},
		{"endless", 10 * time.Minute, bounded(1000 * time.Hour), "some goroutines had not ended 10m0s of virtual time after the run"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := sim.Run(sim.Config{Drain: test.drain}, func(w *sim.World) {
				client(w, "c1", func(p *sim.Process) {
					go func() { waitOver(p); test.goOn(p) }()
					p.Step("x", ms)
				})
			})
			got := ""
			if r.Failure != nil {
				got = r.Failure.Reason
			}
			if got != test.leaks || r.Failure != nil && !r.Failure.Leaked {
				t.Errorf("%+v, want %q", r.Failure, test.leaks)
			}
		})
	}
}
