package sim_test

import (
	"fmt"
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
