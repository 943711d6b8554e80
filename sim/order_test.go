package sim_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestPermutations: order decisions reach every order of arrivals that are
// due together, each by one tape, and no order that a FIFO forbids.
func TestPermutations(t *testing.T) {
	tests := []struct {
		name  string
		lanes []int // how many messages each carries
		want  int
	}{
		{"one", []int{1}, 1},
		{"two", []int{1, 1}, 2},
		{"four", []int{1, 1, 1, 1}, 24},
		{"one lane of three", []int{3}, 1},
		{"two lanes of two", []int{2, 2}, 6},
		{"lanes of three, two and one", []int{3, 2, 1}, 60},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			seen := map[string]bool{}
			n := every(sim.Order, func(tape sim.Tape) {
				var order []string
				run(t, tape, func(w *sim.World) {
					receiver := w.NewActor("receiver")
					for i, messages := range test.lanes {
						sender, lane, due := w.NewActor(fmt.Sprint("s", i)), w.Network().NewLane(), time.Duration(0)
						for j := range messages {
							due = w.Network().Propagate(sender, receiver, lane, due, func(time.Duration, bool) {
								order = append(order, fmt.Sprintf("%c%d", 'a'+i, j))
							})
						}
					}
				})
				text := strings.Join(order, " ")
				for i := range test.lanes {
					mine := slices.DeleteFunc(slices.Clone(order), func(s string) bool { return s[0] != byte('a'+i) })
					if !slices.IsSorted(mine) {
						t.Errorf("a message overtook another: %s", text)
					}
				}
				seen[text] = true
			})
			if n != test.want || len(seen) != test.want {
				t.Errorf("%d tapes made %d orders, want %d", n, len(seen), test.want)
			}
		})
	}
}

// TestPermutationsOfConnections is the same with real connections.
func TestPermutationsOfConnections(t *testing.T) {
	seen := map[string]bool{}
	every(sim.Order, func(tape sim.Tape) {
		var order []string
		run(t, tape, func(w *sim.World) {
			listen(w, handler{receive: func(c *sim.ServerConn, data []byte) { order = append(order, string(data)) }})
			for i := range 3 {
				client(w, fmt.Sprint("c", i), func(p *sim.Process) {
					sleepUntil(time.Duration(i) * ms)
					c := dialed(p)
					sleepUntil(10 * ms) // all at once
					_, err := fmt.Fprint(c, i)
					must(err)
				})
			}
		})
		seen[strings.Join(order, "")] = true
	})
	if len(seen) != 6 {
		t.Errorf("three requests arrived in %d different orders: %v", len(seen), seen)
	}
}

var epoch = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// TestWindow: events come with the first window that begins when they are due,
// whatever is chosen, and an order decision is asked if, and only if, several
// come together.
func TestWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		// Few enough for any window: there is a microsecond for each event.
		dues := rapid.SliceOfN(rapid.IntRange(1, 60), 1, 12).Draw(t, "microseconds")
		window := time.Duration(rapid.IntRange(15, 40).Draw(t, "window")) * us
		var asked int
		rng := randomTape(rapid.Uint64().Draw(t, "seed"))
		tape := tapeFunc(func(d sim.Decision) int {
			if d.Kind == sim.Order {
				asked++
			}
			return rng.Choose(d)
		})
		fired := map[int]time.Duration{}
		r := sim.Run(sim.Config{Tape: tape, Window: window}, func(w *sim.World) {
			actors := []*sim.Actor{w.NewActor("a"), w.NewActor("b"), w.NewActor("c")}
			for i, due := range dues {
				at(w, actors[i%len(actors)], time.Duration(due)*us, func() { fired[i] = w.Now() })
			}
		})
		good(t, r)
		together := map[time.Duration]int{}
		for i, due := range dues {
			want := (time.Duration(due)*us + window - 1) / window * window
			if fired[i] != want {
				t.Fatalf("due at %d us, fired at %v, want %v", due, fired[i], want)
			}
			together[want]++
		}
		if want := len(dues) - len(together); asked != want {
			t.Fatalf("%d order decisions about %v, want %d", asked, together, want)
		}
	})
}

// TestCrowdedWindow: a window that has more events than microseconds is late,
// and nothing is lost or early.
func TestCrowdedWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(t, "events")
		window := time.Duration(rapid.IntRange(1, 40).Draw(t, "window")) * us
		fired := 0
		r := sim.Run(sim.Config{Tape: randomTape(rapid.Uint64().Draw(t, "seed")), Window: window}, func(w *sim.World) {
			a := w.NewActor("a")
			last := time.Duration(0)
			for range n {
				at(w, a, window, func() {
					fired++
					if now := w.Now(); now < max(window, last) || now > window+time.Duration(n)*us || now%window != 0 {
						t.Fatalf("due at %v, fired at %v, after %v", window, now, last)
					}
					last = w.Now()
				})
			}
		})
		good(t, r)
		if fired != n {
			t.Fatalf("%d of %d events", fired, n)
		}
	})
}

// strikes is an injector that claims to have struck, now and then, so that
// the conductor looks at the event again.
type strikes struct {
	w *sim.World
	a *sim.Actor
}

func (s strikes) Before(sim.Upcoming) bool {
	return s.w.Choose(sim.Decision{Kind: "fault:none", Actor: s.a.Name(), Options: 2}) == 1
}

// TestLanesAreFIFO: whatever is chosen, whatever strikes, in a crowd.
func TestLanesAreFIFO(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type message struct{ Lane, Gap int }
		messages := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) message {
			return message{rapid.IntRange(0, 2).Draw(t, "lane"), rapid.IntRange(0, 1).Draw(t, "gap")}
		}), 1, 30).Draw(t, "messages")
		var sent, arrived [3][]int
		run(t, randomTape(rapid.Uint64().Draw(t, "seed")), func(w *sim.World) {
			n := w.Network()
			n.SetLink(sim.Link{Base: 10 * us, Jitter: 3 * us})
			w.Inject(strikes{w, w.NewActor("strikes")})
			sender, receiver := w.NewActor("sender"), w.NewActor("receiver")
			lanes := []int64{n.NewLane(), n.NewLane(), n.NewLane()}
			dues := make([]time.Duration, len(lanes))
			now := time.Duration(0)
			for i, m := range messages {
				now += time.Duration(m.Gap) * us
				at(w, sender, now, func() {
					sent[m.Lane] = append(sent[m.Lane], i)
					dues[m.Lane] = n.Propagate(sender, receiver, lanes[m.Lane], dues[m.Lane], func(sent time.Duration, _ bool) {
						if w.Now() < sent+10*us {
							t.Fatalf("sent at %v, arrived at %v", sent, w.Now())
						}
						arrived[m.Lane] = append(arrived[m.Lane], i)
					})
				})
			}
		})
		for lane := range sent {
			if !slices.Equal(sent[lane], arrived[lane]) {
				t.Fatalf("lane %d: sent %v, arrived %v", lane, sent[lane], arrived[lane])
			}
		}
	})
}

// choosing is calm but in one window, where it takes the given options.
func choosing(w **sim.World, at time.Duration, options ...int) sim.Tape {
	return tapeFunc(func(d sim.Decision) int {
		if d.Kind != sim.Order || (*w).Now() != at || len(options) == 0 {
			return 0
		}
		option := options[0]
		options = options[1:]
		return option
	})
}

// arrivals plays a story with two servers and lists what happens to the client
// in the calm order, when the servers' events of one window come in either.
func arrivals(t *testing.T, together time.Duration, setUp func(w *sim.World)) (lists [2]string) {
	for first := range lists {
		var w *sim.World
		var order []string
		r := run(t, choosing(&w, together, first), func(world *sim.World) {
			w = world
			setUp(w)
		})
		for _, e := range r.Events {
			switch {
			case e.At == together:
				order = append(order, e.Actor)
			case e.Actor == "c1" && e.At > together:
				lists[first] += fmt.Sprintln(e.At, e.Kind, e.Peer, string(e.Payload))
			}
		}
		if want := []string{"server0", "server1"}; order[first] != want[0] || order[1-first] != want[1] {
			t.Errorf("option %d: the servers' order is %v", first, order)
		}
	}
	return lists
}

// TestTies: in which order two servers acted leaves no mark on the calm order
// of what they have sent to one client: their answers, or resets.
func TestTies(t *testing.T) {
	twoServers := func(w *sim.World, h handler, f func(p *sim.Process, a, b net.Conn)) {
		addresses := []string{"10.0.1.1:7", "10.0.1.2:7"}
		for i, address := range addresses {
			w.Network().Listen(address, w.NewActor(fmt.Sprint("server", i)), func(c *sim.ServerConn) sim.Handler {
				return handler{conn: c, receive: h.receive}
			})
		}
		client(w, "c1", func(p *sim.Process) {
			var conns [2]net.Conn
			for i, address := range addresses {
				var err error
				conns[i], err = p.DialContext(context.Background(), "tcp", address, 0)
				must(err)
			}
			sleepUntil(9990 * us)
			p.Step("now", 10*us)
			f(p, conns[0], conns[1])
		})
	}
	send := func(_ *sim.Process, a, b net.Conn) {
		must2(b.Write([]byte("b")))
		must2(a.Write([]byte("a")))
	}
	read := func(p *sim.Process, a, b net.Conn) {
		send(p, a, b)
		readAll(a)
		readAll(b)
	}
	for name, setUp := range map[string]func(w *sim.World){
		"answers": func(w *sim.World) {
			twoServers(w, handler{receive: func(c *sim.ServerConn, data []byte) {
				c.Send(0, data, nil)
				c.Close()
			}}, read)
		},
		"resets": func(w *sim.World) {
			twoServers(w, handler{receive: func(c *sim.ServerConn, data []byte) {
				if len(data) > 1 {
					c.Close()
				}
			}}, func(p *sim.Process, a, b net.Conn) {
				must2(a.Write([]byte("close")))
				must2(b.Write([]byte("close")))
				p.Step("wait", ms)
				read(p, a, b)
			})
		},
		"work for another": func(w *sim.World) {
			other := w.NewActor("c1")
			for i := range 2 {
				server := w.NewActor(fmt.Sprint("server", i))
				w.At(server, 20*ms, sim.EventWork, sim.EventOptions{Vital: true}, func() {
					w.Log(sim.Event{Kind: sim.EventWork, Actor: server.Name()})
					w.At(other, 30*ms, sim.EventWork, sim.EventOptions{Vital: true}, func() {
						w.Log(sim.Event{Kind: sim.EventWork, Actor: other.Name(), Peer: server.Name()})
					})
				})
			}
		},
	} {
		together := map[string]time.Duration{"answers": 10200 * us, "resets": 11200 * us, "work for another": 20 * ms}[name]
		if lists := arrivals(t, together, setUp); lists[0] != lists[1] || strings.Count(lists[0], "\n") < 2 {
			t.Errorf("%s:\n%s\nor\n%s", name, lists[0], lists[1])
		}
	}
}

// TestOneOption: where a FIFO leaves no choice there is no junction either, and
// junctions name the decision that they are.
func TestOneOption(t *testing.T) {
	r := trailed(t, randomTape(1), func(w *sim.World) {
		n, a, b := w.Network(), w.NewActor("a"), w.NewActor("b")
		lane, other := n.NewLane(), n.NewLane()
		for range 3 {
			n.Propagate(a, b, lane, 0, func(time.Duration, bool) {})
		}
		n.Propagate(a, b, other, 0, func(time.Duration, bool) {})
	})
	var orders []int
	for i, c := range r.Choices {
		if c.Kind == sim.Order {
			orders = append(orders, i)
		}
	}
	if len(orders) == 0 || len(orders) != len(r.Trail.Junctions) {
		t.Fatalf("%d junctions, for %d choices", len(r.Trail.Junctions), len(orders))
	}
	for i, j := range r.Trail.Junctions {
		chosen := r.Choices[j.Decision]
		if j.Decision != orders[i] || chosen.Options != len(j.Ready) || r.Trail.Steps[j.Step].Serial != j.Ready[chosen.Option] {
			t.Errorf("junction %+v is decision %+v", j, chosen)
		}
	}
}
