package sim_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestLateOneWay: only the segments that a way of being late is about can be
// late in it, and are asked about under its name; each way has its own budget.
func TestLateOneWay(t *testing.T) {
	up := sim.Lateness{
		Kind: "fault:up", By: []time.Duration{7 * ms}, Budget: 2,
		Of: func(from, to *sim.Actor) bool { return to != nil && to.Name() == "server" },
	}
	down := sim.Lateness{
		Kind: "fault:down", By: []time.Duration{9 * ms}, Budget: 1,
		Of: func(from, to *sim.Actor) bool { return from.Name() == "server" },
	}
	for _, test := range []struct {
		late []sim.Lateness
		want string // who was late, by how much
	}{
		{nil, ""},
		{[]sim.Lateness{up}, "c1 7ms, c1 7ms"},
		{[]sim.Lateness{down}, "server 9ms"},
		{[]sim.Lateness{up, down}, "c1 7ms, server 9ms, c1 7ms"},
		{[]sim.Lateness{{By: []time.Duration{ms}, Budget: 1}, down}, "c1 1ms, server 9ms"},
		{[]sim.Lateness{down, {By: []time.Duration{ms}, Budget: 9, Of: down.Of}}, "server 9ms, server 1ms"},
	} {
		link := sim.Link{Base: 200 * us, Late: slices.Clone(test.late)}
		var got []string
		r := run(t, tapeFunc(func(d sim.Decision) int { return min(1, d.Options-1) }), func(w *sim.World) {
			w.Network().SetLink(link)
			w.OnFault(func(f sim.Fault) { got = append(got, fmt.Sprint(f.Actor, " ", f.For)) })
			echo(w)
			client(w, "c1", func(p *sim.Process) { must(ping(dialed(p), "x")) })
		})
		if s := strings.Join(got, ", "); s != test.want {
			t.Errorf("late were %q, want %q", s, test.want)
		}
		for _, c := range r.Choices {
			if of := c.Actor == "server"; c.Kind == up.Kind && of || c.Kind == down.Kind && !of {
				t.Errorf("asked: %s", c.ID())
			}
		}
		for i := range link.Late {
			if link.Late[i].Budget != test.late[i].Budget {
				t.Error("the caller's budget was used up")
			}
		}
	}
}

// TestKill: what a killed process has sent arrives, and the end of its
// connection behind it; what is on its way to it is lost. A crash loses both.
func TestKill(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(*sim.Process)
		got  string
	}{
		{"kill", (*sim.Process).Kill, "ab."},
		{"crash", (*sim.Process).Crash, "a."},
	} {
		got, answered := "", 0
		r := run(t, nil, func(w *sim.World) {
			w.Network().SetLink(sim.Link{Base: ms})
			server := listen(w, handler{
				receive: func(c *sim.ServerConn, data []byte) {
					got += string(data)
					c.Send(0, data, nil)
				},
				gone: func(*sim.ServerConn) { got += "." },
			})
			p := client(w, "c1", func(p *sim.Process) {
				c := dialed(p)
				must(ping(c, "a"))
				answered++
				_ = ping(c, "b") // it dies meanwhile
				if !over(p) {
					t.Error(test.name, ": it went on")
				}
			})
			at(w, w.NewActor("faults"), 4*ms+500*us, func() {
				test.end(p)
				test.end(p)
			})
			at(w, server, 20*ms, func() {
				if list := w.Network().Conns(p.Actor); len(list) != 0 {
					t.Errorf("%s: the dead process has %d connections", test.name, len(list))
				}
			})
		})
		if got != test.got || answered != 1 {
			t.Errorf("%s: the server got %q, want %q; %d answers", test.name, got, test.got, answered)
		}
		if n := len(find(r, sim.EventDeliver, "c1")); n != 1 {
			t.Errorf("%s: %d segments reached the client\n%s", test.name, n, list(r.Events))
		}
		if faults := find(r, sim.EventFault, "c1"); len(faults) != 1 || faults[0].Detail != "crash" {
			t.Errorf("%s: %s", test.name, list(faults))
		}
	}
}

// TestKillWhileDialing: nobody is there when the answer comes.
func TestKillWhileDialing(t *testing.T) {
	r := run(t, nil, func(w *sim.World) {
		echo(w)
		p := client(w, "c1", func(p *sim.Process) {
			if _, err := dial(p, time.Second); err == nil || !over(p) {
				t.Error("it went on: ", err)
			}
		})
		at(w, w.NewActor("faults"), 100*us, p.Kill)
	})
	if r.Simulated > 10*ms {
		t.Errorf("the run took %v", r.Simulated)
	}
}

// TestUpcomingSegment: injectors learn the connection of a segment that is
// about to arrive, and whose request it is or answers.
func TestUpcomingSegment(t *testing.T) {
	var seen []string
	r := run(t, nil, func(w *sim.World) {
		server := w.NewActor("server")
		w.Network().Listen(address, server, func(c *sim.ServerConn) sim.Handler { return taskEcho{c} })
		client(w, "c1", func(p *sim.Process) {
			c := dialed(p)
			p.SetTask(&sim.Task{ID: 7})
			must(ping(c, "x"))
			p.Step("work", ms)
		})
		w.Inject(injectorFunc(func(e sim.Upcoming) bool {
			if e.Conn() == nil {
				if e.Kind == sim.EventDeliver || e.Task() != nil {
					t.Errorf("%+v has no connection", e)
				}
				return false
			}
			if e.Kind != sim.EventDeliver || e.Conn().Server() != server {
				t.Errorf("%+v", e)
			}
			seen = append(seen, fmt.Sprint(e.Actor.Name(), " ", e.Conn().ID(), " ", e.Task().ID))
			return false
		}))
	})
	if got := strings.Join(seen, ", "); got != "server 1 7, c1 1 7" {
		t.Errorf("segments: %s\n%s", got, list(r.Events))
	}
}

// taskEcho answers with the task that was asked for.
type taskEcho struct{ conn *sim.ServerConn }

func (e taskEcho) Receive(data []byte, t *sim.Task) { e.conn.Send(0, data, t) }
func (taskEcho) Gone()                              {}

// TestStrike: a fault is logged with all that it has, and observed.
func TestStrike(t *testing.T) {
	for _, test := range []struct {
		fault sim.Fault
		want  string
	}{
		{sim.Fault{Kind: sim.FaultJump, By: -2 * time.Second}, "clock jump by -2s"},
		{sim.Fault{Kind: sim.FaultSkew, Rate: -200}, "clock off at -200 ppm"},
		{sim.Fault{Kind: "flood", For: time.Minute}, "flood for 1m0s"},
	} {
		var observed []sim.Fault
		r := run(t, nil, func(w *sim.World) {
			a := w.NewActor("cellar")
			w.OnFault(func(f sim.Fault) { observed = append(observed, f) })
			w.At(a, ms, sim.EventFault, sim.EventOptions{Vital: true}, func() { w.Strike(a, test.fault) })
		})
		if e := find(r, sim.EventFault, "cellar"); len(e) != 1 || e[0].Detail != test.want {
			t.Errorf("logged %s, want %q", list(e), test.want)
		}
		if len(observed) != 1 || observed[0].By != test.fault.By || observed[0].Seq == 0 {
			t.Errorf("observed %+v", observed)
		}
	}
}
