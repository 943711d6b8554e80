package sim_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// A server that works on one request at a time answers those that come together one after
// another; what it gets when it is idle does not wait.
func TestServe(t *testing.T) {
	const travel, work = 200 * us, ms
	var answered []time.Duration
	sim.Run(sim.Config{}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: travel})
		var server *sim.Actor
		server = listen(w, handler{receive: func(c *sim.ServerConn, data []byte) {
			server.Serve(work)
			c.Send(0, data, nil)
		}})
		for i, rest := range []time.Duration{5 * ms, 5 * ms, 5 * ms, 25 * ms} {
			client(w, fmt.Sprint("c", i), func(p *sim.Process) {
				c := dialed(p)
				p.Step("rest", rest)
				_, err := c.Write([]byte("x"))
				must(err)
				_, err = c.Read(make([]byte, 1))
				must(err)
				p.Mark(0, "answered", func(e sim.Event) { answered = append(answered, e.At-2*travel) })
			})
		}
	})
	slices.Sort(answered)
	const dial = 2 * travel
	want := []time.Duration{dial + 5*ms + work, dial + 5*ms + 2*work, dial + 5*ms + 3*work, dial + 25*ms + work}
	if !slices.Equal(answered, want) {
		t.Errorf("answers left the server at %v, want %v", answered, want)
	}
}

// What an actor propagates waits for its work as well, and keeps its order.
func TestServeBeforePropagate(t *testing.T) {
	var arrived []time.Duration
	sim.Run(sim.Config{}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: ms})
		from, to := w.NewActor("from"), w.NewActor("to")
		lane := w.Network().NewLane()
		arrive := func(time.Duration, bool) { arrived = append(arrived, w.Now()) }
		w.At(from, ms, sim.EventWork, sim.EventOptions{Vital: true}, func() {
			w.Network().Propagate(from, to, lane, 0, arrive)
			from.Serve(5 * ms)
			w.Network().Propagate(from, to, lane, 0, arrive)
			from.Serve(5 * ms)
			w.Network().Propagate(from, to, lane, 0, arrive)
		})
	})
	if want := []time.Duration{2 * ms, 7 * ms, 12 * ms}; !slices.Equal(arrived, want) {
		t.Errorf("messages arrived at %v, want %v", arrived, want)
	}
}

// The latencies of a link with a distribution are its quantiles, as the tape chooses them.
func TestQuantile(t *testing.T) {
	const quantileSteps = 1 << 16
	for name, test := range map[string]struct {
		option int
		want   time.Duration
	}{
		"the least": {0, 0},
		"a half":    {quantileSteps / 2, 500 * ms},
		"the most":  {quantileSteps - 1, 999980 * us},
	} {
		var travelled time.Duration
		sim.Run(sim.Config{Tape: tapeFunc(func(d sim.Decision) int {
			if d.Kind != sim.Latency {
				return 0
			}
			if d.Options != quantileSteps {
				t.Errorf("a latency has %d options, want %d", d.Options, quantileSteps)
			}
			return test.option
		})}, func(w *sim.World) {
			w.Network().SetLink(sim.Link{Base: time.Hour, Quantile: func(q float64) time.Duration {
				if q <= 0 || q >= 1 {
					t.Errorf("asked for the quantile of %v", q)
				}
				return time.Duration(q * float64(time.Second)).Truncate(window)
			}})
			from, to := w.NewActor("from"), w.NewActor("to")
			w.At(from, 0, sim.EventWork, sim.EventOptions{Vital: true}, func() {
				w.Network().Propagate(from, to, w.Network().NewLane(), 0, func(time.Duration, bool) { travelled = w.Now() })
			})
		})
		if travelled != test.want {
			t.Errorf("%s: a message travels for %v, want %v", name, travelled, test.want)
		}
	}
}

// Whoever asks is told of each segment that arrives, at the server and at the client.
func TestOnReceive(t *testing.T) {
	var at []string
	sim.Run(sim.Config{}, func(w *sim.World) {
		w.Network().OnReceive(func(a *sim.Actor) { at = append(at, a.Name()) })
		listen(w, handler{receive: func(c *sim.ServerConn, data []byte) { c.Send(0, data, nil) }})
		client(w, "c1", func(p *sim.Process) {
			c := dialed(p)
			_, err := c.Write([]byte("x"))
			must(err)
			_, err = c.Read(make([]byte, 1))
			must(err)
			must(c.Close())
		})
	})
	if want := []string{"server", "c1"}; !slices.Equal(at, want) {
		t.Errorf("segments arrived at %v, want %v", at, want)
	}
}
