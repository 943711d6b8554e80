package sim_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/sim"
)

// story is a random mixture of what can happen to two connections of one
// client and server: at each time something.
type story []act

type act struct {
	At   int // milliseconds
	Do   string
	Conn int
}

var storyActs = []string{
	"client writes", "client writes", "client writes", "server sends", "server sends", "server sends",
	"cut up", "cut down", "heal up", "heal down", "pause", "reset", "client closes", "server closes", "crash",
}

func drawStory(t *rapid.T) story {
	acts := storyActs[:rapid.SampledFrom([]int{10, 11, 12, 13, 14, 15}).Draw(t, "kinds of acts")]
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) act {
		return act{
			At:   rapid.IntRange(5, 60).Draw(t, "at"),
			Do:   rapid.SampledFrom(acts).Draw(t, "do"),
			Conn: rapid.IntRange(0, 1).Draw(t, "conn"),
		}
	}), 1, 30).Draw(t, "story")
}

// has reports whether something happens in the story, to the connection if one
// is given.
func (s story) has(do string, conn ...int) bool {
	return slices.ContainsFunc(s, func(a act) bool { return a.Do == do && (len(conn) == 0 || a.Conn == conn[0]) })
}

// side is what one end of a connection has sent and received.
type side struct {
	mu        sync.Mutex
	sent, got string
	ended     string
}

// send makes a word that was not sent before and notes it if that works.
func (s *side) send(f func(word []byte) error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if word := fmt.Sprintf("<%d>", len(s.sent)); f([]byte(word)) == nil {
		s.sent += word
	}
}

func (s *side) receive(data []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.got += string(data)
}

// stage is where a story is played.
type stage struct {
	w       *sim.World
	p       *sim.Process
	server  *sim.Actor
	faults  *sim.Actor
	conns   [2]net.Conn
	ends    [2]*sim.ServerConn
	clients [2]*side
	servers [2]*side
}

// play plays a story on a new stage.
func (s story) play(t tester, tape sim.Tape) (*stage, sim.Report) {
	x := &stage{}
	for i := range 2 {
		x.clients[i], x.servers[i] = new(side), new(side)
	}
	r := run(t, tape, func(w *sim.World) {
		x.w, x.server, x.faults = w, w.NewActor("server"), w.NewActor("faults")
		accepted := 0
		w.Network().Listen(address, x.server, func(c *sim.ServerConn) sim.Handler {
			me := x.servers[accepted]
			x.ends[accepted] = c
			accepted++
			return handler{conn: c, receive: func(_ *sim.ServerConn, data []byte) { me.receive(data) }, gone: func(*sim.ServerConn) { me.ended += "gone" }}
		})
		x.p = client(w, "c1", func(p *sim.Process) { x.perform(s) })
		for _, act := range s {
			at(w, x.faults, time.Duration(act.At)*ms, func() { x.strike(act.Do, act.Conn) })
		}
		at(w, x.faults, 100*ms, func() { x.strike("heal up", 0); x.strike("heal down", 0) })
		w.Network().SetLink(sim.Link{Base: 200 * us, Jitter: 3 * ms, Late: []sim.Lateness{{By: []time.Duration{7 * ms}, Budget: 5, Odds: 3}}})
	})
	return x, r
}

// perform is the client's part of a story.
func (x *stage) perform(s story) {
	for i := range x.conns {
		x.conns[i] = dialed(x.p)
		go func() {
			buf := make([]byte, 5)
			for {
				n, err := x.conns[i].Read(buf)
				x.clients[i].receive(buf[:n])
				if err != nil {
					x.clients[i].ended = outcome(err)
					return
				}
			}
		}()
	}
	s = slices.Clone(s)
	slices.SortStableFunc(s, func(a, b act) int { return a.At - b.At })
	for _, act := range s {
		if wait := time.Duration(act.At)*ms - since(); wait > 0 {
			time.Sleep(wait)
		}
		switch act.Do {
		case "client writes":
			x.clients[act.Conn].send(func(word []byte) error { _, err := x.conns[act.Conn].Write(word); return err })
		case "client closes":
			_ = x.conns[act.Conn].Close()
		}
	}
	if !s.has("crash") {
		x.p.Step("wait for the end", 300*ms)
	}
}

// strike is everybody else's part.
func (x *stage) strike(do string, conn int) {
	n := x.w.Network()
	end := x.ends[conn]
	switch do {
	case "cut up":
		n.Cut(x.p.Actor, x.server)
	case "cut down":
		n.Cut(x.server, x.p.Actor)
	case "heal up":
		n.Heal(x.p.Actor, x.server)
	case "heal down":
		n.Heal(x.server, x.p.Actor)
	case "pause":
		x.p.Pause(10 * ms)
	case "crash":
		x.p.Crash()
	case "server sends":
		if end != nil && x.servers[conn].ended == "" {
			x.servers[conn].send(func(word []byte) error { end.Send(0, word, nil); return nil })
		}
	case "server closes":
		if end != nil {
			end.Close()
		}
	case "reset":
		for _, c := range n.Conns(x.server) {
			if end != nil && c.ID() == end.ID() {
				c.Reset(nil)
			}
		}
	}
}

// TestStreams: whatever happens, each end receives a prefix of what the other
// sent; all of it, if nobody ended the connection before it was there.
func TestStreams(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawStory(t)
		x, r := s.play(t, randomTape(rapid.Uint64().Draw(t, "seed")))
		for i := range 2 {
			c, srv := x.clients[i], x.servers[i]
			if !strings.HasPrefix(c.sent, srv.got) || !strings.HasPrefix(srv.sent, c.got) {
				t.Fatalf("connection %d: the client sent %s, the server got %s\nthe server sent %s, the client got %s\n%s",
					i, c.sent, srv.got, srv.sent, c.got, list(r.Events))
			}
			broken := s.has("reset", i) || s.has("crash")
			if up := broken || s.has("server closes", i); !up && srv.got != c.sent {
				t.Fatalf("connection %d: the client sent %s, the server got %s\n%s", i, c.sent, srv.got, list(r.Events))
			}
			if down := broken || s.has("client closes", i) || s.has("server closes", i); !down && c.got != srv.sent {
				t.Fatalf("connection %d: the server sent %s, the client got %s\n%s", i, srv.sent, c.got, list(r.Events))
			}
			if !broken && s.has("server closes", i) && !s.has("client closes", i) && !s.has("client writes", i) &&
				(c.got != srv.sent || c.ended != "eof" && x.ends[i] != nil && srv.ended != "") {
				t.Fatalf("connection %d: the server sent %s and closed, the client got %s and then %s\n%s", i, srv.sent, c.got, c.ended, list(r.Events))
			}
			if len(srv.ended) > len("gone") {
				t.Fatalf("connection %d: the server was told twice that it is gone", i)
			}
		}
	})
}

// TestLateRequest: a request that is late past its client's patience is
// executed all the same, after the client's next one.
func TestLateRequest(t *testing.T) {
	for _, test := range []struct {
		late string // the decision that holds a segment back
		want string
		got  string
	}{
		{"", "ok ok", "1 2"},
		{"delay/c1#1", "timeout ok", "2 1"},
		{"delay/server#1", "timeout ok", "1 2"}, // the answer
		{"delay/c1#2", "ok ok", "1 2"},          // the second attempt to connect
		{"delay/c1#3", "ok ok", "1 2"},          // the end of the first connection
	} {
		var executed, outcomes []string
		tape := tapeFunc(func(d sim.Decision) int {
			if d.ID() == test.late {
				return 1
			}
			return 0
		})
		r := run(t, tape, func(w *sim.World) {
			w.Network().SetLink(sim.Link{Base: 200 * us, Late: []sim.Lateness{{By: []time.Duration{7 * time.Second}, Budget: 1}}})
			listen(w, handler{receive: func(c *sim.ServerConn, data []byte) {
				executed = append(executed, string(data))
				c.Send(0, data, nil)
			}})
			client(w, "c1", func(p *sim.Process) {
				for i := range 2 {
					c := dialed(p)
					must(c.SetDeadline(time.Now().Add(5 * time.Second)))
					outcomes = append(outcomes, outcome(ping(c, fmt.Sprint(i+1))))
					must(c.Close())
				}
			})
		})
		if got := strings.Join(outcomes, " "); got != test.want {
			t.Errorf("%q late: the client got %s", test.late, got)
		}
		if got := strings.Join(executed, " "); got != test.got {
			t.Errorf("%q late: the server executed %s", test.late, got)
		}
		late := 0
		for _, e := range r.Events {
			if e.Late {
				late++
				if e.At-e.Sent < 7*time.Second {
					t.Errorf("called late: %s", line(e))
				}
			}
		}
		if (late == 1) != (test.late != "") {
			t.Errorf("%q late: %d events are called late:\n%s", test.late, late, list(r.Events))
		}
	}
}

// TestLateBudget: no more segments of a run are late than its link allows.
func TestLateBudget(t *testing.T) {
	for budget := range 4 {
		late := 0
		r := run(t, tapeFunc(func(d sim.Decision) int { return min(1, d.Options-1) }), func(w *sim.World) {
			w.Network().SetLink(sim.Link{Base: 200 * us, Late: []sim.Lateness{{By: []time.Duration{ms}, Budget: budget}}})
			w.OnFault(func(f sim.Fault) {
				if f.Kind == sim.FaultLate && f.For == ms {
					late++
				}
			})
			echo(w)
			client(w, "c1", func(p *sim.Process) { must(ping(dialed(p), "x")) })
		})
		if late != budget {
			t.Errorf("of a budget of %d, %d were late\n%s", budget, late, list(r.Events))
		}
	}
}

// TestResetLosesWhatIsInFlight: in both directions, and what was not read.
func TestResetLosesWhatIsInFlight(t *testing.T) {
	var server, got string
	var gone int
	r := run(t, nil, func(w *sim.World) {
		var end *sim.ServerConn
		w.Network().SetLink(sim.Link{Base: ms})
		a := listen(w, handler{
			receive: func(c *sim.ServerConn, data []byte) { server += string(data); end = c },
			gone:    func(*sim.ServerConn) { gone++ },
		})
		client(w, "c1", func(p *sim.Process) {
			c := dialed(p)
			for i := range 3 {
				sleepUntil(10*ms + time.Duration(i)*ms)
				_, _ = fmt.Fprint(c, i)
			}
			sleepUntil(20 * ms)
			data, err := io.ReadAll(c)
			got = string(data) + " " + outcome(err)
			_, err = c.Write([]byte("x"))
			got += " " + outcome(err)
			got += " " + outcome(c.Close())
		})
		at(w, a, 11*ms+300*us, func() { end.Send(0, []byte("unread"), nil) })
		at(w, a, 11*ms+700*us, func() { end.Send(0, []byte("lost"), nil) })
		at(w, w.NewActor("faults"), 12*ms+500*us, func() {
			c := w.Network().Conns(a)[0]
			c.Reset(nil)
			c.Reset(nil)
			if len(w.Network().Conns(a)) != 0 {
				t.Error("a connection that was reset is still open")
			}
		})
	})
	if server != "01" || gone != 1 {
		t.Errorf("the server got %q and was told %d times that the client is gone", server, gone)
	}
	if got != " reset pipe ok" {
		t.Errorf("the client got%s", got)
	}
	if resets, drops := len(find(r, sim.EventReset, "c1")), len(find(r, sim.EventDrop, "c1"))+len(find(r, sim.EventDrop, "server")); resets != 1 || drops != 2 {
		t.Errorf("%d resets and %d segments lost:\n%s", resets, drops, list(r.Events))
	}
}

// TestServerCrash: each client learns of it by an event of its own; dials are
// refused.
func TestServerCrash(t *testing.T) {
	var outcomes [3]string
	r := run(t, nil, func(w *sim.World) {
		server := echo(w)
		for i := range outcomes {
			client(w, fmt.Sprint("c", i), func(p *sim.Process) {
				c := dialed(p)
				_, err := c.Read(make([]byte, 1))
				outcomes[i] = outcome(err)
				_, err = dial(p, 0)
				outcomes[i] += " " + outcome(err)
			})
		}
		at(w, server, 10*ms, func() { w.Network().Crash(server) })
	})
	for i, got := range outcomes {
		if got != "reset refused" {
			t.Errorf("client %d: %s", i, got)
		}
	}
	for i := range outcomes {
		if resets := find(r, sim.EventReset, fmt.Sprint("c", i)); len(resets) != 1 {
			t.Errorf("client %d: %d resets:\n%s", i, len(resets), list(r.Events))
		}
	}
}

// TestCrashAfterClose: what a node sent before it closed a connection is lost
// with the node as well.
func TestCrashAfterClose(t *testing.T) {
	got := ""
	run(t, nil, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: ms})
		server := listen(w, handler{receive: func(c *sim.ServerConn, data []byte) {
			c.Send(0, data, nil)
			c.Close()
		}})
		client(w, "c1", func(p *sim.Process) {
			c := dialed(p)
			sleepUntil(10 * ms)
			got = outcome(ping(c, "x"))
		})
		at(w, w.NewActor("faults"), 11*ms+500*us, func() { w.Network().Crash(server) })
	})
	if got != "reset" {
		t.Errorf("the client got: %s", got)
	}
}

// TestConns: who has which connections open, in the order of the dials.
func TestConns(t *testing.T) {
	ids := func(conns []*sim.Conn) string {
		var list []string
		for _, c := range conns {
			list = append(list, fmt.Sprint(c.ID()))
		}
		return strings.Join(list, " ")
	}
	run(t, tapeFunc(func(d sim.Decision) int {
		if d.ID() == "delay/c1#0" { // the first attempt arrives last
			return 1
		}
		return 0
	}), func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: 200 * us, Late: []sim.Lateness{{By: []time.Duration{5 * ms}, Budget: 1}}})
		server := echo(w)
		var p [2]*sim.Process
		for i := range p {
			p[i] = client(w, fmt.Sprint("c", i+1), func(p *sim.Process) {
				c := dialed(p)
				dialed(p)
				sleepUntil(20 * ms)
				must(c.Close())
				p.Step("stay", 20*ms)
			})
		}
		expect := func(t0 time.Duration, all, first, second string) {
			at(w, server, t0, func() {
				n := w.Network()
				if a, b, c := ids(n.Conns(server)), ids(n.Conns(p[0].Actor)), ids(n.Conns(p[1].Actor)); a != all || b != first || c != second {
					t.Errorf("at %v: %q, %q, %q", t0, a, b, c)
				}
			})
		}
		expect(3*ms, "2 3", "", "2 3")
		expect(19*ms, "1 2 3 4", "1 4", "2 3")
		expect(30*ms, "3 4", "4", "3")
	})
}

// TestNetworkNames: addresses as either end sees them.
func TestNetworkNames(t *testing.T) {
	run(t, nil, func(w *sim.World) {
		a := w.NewActor("server")
		w.Network().Route("10.0.1.100:7", func() string { return address })
		w.Network().Listen(address, a, func(c *sim.ServerConn) sim.Handler {
			if c.Client().Name() != "c1" || c.ID() != 1 {
				t.Errorf("connection %d from %s", c.ID(), c.Client().Name())
			}
			return handler{}
		})
		client(w, "c1", func(p *sim.Process) {
			c, err := p.DialContext(context.Background(), "tcp", "10.0.1.100:7", 0)
			must(err)
			var l, r net.Addr = c.LocalAddr(), c.RemoteAddr()
			if l.Network() != "tcp" || l.String() != "10.0.0.2:40001" || r.String() != "10.0.1.100:7" {
				t.Errorf("from %v to %v", l, r)
			}
		})
	})
}
