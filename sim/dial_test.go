package sim_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestDial: how attempts to connect end, and when.
func TestDial(t *testing.T) {
	const elsewhere = "10.0.1.2:7"
	ctx := func(d time.Duration) func() (context.Context, context.CancelFunc) {
		return func() (context.Context, context.CancelFunc) {
			return context.WithTimeout(context.Background(), d)
		}
	}
	type world struct {
		w              *sim.World
		p              *sim.Process
		server, faults *sim.Actor
	}
	at := func(x *world, t time.Duration, f func()) { at(x.w, x.faults, t, f) }
	tests := []struct {
		name    string
		addr    string
		timeout time.Duration
		ctx     func() (context.Context, context.CancelFunc)
		play    func(x *world)
		want    string
		took    time.Duration // rounded to 100 us
	}{
		{name: "accepted", want: "ok", took: 400 * us},
		{name: "accepted within the timeout", timeout: time.Second, ctx: ctx(time.Second), want: "ok", took: 400 * us},
		{name: "nobody was ever there", addr: elsewhere, want: "refused", took: 400 * us},
		{name: "the server has crashed", play: func(x *world) { x.w.Network().Crash(x.server) }, want: "refused", took: 400 * us},
		{name: "the server crashes meanwhile", play: func(x *world) {
			at(x, 100*us, func() { x.w.Network().Crash(x.server) })
		}, want: "refused", took: 400 * us},
		{name: "the request is held", timeout: ms, play: func(x *world) {
			x.w.Network().Cut(x.p.Actor, x.server)
		}, want: "timeout", took: ms},
		{name: "the answer is held", timeout: ms, play: func(x *world) {
			x.w.Network().Cut(x.server, x.p.Actor)
		}, want: "timeout", took: ms},
		{name: "the refusal is held", timeout: ms, play: func(x *world) {
			x.w.Network().Crash(x.server)
			x.w.Network().Cut(x.server, x.p.Actor)
		}, want: "timeout", took: ms},
		{name: "healed in time", timeout: 5 * ms, play: func(x *world) {
			x.w.Network().Cut(x.p.Actor, x.server)
			at(x, 2*ms, func() { x.w.Network().Heal(x.p.Actor, x.server) })
		}, want: "ok", took: 2*ms + 400*us},
		{name: "the context ends", ctx: ctx(100 * us), want: "deadline", took: 100 * us},
		{name: "the context has ended", ctx: ctx(0), want: "deadline"},
		{name: "cancelled", ctx: func() (context.Context, context.CancelFunc) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(300*us, cancel)
			return ctx, cancel
		}, want: "canceled", took: 300 * us},
		{name: "a virtual address", addr: "10.0.1.100:7", play: func(x *world) {
			x.w.Network().Route("10.0.1.100:7", func() string { return address })
		}, want: "ok", took: 400 * us},
		{name: "a virtual address that leads nowhere", addr: "10.0.1.100:7", play: func(x *world) {
			x.w.Network().Route("10.0.1.100:7", func() string { return "" })
		}, want: "refused", took: 400 * us},
		{name: "IPv6", addr: "[2001:db8::1]:7", want: "refused", took: 400 * us},
		{name: "a name", addr: "localhost:7", want: "dial tcp localhost:7: address localhost:7: simulated networks have no resolver: use an IP literal"},
		{name: "no port", addr: "10.0.1.1", want: "dial tcp 10.0.1.1: address 10.0.1.1: missing port in address"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			run(t, nil, func(w *sim.World) {
				x := &world{w: w, faults: w.NewActor("faults"), server: echo(w)}
				x.p = client(w, "c1", func(p *sim.Process) {
					ctx, cancel := context.Background(), func() {}
					if test.ctx != nil {
						ctx, cancel = test.ctx()
					}
					defer cancel()
					addr := address
					if test.addr != "" {
						addr = test.addr
					}
					start := time.Now()
					c, err := p.DialContext(ctx, "tcp", addr, test.timeout)
					took := time.Since(start)
					if got := outcome(err); got != test.want || took.Round(100*us) != test.took {
						t.Errorf("%s after %v, want %s after %v", got, took, test.want, test.took)
					}
					if op := (*net.OpError)(nil); err != nil && (!errors.As(err, &op) || op.Op != "dial") {
						t.Errorf("the error is %#v", err)
					}
					if err == nil {
						must(ping(c, "hello"))
					}
				})
				if test.play != nil {
					test.play(x)
				}
			})
		})
	}
}

// TestDialTooLate: an attempt that was given up arrives all the same, if it
// was on its way already; the server accepts it and is hung up on.
func TestDialTooLate(t *testing.T) {
	for _, test := range []struct {
		name  string
		late  string // the half of the handshake that is late
		held  bool   // by a cut that heals long after
		seen  string
		ended time.Duration
	}{
		{"a late request", "delay/c1#0", false, "accepted gone", 3 * time.Second},
		{"a late answer", "delay/server#0", false, "accepted gone", 3 * time.Second},
		{"a request that was held", "", true, "", time.Second},
	} {
		for _, how := range []string{"timeout", "context"} {
			t.Run(test.name+", "+how, func(t *testing.T) {
				var seen []string
				tape := tapeFunc(func(d sim.Decision) int {
					if d.ID() == test.late {
						return 1
					}
					return 0
				})
				r := run(t, tape, func(w *sim.World) {
					w.Network().SetLink(sim.Link{Base: 200 * us, Late: []sim.Lateness{{By: []time.Duration{2 * time.Second}, Budget: 1}}})
					server := w.NewActor("server")
					w.Network().Listen(address, server, func(*sim.ServerConn) sim.Handler {
						seen = append(seen, "accepted")
						return handler{gone: func(*sim.ServerConn) { seen = append(seen, "gone") }}
					})
					p := client(w, "c1", func(p *sim.Process) {
						ctx, timeout := context.Background(), 10*ms
						if how == "context" {
							c, cancel := context.WithTimeout(ctx, timeout)
							defer cancel()
							ctx, timeout = c, 0
						}
						_, err := p.DialContext(ctx, "tcp", address, timeout)
						if got := outcome(err); got != "timeout" && got != "deadline" {
							t.Error(got)
						}
					})
					if test.held {
						w.Network().Cut(p.Actor, server)
						at(w, w.NewActor("faults"), time.Second-ms, func() { w.Network().Heal(p.Actor, server) })
					}
				})
				if got := strings.Join(seen, " "); got != test.seen {
					t.Errorf("the server saw: %s\n%s", got, list(r.Events))
				}
				if r.Simulated > test.ended {
					t.Errorf("the run ended at %v", r.Simulated)
				}
			})
		}
	}
}

// TestDialAndAnswerTogether: the dialer gives up while the answer is there
// already but a pause has kept it from taking it.
func TestDialAndAnswerTogether(t *testing.T) {
	gone := 0
	run(t, nil, func(w *sim.World) {
		listen(w, handler{gone: func(*sim.ServerConn) { gone++ }})
		p := client(w, "c1", func(p *sim.Process) {
			ctx, cancel := context.WithTimeout(context.Background(), 300*us)
			defer cancel()
			_, err := p.DialContext(ctx, "tcp", address, 0)
			if outcome(err) != "deadline" {
				t.Error(outcome(err))
			}
		})
		at(w, w.NewActor("faults"), 100*us, func() { p.Pause(10 * ms) })
	})
	if gone != 1 {
		t.Errorf("the server was hung up on %d times", gone)
	}
}

// TestRouteIsResolvedOnArrival: also when the address leads elsewhere by then.
func TestRouteIsResolvedOnArrival(t *testing.T) {
	for _, cut := range []bool{false, true} {
		var accepted string
		run(t, nil, func(w *sim.World) {
			n := w.Network()
			n.SetLink(sim.Link{Base: ms})
			to := "10.0.1.1:7"
			n.Route("10.0.1.100:7", func() string { return to })
			var servers [2]*sim.Actor
			for i := range servers {
				servers[i] = w.NewActor(fmt.Sprint("s", i+1))
				n.Listen(fmt.Sprintf("10.0.1.%d:7", i+1), servers[i], func(*sim.ServerConn) sim.Handler {
					accepted += fmt.Sprintf("%s %v", servers[i].Name(), w.Now().Round(ms))
					return handler{}
				})
			}
			p := client(w, "c1", func(p *sim.Process) {
				_, err := p.DialContext(context.Background(), "tcp", "10.0.1.100:7", 0)
				must(err)
			})
			faults := w.NewActor("faults")
			at(w, faults, 500*us, func() { to = "10.0.1.2:7" })
			if cut {
				n.Cut(p.Actor, servers[1])
				at(w, faults, 5*ms, func() { n.Heal(p.Actor, servers[1]) })
			}
		})
		if want := map[bool]string{false: "s2 1ms", true: "s2 6ms"}[cut]; accepted != want {
			t.Errorf("cut %v: accepted by %s, want %s", cut, accepted, want)
		}
	}
}

// TestClosedInAccept: a server may hang up, or speak, before it has answered.
func TestClosedInAccept(t *testing.T) {
	got, gone := "", 0
	run(t, nil, func(w *sim.World) {
		a := w.NewActor("server")
		w.Network().Listen(address, a, func(c *sim.ServerConn) sim.Handler {
			c.Send(0, []byte("go away"), nil)
			c.Close()
			return handler{gone: func(*sim.ServerConn) { gone++ }}
		})
		client(w, "c1", func(p *sim.Process) { got = readAll(dialed(p)) })
	})
	if got != "go away, eof" || gone != 1 {
		t.Errorf("the client got %q, the handler was told %d times", got, gone)
	}
}

// TestGivenUpAsItArrives: an attempt that a cut has held arrives in the window
// in which its dialer gives it up. Which comes first is nobody's business but
// the dialer's: the server accepts it, and is hung up on.
func TestGivenUpAsItArrives(t *testing.T) {
	n := every(sim.Order, func(tape sim.Tape) {
		r := run(t, tape, func(w *sim.World) {
			server := echo(w)
			p := client(w, "c1", func(p *sim.Process) {
				if _, err := dial(p, 10*ms); outcome(err) != "timeout" {
					t.Errorf("the attempt: %v", err)
				}
			})
			w.Network().Cut(p.Actor, server)
			at(w, w.NewActor("faults"), 9800*us, func() { w.Network().Heal(p.Actor, server) })
		})
		if accepted := find(r, sim.EventDial, "server"); len(accepted) != 1 || accepted[0].At != 10*ms {
			t.Errorf("the server accepted %d attempts:\n%s", len(accepted), list(r.Events))
		}
	})
	if n != 2 {
		t.Errorf("%d orders", n)
	}
}
