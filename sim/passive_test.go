package sim_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
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
