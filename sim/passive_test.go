package sim_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/internal/goruntime"
)

// TestPassive: whoever is woken finds package time where virtual time is, whatever has happened to a
// passive server since it last passed, and timers of package time fire in between. A run is the same
// with a server that is not passive.
func TestPassive(t *testing.T) {
	play := func(passive bool) (report sim.Report, seen []string) {
		report = run(t, nil, func(w *sim.World) {
			begin := time.Now()
			server := w.NewActor("server")
			if passive {
				server.Passive()
			}
			w.Network().Listen("10.0.1.1:1", server, func(c *sim.ServerConn) sim.Handler { return &slowEcho{w: w, a: server, c: c} })
			for _, name := range []string{"c1", "c2"} {
				var was time.Time
				p := client(w, name, func(p *sim.Process) {
					mark := func(what string) {
						real, virtual := time.Since(begin).Truncate(window), p.Clock().Since(was)
						if real != virtual {
							t.Errorf("%s %s: package time is at %v, virtual time at %v", name, what, real, virtual)
						}
						p.Mark(0, what, func(e sim.Event) { seen = append(seen, fmt.Sprint(name, what, e.At, virtual)) })
					}
					c, err := p.DialContext(context.Background(), "tcp", "10.0.1.1:1", 0)
					must(err)
					for range 3 {
						must2(c.Write([]byte("x")))
						must2(c.Read(make([]byte, 1)))
						mark("has read")
						time.Sleep(1700 * us) // while the other's request is under way
						mark("has slept")
					}
				})
				was = p.Clock().Now()
			}
		})
		return report, seen
	}
	one, seen := play(true)
	other, same := play(false)
	if one.Hash != other.Hash || !slices.Equal(seen, same) || len(seen) != 12 {
		t.Errorf("hash %x with\n%q\nand hash %x with\n%q", one.Hash, seen, other.Hash, same)
	}
}

// hasty is an injector that wakes a goroutine when an event of a server is due for the third time, and may log that before.
type hasty struct {
	w     *sim.World
	wake  chan struct{}
	logs  bool
	asked int
}

func (h *hasty) Before(e sim.Upcoming) bool {
	if e.Kind != sim.EventWork {
		return false
	}
	if h.asked++; h.asked != 3 {
		return false
	}
	if h.logs {
		h.w.Strike(e.Actor, sim.Fault{Kind: sim.FaultPause})
	}
	close(h.wake)
	return true
}

// TestWokenEarly: an injector that wakes a goroutine before it has logged its fault fails the run, where package time
// may be behind.
func TestWokenEarly(t *testing.T) {
	for _, logs := range []bool{true, false} {
		behind := false
		report := sim.Run(sim.Config{Tape: sim.Calm{}}, func(w *sim.World) {
			_, behind = goruntime.NextTimer()
			server := w.NewActor("server")
			server.Passive()
			w.Network().Listen("10.0.1.1:1", server, func(c *sim.ServerConn) sim.Handler { return &slowEcho{w: w, a: server, c: c} })
			wake := make(chan struct{})
			w.Inject(&hasty{w: w, wake: wake, logs: logs})
			client(w, "c1", func(p *sim.Process) {
				go func() { <-wake }()
				c, err := p.DialContext(context.Background(), "tcp", "10.0.1.1:1", 0)
				must(err)
				must2(c.Write([]byte("x")))
				must2(c.Read(make([]byte, 1)))
			})
		})
		if fails := report.Failure != nil; fails != (behind && !logs) {
			t.Errorf("it logs %t, package time may be behind %t: %v", logs, behind, report.Failure)
		}
	}
}

// slowEcho answers what comes a few events of its own later.
type slowEcho struct {
	w *sim.World
	a *sim.Actor
	c *sim.ServerConn
}

func (e *slowEcho) Receive(data []byte, t *sim.Task) {
	left := 5
	var work func()
	work = func() {
		if left--; left > 0 {
			e.w.At(e.a, e.w.Now()+200*us, sim.EventWork, sim.EventOptions{}, work)
			return
		}
		e.c.Send(0, data, t)
	}
	work()
}

func (e *slowEcho) Gone() {}
