package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestCutIsOneWay: a cut holds what comes its way, and only that.
func TestCutIsOneWay(t *testing.T) {
	const heal = 10 * ms
	for _, test := range []struct {
		up, down               bool
		serverHeld, clientHeld bool
	}{
		{false, false, false, false},
		{true, false, true, true}, // no request, no answer
		{false, true, false, true},
		{true, true, true, true},
	} {
		var executed, answered time.Duration
		run(t, nil, func(w *sim.World) {
			server := listen(w, handler{receive: func(c *sim.ServerConn, data []byte) {
				executed = w.Now()
				c.Send(0, data, nil)
			}})
			p := client(w, "c1", func(p *sim.Process) {
				c := dialed(p)
				p.Step("wait", ms)
				must(ping(c, "hello"))
				answered = since()
			})
			faults, n := w.NewActor("faults"), w.Network()
			if test.up {
				at(w, faults, ms, func() { n.Cut(p.Actor, server) })
			}
			if test.down {
				at(w, faults, ms, func() { n.Cut(server, p.Actor) })
			}
			at(w, faults, heal, func() { n.Heal(p.Actor, server) })
			at(w, faults, heal+10*us, func() { n.Heal(server, p.Actor) })
		})
		if held := executed > heal; held != test.serverHeld || executed > heal+ms {
			t.Errorf("%+v: executed at %v", test, executed)
		}
		if held := answered > heal; held != test.clientHeld || answered > heal+ms {
			t.Errorf("%+v: answered at %v", test, answered)
		}
	}
}

// upstream plays what happens to segments on their way to a server, sent a
// millisecond apart from time zero, and returns the order in which they came.
// Those of late are held back by as much.
func upstream(t *testing.T, segments int, late map[int]time.Duration, play func(w *sim.World, p *sim.Process, server, faults *sim.Actor)) (order []string, r sim.Report) {
	t.Helper()
	classes := []time.Duration{0}
	tape := tapeFunc(func(d sim.Decision) int {
		for i, of := range late {
			if d.ID() == fmt.Sprintf("delay/c1#%d", 1+i) { // 0 is the connection attempt
				return slices.Index(classes, of)
			}
		}
		return 0
	})
	r = run(t, tape, func(w *sim.World) {
		for i := range segments {
			if d := late[i]; d > 0 && !slices.Contains(classes, d) {
				classes = append(classes, d)
			}
		}
		w.Network().SetLink(sim.Link{Base: 200 * us, Late: []sim.Lateness{{By: classes[1:], Budget: len(classes)}}})
		server := listen(w, handler{receive: func(_ *sim.ServerConn, data []byte) {
			order = append(order, fmt.Sprintf("%s@%d", data, w.Now().Round(ms)/ms))
		}})
		p := client(w, "c1", func(p *sim.Process) {
			c := dialed(p)
			for i := range segments {
				sleepUntil(time.Duration(i+1) * ms)
				_, err := fmt.Fprint(c, i)
				must(err)
			}
		})
		play(w, p, server, w.NewActor("faults"))
	})
	return order, r
}

func TestHealing(t *testing.T) {
	cut := func(w *sim.World, p *sim.Process, server *sim.Actor) func() {
		return func() { w.Network().Cut(p.Actor, server) }
	}
	heal := func(w *sim.World, p *sim.Process, server *sim.Actor) func() {
		return func() { w.Network().Heal(p.Actor, server) }
	}
	tests := []struct {
		name string
		late map[int]time.Duration
		play func(w *sim.World, p *sim.Process, server, faults *sim.Actor)
		want string
		last time.Duration // when the run ends
	}{
		{"held", nil, func(w *sim.World, p *sim.Process, s, f *sim.Actor) {
			at(w, f, ms+500*us, cut(w, p, s))
			at(w, f, 10*ms, heal(w, p, s))
		}, "0@1 1@10 2@10", 11 * ms},
		{"what is under way comes behind what was held", map[int]time.Duration{2: 20 * ms}, func(w *sim.World, p *sim.Process, s, f *sim.Actor) {
			at(w, f, 500*us, cut(w, p, s))
			at(w, f, 10*ms, heal(w, p, s))
		}, "0@10 1@10 2@23", 24 * ms},
		{"what is under way arrives right after the healing", map[int]time.Duration{2: 7 * ms}, func(w *sim.World, p *sim.Process, s, f *sim.Actor) {
			at(w, f, 500*us, cut(w, p, s))
			at(w, f, 10*ms+100*us, heal(w, p, s)) // 2 would arrive at 10.2 ms, 0 does at 10.3
		}, "0@10 1@10 2@10", 11 * ms},
		{"cut again before it arrives", nil, func(w *sim.World, p *sim.Process, s, f *sim.Actor) {
			at(w, f, 500*us, cut(w, p, s))
			at(w, f, 2*ms+500*us, heal(w, p, s))
			at(w, f, 2*ms+600*us, cut(w, p, s))
			at(w, f, 10*ms, heal(w, p, s))
		}, "0@10 1@10 2@10", 11 * ms},
		{"never healed", nil, func(w *sim.World, p *sim.Process, s, f *sim.Actor) {
			at(w, f, ms+500*us, cut(w, p, s))
		}, "0@1", 4 * ms},
		{"reset while it is held", nil, func(w *sim.World, p *sim.Process, s, f *sim.Actor) {
			at(w, f, ms+500*us, cut(w, p, s))
			at(w, f, 5*ms, func() { w.Network().Conns(s)[0].Reset(nil) })
			at(w, f, 10*ms, heal(w, p, s))
		}, "0@1", 11 * ms},
		{"crashed while it is held", nil, func(w *sim.World, p *sim.Process, s, f *sim.Actor) {
			at(w, f, ms+500*us, cut(w, p, s))
			at(w, f, 5*ms, func() { w.Network().Crash(s) })
			at(w, f, 10*ms, heal(w, p, s))
		}, "0@1", 11 * ms},
		{"the sender crashed", nil, func(w *sim.World, p *sim.Process, s, f *sim.Actor) {
			at(w, f, ms+500*us, cut(w, p, s))
			at(w, f, 5*ms, func() { p.Crash() })
			at(w, f, 10*ms, heal(w, p, s))
		}, "0@1", 11 * ms},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			order, r := upstream(t, 3, test.late, test.play)
			if got := strings.Join(order, " "); got != test.want {
				t.Errorf("arrived: %s, want %s\n%s", got, test.want, list(r.Events))
			}
			if r.Simulated > test.last {
				t.Errorf("the run ended at %v, later than %v", r.Simulated, test.last)
			}
		})
	}
}

// TestCutHoldsMessages: what is no connection is held, too.
func TestCutHoldsMessages(t *testing.T) {
	var arrived []string
	run(t, nil, func(w *sim.World) {
		n := w.Network()
		a, b := w.NewActor("a"), w.NewActor("b")
		lane, due := n.NewLane(), time.Duration(0)
		send := func(word string) {
			due = n.Propagate(a, b, lane, due, func(sent time.Duration, late bool) {
				arrived = append(arrived, fmt.Sprint(word, " ", sent.Round(ms), " ", w.Now().Round(ms), " ", late))
			})
		}
		at(w, a, ms, func() { n.Cut(a, b); send("one") })
		at(w, a, 2*ms, func() { send("two") })
		at(w, a, 5*ms, func() { n.Heal(a, b); send("three") })
	})
	if want := []string{"one 1ms 5ms false", "two 2ms 5ms false", "three 5ms 5ms false"}; !slices.Equal(arrived, want) {
		t.Errorf("arrived %q", arrived)
	}
}
