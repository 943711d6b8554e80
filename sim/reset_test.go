package sim_test

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestBroken: the network breaks a connection that neither end has hung up. An end that has
// may still be on its way to the other.
func TestBroken(t *testing.T) {
	type event func(p *sim.Process, c *sim.ServerConn)
	for _, e := range []struct {
		name   string
		closes bool // the client does, at 5 ms
		first  event
		want   bool
	}{
		{"open", false, func(*sim.Process, *sim.ServerConn) {}, true},
		{"closed by the client", true, func(*sim.Process, *sim.ServerConn) {}, false},
		{"closed by the server", false, func(_ *sim.Process, c *sim.ServerConn) { c.Close() }, false},
		{"the client is killed", false, func(p *sim.Process, _ *sim.ServerConn) { p.Kill() }, false},
		{"closed in a pause", true, func(p *sim.Process, _ *sim.ServerConn) { p.Pause(10 * ms) }, true},
	} {
		t.Run(e.name, func(t *testing.T) {
			var end *sim.ServerConn
			run(t, nil, func(w *sim.World) {
				w.Network().SetLink(sim.Link{Base: ms})
				a := w.NewActor("server")
				w.Network().Listen(address, a, func(c *sim.ServerConn) sim.Handler {
					end = c
					return handler{conn: c}
				})
				p := client(w, "c1", func(p *sim.Process) {
					c := dialed(p)
					sleepUntil(5 * ms)
					if e.closes {
						must(c.Close())
					}
				})
				faults := w.NewActor("faults")
				at(w, faults, 4500*us, func() { e.first(p, end) })
				at(w, faults, 5300*us, func() {
					for _, c := range w.Network().Conns(a) {
						c.Reset(nil)
					}
				})
			})
			if end.Broken() != e.want {
				t.Errorf("broken: %v, want %v", end.Broken(), e.want)
			}
		})
	}
}

// TestEndBeforeAccept: a connection that has ended when its dialer goes on is there for the goroutine that uses it in that
// step, before a goroutine that reads from it learns of the end. Then others get their turns.
func TestEndBeforeAccept(t *testing.T) {
	for _, e := range []struct {
		name    string
		pause   time.Duration // from 1.5 ms on; the server's word that it has accepted arrives at 2 ms
		reset   time.Duration
		arrives time.Duration // how long the reset is on its way
	}{
		{"the end overtakes", 0, 1500 * us, 20 * us},
		{"both arrive in a pause", 5 * ms, 2500 * us, ms},
	} {
		t.Run(e.name, func(t *testing.T) {
			for i := range 12 {
				if got := orderAtTheEnd(t, e.pause, e.reset, e.arrives); got != "user, reader: reset, turn" {
					t.Fatalf("run %d: they went on in the order %s", i, got)
				}
			}
		})
	}
}

// orderAtTheEnd returns the order in which three goroutines go on: the user of a new connection, a reader from it, and one
// that awaits its turn.
func orderAtTheEnd(t *testing.T, pause, reset, arrives time.Duration) string {
	order := new(turns)
	run(t, nil, func(w *sim.World) {
		n := w.Network()
		n.SetLink(sim.Link{Base: ms})
		a := listen(w, handler{})
		c1 := client(w, "c1", func(p *sim.Process) {
			c := dialed(p)
			order.all.Go(func() {
				_, err := c.Read(make([]byte, 1))
				order.take("reader: " + outcome(err))
			})
			order.all.Go(func() {
				dawdle()
				p.AwaitTurnFor("pool", "pool")
				order.take("turn")
			})
			dawdle()
			order.take("user")
			order.all.Wait()
		})
		faults := w.NewActor("faults")
		if pause > 0 {
			at(w, faults, 1500*us, func() { c1.Pause(pause) })
		}
		at(w, faults, reset, func() {
			n.SetLink(sim.Link{Base: arrives})
			for _, c := range n.Conns(a) {
				c.Reset(nil)
			}
		})
	})
	return strings.Join(order.list, ", ")
}

// TestAwaitTurnAnyway: a goroutine that alone uses a resource goes on after the library's goroutines of the step.
func TestAwaitTurnAnyway(t *testing.T) {
	for i := range 12 {
		order := new(turns)
		r := run(t, nil, func(w *sim.World) {
			client(w, "c1", func(p *sim.Process) {
				p.AwaitTurnAnyway("pool", "pool")
				<-time.After(10 * ms)
				order.all.Go(func() { order.take("library") })
				p.AwaitTurnAnyway("pool", "pool")
				order.take("user")
				order.all.Wait()
			})
		})
		if got := strings.Join(order.list, " "); got != "library user" || strings.Contains(list(r.Events), "goes on") {
			t.Fatalf("run %d: they went on in the order %s, by\n%s", i, got, list(r.Events))
		}
	}
}
