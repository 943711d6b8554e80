package sim_test

import (
	"context"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// echoHandler is a server's side of a connection that sends back what it gets.
type echoHandler struct{ conn *sim.ServerConn }

func (h echoHandler) Receive(data []byte, t *sim.Task) { h.conn.Send(0, data, t) }
func (h echoHandler) Gone()                            {}

// Two processes talk to a server. Nothing is left to chance: with the calm
// tape segments take the base latency, and of those that are due together the
// one goes first whose client was made first.
func Example() {
	report := sim.Run(sim.Config{Record: true}, func(w *sim.World) {
		server := w.NewActor("server")
		w.Network().Listen("10.0.1.1:7", server, func(c *sim.ServerConn) sim.Handler { return echoHandler{c} })
		for _, name := range []string{"c1", "c2"} {
			p := w.NewProcess(name, sim.ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() {
				conn, err := p.DialContext(context.Background(), "tcp", "10.0.1.1:7", time.Second)
				if err != nil {
					panic(err)
				}
				fmt.Fprintf(conn, "hello from %s", name)
				_, _ = conn.Read(make([]byte, 100))
				_ = conn.Close()
			})
		}
	})
	for _, e := range report.Events {
		fmt.Printf("%v %s: %s %s %q\n", e.At, e.Actor, e.Kind, e.Peer, e.Payload)
	}
	// Output:
	// 0s c1: step  ""
	// 0s c2: step  ""
	// 200µs server: dial c1 ""
	// 200µs server: dial c2 ""
	// 400µs c1: dial server ""
	// 400µs c2: dial server ""
	// 600µs server: deliver c1 "hello from c1"
	// 600µs server: deliver c2 "hello from c2"
	// 800µs c1: deliver server "hello from c1"
	// 800µs c2: deliver server "hello from c2"
	// 1ms server: close c1 ""
	// 1ms server: close c2 ""
}

// One decision differs from calm, and a request takes effect after its client
// has given up on it and has sent the next one.
func Example_lateRequest() {
	tape := holdBack("delay/c1#1") // #0 is the attempt to connect
	sim.Run(sim.Config{Tape: tape}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: time.Millisecond, Late: []sim.Lateness{{By: []time.Duration{7 * time.Second}, Budget: 1}}})
		server := w.NewActor("server")
		w.Network().Listen("10.0.1.1:7", server, func(c *sim.ServerConn) sim.Handler { return printer{w, c} })
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			for _, request := range []string{"first", "second"} {
				conn, err := p.DialContext(context.Background(), "tcp", "10.0.1.1:7", 0)
				if err != nil {
					panic(err)
				}
				_ = conn.SetDeadline(time.Now().Add(5 * time.Second))
				fmt.Fprint(conn, request)
				_, err = conn.Read(make([]byte, 100))
				fmt.Printf("%v: the client's %s request: %v\n", p.Clock().Since(start).Round(time.Millisecond), request, err)
				_ = conn.Close()
			}
		})
	})
	// Output:
	// 5.002s: the client's first request: read tcp 10.0.0.1:40001->10.0.1.1:7: i/o timeout
	// 5.005s: the server executes the second request
	// 5.006s: the client's second request: <nil>
	// 7.003s: the server executes the first request
}

var start = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// holdBack is a tape that is calm but for one decision.
type holdBack string

func (t holdBack) Choose(d sim.Decision) int {
	if d.ID() == string(t) {
		return 1
	}
	return 0
}

// printer is a server that says what it gets, and answers.
type printer struct {
	world *sim.World
	conn  *sim.ServerConn
}

func (p printer) Receive(data []byte, t *sim.Task) {
	fmt.Printf("%v: the server executes the %s request\n", p.world.Now().Round(time.Millisecond), data)
	p.conn.Send(0, []byte("done"), t)
}
func (p printer) Gone() {}
