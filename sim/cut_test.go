package sim_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestPartition: what goes from one side to the other waits until the sides
// are united, in one direction or both, and what stays on a side does not.
func TestPartition(t *testing.T) {
	const over = 10 * ms
	for _, test := range []struct {
		name               string
		serverSide         bool // the client is with the server
		held               sim.Direction
		executed, answered bool // before the partition is over
		sides              string
	}{
		{name: "both ways", sides: "c1 | server"},
		{name: "requests", held: sim.FromAToB, sides: "c1 -> server"},
		{name: "answers", held: sim.FromBToA, executed: true, sides: "c1 <- server"},
		{name: "same side", serverSide: true, executed: true, answered: true, sides: "server, c1 | other"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var executed, answered time.Duration
			var observed []sim.Fault
			run(t, nil, func(w *sim.World) {
				w.OnFault(func(f sim.Fault) { observed = append(observed, f) })
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
				cut := sim.Partition{A: []*sim.Actor{p.Actor}, B: []*sim.Actor{server}, Held: test.held}
				if test.serverSide {
					cut = sim.Partition{A: []*sim.Actor{server, p.Actor}, B: []*sim.Actor{w.NewActor("other")}}
				}
				at(w, faults, ms, func() { n.Part(cut, over-ms) })
				at(w, faults, over, func() { n.Unite(cut) })
			})
			if before := executed < over; before != test.executed || executed > over+ms {
				t.Errorf("executed at %v", executed)
			}
			if before := answered < over; before != test.answered || answered > over+ms {
				t.Errorf("answered at %v", answered)
			}
			if len(observed) != 2 || observed[0].Kind != sim.FaultPartition || observed[0].Sides.String() != test.sides || observed[0].For != over-ms ||
				observed[1].Kind != sim.FaultUnited || observed[0].Detail != "partition for 9ms: "+test.sides {
				t.Errorf("observed %+v", observed)
			}
		})
	}
}

// TestCutHoldsResets: a client that is cut off from a server that has crashed
// learns of it only when the cut has healed.
func TestCutHoldsResets(t *testing.T) {
	const over = 10 * ms
	var failed time.Duration
	var err error
	run(t, nil, func(w *sim.World) {
		server := echo(w)
		p := client(w, "c1", func(p *sim.Process) {
			c := dialed(p)
			_, err = c.Read(make([]byte, 1))
			failed = since()
		})
		faults, n := w.NewActor("faults"), w.Network()
		at(w, faults, 2*ms, func() { n.Cut(server, p.Actor) })
		at(w, faults, 3*ms, func() { n.Crash(server) })
		at(w, faults, over, func() { n.Heal(server, p.Actor) })
	})
	if !errors.Is(err, syscall.ECONNRESET) || failed < over || failed > over+ms {
		t.Errorf("%v at %v", err, failed)
	}
}

// TestPartitionHoldsDials: an attempt to connect across a partition hangs until
// its timeout, or stands when the sides are united before that.
func TestPartitionHoldsDials(t *testing.T) {
	for _, test := range []struct{ over, timeout, ends time.Duration }{
		{10 * ms, 20 * ms, 10 * ms},
		{20 * ms, 10 * ms, 11 * ms},
	} {
		var ended time.Duration
		var err error
		run(t, nil, func(w *sim.World) {
			server := echo(w)
			p := client(w, "c1", func(p *sim.Process) {
				p.Step("wait", ms)
				_, err = p.DialContext(context.Background(), "tcp", address, test.timeout)
				ended = since()
			})
			faults, n := w.NewActor("faults"), w.Network()
			cut := sim.Partition{A: []*sim.Actor{server}, B: []*sim.Actor{p.Actor}}
			at(w, faults, 0, func() { n.Part(cut, test.over) })
			at(w, faults, test.over, func() { n.Unite(cut) })
		})
		if timedOut := test.over > test.timeout; timedOut != (err != nil) || ended < test.ends || ended > test.ends+ms {
			t.Errorf("%+v: %v at %v", test, err, ended)
		}
	}
}

// TestDialRepeatsAsItHeals: a SYN that a cut has held is repeated, to somebody else,
// in the window in which it would arrive: only one of the two does.
func TestDialRepeatsAsItHeals(t *testing.T) {
	const virtual = "10.0.1.9:7"
	for option := range 2 {
		var stood []string
		tape := tapeFunc(func(d sim.Decision) int {
			if d.Kind == sim.Order {
				return min(option, d.Options-1)
			}
			return 0
		})
		run(t, tape, func(w *sim.World) {
			server := echo(w)
			other := w.NewActor("other")
			w.Network().Listen("10.0.1.2:7", other, func(*sim.ServerConn) sim.Handler {
				stood = append(stood, "other")
				return handler{}
			})
			leads := address
			w.Network().Route(virtual, func() string { return leads })
			p := client(w, "c1", func(p *sim.Process) {
				c, err := p.DialContext(context.Background(), "tcp", virtual, 5*time.Second)
				must(err)
				must(c.Close())
			})
			faults, n := w.NewActor("faults"), w.Network()
			cut := sim.Partition{A: []*sim.Actor{server}, B: []*sim.Actor{p.Actor, other}}
			at(w, faults, 0, func() { n.Part(cut, time.Second) })
			at(w, faults, 100*ms, func() { leads = "10.0.1.2:7" })
			at(w, faults, time.Second, func() { n.Unite(cut) })
		})
		if len(stood) != 1 {
			t.Errorf("option %d: connections to %v", option, stood)
		}
	}
}

// TestDialFollowsAddress: an attempt to connect that a cut holds goes to whom
// the address leads when it is repeated.
func TestDialFollowsAddress(t *testing.T) {
	const virtual = "10.0.1.9:7"
	for _, test := range []struct{ moved, stands time.Duration }{
		{100 * ms, time.Second},
		{1500 * ms, 3 * time.Second},
	} {
		var ended time.Duration
		run(t, nil, func(w *sim.World) {
			server := echo(w)
			other := w.NewActor("other")
			w.Network().Listen("10.0.1.2:7", other, func(*sim.ServerConn) sim.Handler { return handler{} })
			leads := address
			w.Network().Route(virtual, func() string { return leads })
			p := client(w, "c1", func(p *sim.Process) {
				c, err := p.DialContext(context.Background(), "tcp", virtual, 5*time.Second)
				must(err)
				ended = since()
				must(c.Close())
			})
			faults, n := w.NewActor("faults"), w.Network()
			cut := sim.Partition{A: []*sim.Actor{server}, B: []*sim.Actor{p.Actor, other}}
			at(w, faults, 0, func() { n.Part(cut, 9*time.Second) })
			at(w, faults, test.moved, func() { leads = "10.0.1.2:7" })
			at(w, faults, 9*time.Second, func() { n.Unite(cut) })
		})
		if ended < test.stands || ended > test.stands+2*ms {
			t.Errorf("%+v: the connection stood at %v", test, ended)
		}
	}
}
