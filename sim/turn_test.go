package sim_test

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// turns notes in which order goroutines come by that were let go together.
type turns struct {
	mu   sync.Mutex
	list []string
	all  sync.WaitGroup
}

// take is called by a goroutine that has just gone on.
func (o *turns) take(who any) {
	dawdle()
	o.mu.Lock()
	o.list = append(o.list, fmt.Sprint(who))
	o.mu.Unlock()
}

// oneByOne runs a world several times: goroutines must come by in the same order,
// which is returned, all but the first by an event of its own.
func oneByOne(t *testing.T, setUp func(*sim.World, *turns)) string {
	t.Helper()
	var first string
	for i := range 12 {
		o := new(turns)
		r := run(t, nil, func(w *sim.World) { setUp(w, o) })
		order, own := strings.Join(o.list, " "), 0
		for _, e := range r.Events {
			if e.Kind == sim.EventStep && e.Detail == "goes on" {
				own++
			}
		}
		if first == "" {
			first = order
		}
		if order != first || own != len(o.list)-1 {
			t.Fatalf("run %d: they came in the order %s, want %s; %d went on by an event of their own, want %d", i, order, first, own, len(o.list)-1)
		}
	}
	return first
}

// atTheGate pauses a process of so many goroutines, each with a connection of its
// own that f is called with, the last one's first.
func atTheGate(n int, o sim.ProcessOptions, f func(c net.Conn)) func(*sim.World, *turns) {
	return func(w *sim.World, order *turns) {
		echo(w)
		o.Host = "10.0.0.1"
		p := w.NewProcess("c1", o)
		p.Go(func() {
			p.SetTask(&sim.Task{Name: "all"})
			var conns []net.Conn
			for range n {
				conns = append(conns, dialed(p))
			}
			sleepUntil(pauseBegin + ms)
			for i, c := range slices.Backward(conns) {
				order.all.Go(func() {
					f(c)
					order.take(i)
				})
			}
			order.all.Wait()
		})
		at(w, w.NewActor("faults"), pauseBegin, func() { p.Pause(pauseEnd - pauseBegin) })
	}
}

// TestGateOneByOne: who waits at the gate goes on alone, in the order of the
// connections, whatever the scheduler makes of it; if only one waits there, no
// event is added.
func TestGateOneByOne(t *testing.T) {
	for name, f := range map[string]func(net.Conn){
		"read": func(c net.Conn) {
			must(c.SetReadDeadline(epoch)) // which is over: it waits for the gate alone
			_, _ = c.Read(make([]byte, 1))
		},
		"write": func(c net.Conn) { must2(c.Write([]byte("x"))) },
	} {
		for kind, o := range map[string]sim.ProcessOptions{"one thread": {}, "threads": {Threads: true}} {
			t.Run(name+", "+kind, func(t *testing.T) {
				if got := oneByOne(t, atTheGate(4, o, f)); got != "0 1 2 3" {
					t.Errorf("they came in the order %s, want that of the connections", got)
				}
				oneByOne(t, atTheGate(1, o, f))
			})
		}
	}
}

// TestGateWritesFirst: who waits at the gate to write, with a mutex locked, goes on
// before who has something to read on an earlier connection and wants that mutex.
func TestGateWritesFirst(t *testing.T) {
	var mu sync.Mutex
	got := ""
	run(t, nil, func(w *sim.World) {
		echo(w)
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			first, second := dialed(p), dialed(p)
			var all sync.WaitGroup
			all.Go(func() {
				must2(first.Write([]byte("x")))
				sleepUntil(pauseBegin + ms)
				must2(first.Read(make([]byte, 1)))
				mu.Lock()
				defer mu.Unlock()
				got += " read"
			})
			all.Go(func() {
				sleepUntil(pauseBegin + ms)
				mu.Lock()
				defer mu.Unlock()
				must2(second.Write([]byte("x")))
				got += " written"
			})
			all.Wait()
		})
		at(w, w.NewActor("faults"), pauseBegin, func() { p.Pause(pauseEnd - pauseBegin) })
	})
	if got != " written read" {
		t.Errorf("they came in the order%s", got)
	}
}

// TestReadsFirst: after a pause the tape may let a reader go on before a writer of its
// connection, if the connection has ended and its writers hold no mutex, and only then.
func TestReadsFirst(t *testing.T) {
	for _, e := range []struct {
		name         string
		freely, ends bool
		want         string
	}{
		{"ended", true, true, "2: [written, read x, then eof] [read x, then eof, written]"},
		{"goes on", true, false, "1: [written, read x, then timeout]"},
		{"not declared", false, true, "1: [written, read x, then eof]"},
	} {
		t.Run(e.name, func(t *testing.T) {
			orders := ""
			n := every(sim.ReadFirst, func(tape sim.Tape) {
				var order []string
				r := paused(t, tape, func(w *sim.World, server *sim.Actor, c *sim.ServerConn) {
					at(w, server, 20*ms, func() { c.Send(0, []byte("x"), nil) })
					if e.ends {
						at(w, server, 30*ms, func() { c.Close() })
					}
				}, func(_ *sim.Process, c net.Conn) {
					if e.freely {
						c.(*sim.Conn).WritesFreely()
					}
					var mu sync.Mutex
					note := func(what string) {
						mu.Lock()
						defer mu.Unlock()
						order = append(order, what)
					}
					var all sync.WaitGroup
					all.Go(func() {
						buf := make([]byte, 10)
						n, err := c.Read(buf)
						must(err)
						must(c.SetReadDeadline(time.Now().Add(ms)))
						_, err = c.Read(buf)
						note("read " + string(buf[:n]) + ", then " + outcome(err))
					})
					all.Go(func() {
						sleepUntil(pauseBegin + ms)
						must2(c.Write([]byte("y")))
						note("written")
					})
					all.Wait()
				})
				observed := slices.ContainsFunc(r.Events, func(e sim.Event) bool { return e.Detail == sim.ReadsFirst })
				if observed != (order[1] == "written") {
					t.Errorf("order %v; an event shows it: %v", order, observed)
				}
				orders += fmt.Sprintf(" [%s]", strings.Join(order, ", "))
			})
			if got := fmt.Sprintf("%d:%s", n, orders); got != e.want {
				t.Errorf("%s, want %s", got, e.want)
			}
		})
	}
}

// TestGiveUpOneByOne: dials whose contexts end at one instant fail one after
// another, in an order that goes by the addresses.
func TestGiveUpOneByOne(t *testing.T) {
	dials := func(n int) func(*sim.World, *turns) {
		return func(w *sim.World, order *turns) {
			p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
			for i := range n {
				server := w.NewActor(fmt.Sprint("server", i))
				w.Network().Listen(fmt.Sprintf("10.0.1.%d:7", i), server, func(*sim.ServerConn) sim.Handler { return handler{} })
				w.Network().Cut(p.Actor, server)
			}
			p.Go(func() {
				for i := range n {
					order.all.Go(func() {
						ctx, cancel := context.WithTimeout(context.Background(), 20*ms)
						defer cancel()
						_, err := p.DialContext(ctx, "tcp", fmt.Sprintf("10.0.1.%d:7", i), 0)
						if outcome(err) != "deadline" {
							t.Errorf("dial: %v", err)
						}
						order.take(i)
					})
				}
				order.all.Wait()
			})
		}
	}
	if got := oneByOne(t, dials(5)); len(got) != len("0 1 2 3 4") {
		t.Errorf("only %s came", got)
	}
	oneByOne(t, dials(1))
}

// TestAwaitTurn: whoever asks for a turn beside others gets one of its own.
func TestAwaitTurn(t *testing.T) {
	asks := func(n int) func(*sim.World, *turns) {
		return func(w *sim.World, order *turns) {
			client(w, "c1", func(p *sim.Process) {
				for i := range n {
					order.all.Go(func() {
						dawdle()
						p.AwaitTurn(fmt.Sprint("10.0.1.", i))
						order.take(i)
					})
				}
				order.all.Wait()
			})
		}
	}
	if got := oneByOne(t, asks(5)); len(got) != len("0 1 2 3 4") {
		t.Errorf("only %s came", got)
	}
	oneByOne(t, asks(1))
}

// TestAwaitTurnFor: threads that ask for the same thing in one step get it one after
// another, in the order of the threads; for another thing they do not wait.
func TestAwaitTurnFor(t *testing.T) {
	asks := func(things []string) func(*sim.World, *turns) {
		return func(w *sim.World, order *turns) {
			p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1", Threads: true})
			for i, thing := range things {
				p.Go(func() {
					p.SetTask(&sim.Task{Name: "all"})
					sleepUntil(10 * ms) // all of them
					dawdle()
					p.AwaitTurnFor(thing, thing)
					order.take(i)
				})
			}
		}
	}
	if got := oneByOne(t, asks([]string{"pool", "pool", "pool", "pool"})); got != "0 1 2 3" {
		t.Errorf("they came in the order %s, want that of the threads", got)
	}
	oneByOne(t, asks([]string{"pool"}))
	r := run(t, nil, func(w *sim.World) { asks([]string{"pool", "another"})(w, new(turns)) })
	if slices.ContainsFunc(r.Events, func(e sim.Event) bool { return e.Detail == "goes on" }) {
		t.Error("somebody waited who wants another thing")
	}
}

// TestAwaitTurnForAlone: who uses a thing alone does not wait for whoever comes to it for the first
// time; from then on both wait.
func TestAwaitTurnForAlone(t *testing.T) {
	for i := range 12 {
		order := new(turns)
		r := run(t, nil, func(w *sim.World) {
			client(w, "c1", func(p *sim.Process) {
				p.AwaitTurnFor("pool", "pool")
				newcomer := func() {
					for range 2 {
						<-time.After(10 * ms)
						p.AwaitTurnFor("pool", "pool")
						order.take("newcomer")
						<-time.After(10*ms - since()%(10*ms))
					}
				}
				order.all.Go(newcomer)
				for range 2 {
					<-time.After(10 * ms)
					dawdle()
					p.AwaitTurnFor("pool", "pool")
					order.take("first")
					<-time.After(10*ms - since()%(10*ms))
				}
				order.all.Wait()
			})
		})
		waited := 0
		for _, e := range r.Events {
			if e.Detail == "goes on" {
				waited++
			}
		}
		if got := strings.Join(order.list, " "); !strings.HasPrefix(got, "first newcomer ") || waited != 1 {
			t.Fatalf("run %d: they came in the order %s, and %d went on by an event of its own, want 1", i, got, waited)
		}
	}
}

// TestTimersOfPackageTimeOneByOne: goroutines of a process without threads whose timers of package
// time are due at one instant get their turn in the order of the lines that they are at,
// whichever is started first. Those that nothing distinguishes are noted.
func TestTimersOfPackageTimeOneByOne(t *testing.T) {
	ask := func(p *sim.Process, order *turns, who string) {
		dawdle()
		p.AwaitTurnFor("pool", "pool")
		order.take(who)
	}
	watchdog := func(p *sim.Process, order *turns) {
		ticker := time.NewTicker(10 * ms)
		defer ticker.Stop()
		<-ticker.C
		ask(p, order, "watchdog")
	}
	waiter := func(p *sim.Process, order *turns) {
		<-time.After(10 * ms)
		ask(p, order, "waiter")
	}
	type goroutine = func(*sim.Process, *turns)
	asks := func(list ...goroutine) func(*sim.World, *turns) {
		return func(w *sim.World, order *turns) {
			client(w, "c1", func(p *sim.Process) {
				for _, f := range list {
					order.all.Go(func() { f(p, order) })
				}
				order.all.Wait()
			})
		}
	}
	one, other := oneByOne(t, asks(watchdog, waiter)), oneByOne(t, asks(waiter, watchdog))
	if one != other {
		t.Errorf("they came in the order %s, and %s if they are started the other way round", one, other)
	}
	for _, e := range []struct {
		name  string
		list  []goroutine
		noted int
	}{
		{"two functions", []goroutine{watchdog, waiter}, 0},
		{"one function", []goroutine{watchdog, watchdog}, 1},
	} {
		if r := run(t, nil, func(w *sim.World) { asks(e.list...)(w, new(turns)) }); len(r.Nondeterminism) != e.noted {
			t.Errorf("%s: noted %q, want %d reasons", e.name, r.Nondeterminism, e.noted)
		}
	}
}

// TestOwnCloseEndsTheWait: a Read or Write that waits at the gate returns when its
// own side closes the connection, and not only after the pause.
func TestOwnCloseEndsTheWait(t *testing.T) {
	for name, f := range map[string]func(net.Conn) error{
		"read":  func(c net.Conn) error { _, err := c.Read(make([]byte, 1)); return err },
		"write": func(c net.Conn) error { _, err := c.Write([]byte("x")); return err },
	} {
		for _, begin := range []time.Duration{5 * ms, 15 * ms, 40 * ms} {
			if name == "write" && begin < pauseBegin {
				continue // it would not wait
			}
			t.Run(fmt.Sprint(name, " at ", begin), func(t *testing.T) {
				paused(t, nil, func(w *sim.World, server *sim.Actor, c *sim.ServerConn) {
					at(w, server, 20*ms, func() { c.Send(0, []byte("x"), nil) })
				}, func(_ *sim.Process, c net.Conn) {
					time.AfterFunc(30*ms-since(), func() { _ = c.Close() })
					sleepUntil(begin)
					err := f(c)
					if outcome(err) != "closed" || since().Round(ms) != max(30*ms, begin) {
						t.Errorf("it ended at %v: %v", since(), err)
					}
				})
			})
		}
	}
}

// TestPausedBetweenThreads: threads that have not gone on yet when the next pause
// comes go on after that one.
func TestPausedBetweenThreads(t *testing.T) {
	done := 0
	run(t, nil, func(w *sim.World) {
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1", Threads: true})
		for i := range 3 {
			p.Go(func() {
				p.SetTask(&sim.Task{Name: "work"})
				sleepUntil(15 * ms)
				p.Mark(i, "through", func(sim.Event) { done++ })
			})
		}
		w.Inject(&betweenThreads{p: p})
		at(w, w.NewActor("faults"), 10*ms, func() { p.Pause(10 * ms) })
	})
	if done != 3 {
		t.Errorf("%d threads of 3 went on", done)
	}
}

// betweenThreads pauses a process once, before its second thread goes on.
type betweenThreads struct {
	p     *sim.Process
	steps int
}

func (b *betweenThreads) Before(e sim.Upcoming) bool {
	if e.Kind != sim.EventStep || e.At < 20*ms {
		return false
	}
	b.steps++
	return b.steps == 2 && b.p.Pause(10*ms)
}

// TestUnreadGivenUp: a tape may give the run up at this decision as at any other.
func TestUnreadGivenUp(t *testing.T) {
	tape := tapeFunc(func(d sim.Decision) int {
		if d.Kind == sim.Unread {
			panic("enough")
		}
		return 0
	})
	r := sim.Run(sim.Config{Tape: tape}, func(w *sim.World) {
		server := echo(w)
		p := client(w, "c1", func(p *sim.Process) {
			c := dialed(p)
			must2(c.Write([]byte("x")))
			must2(c.Read(make([]byte, 1)))
		})
		at(w, server, 500*us, func() { p.Pause(10 * ms) })
		at(w, server, 5*ms, func() { w.Network().Conns(server)[0].Reset(nil) })
	})
	if r.Failure == nil || r.Failure.Panic != "enough" {
		t.Errorf("the run ended with %v", r.Failure)
	}
}

// TestUnread: what a client has not read when its connection is reset is lost, or
// can be read first; the tape decides, where there is something, and only there.
func TestUnread(t *testing.T) {
	for _, unread := range []bool{true, false} {
		got := map[string]bool{}
		n := every(sim.Unread, func(tape sim.Tape) {
			r := paused(t, tape, func(w *sim.World, server *sim.Actor, c *sim.ServerConn) {
				if unread {
					at(w, server, 20*ms, func() { c.Send(0, []byte("x"), nil) })
				}
				at(w, server, 30*ms, func() { w.Network().Conns(server)[0].Reset(nil) })
			}, func(_ *sim.Process, c net.Conn) {
				buf := make([]byte, 10)
				n, err := c.Read(buf)
				word := fmt.Sprintf("%q %s", buf[:n], outcome(err))
				if err == nil {
					_, err = c.Read(buf)
					word += ", then " + outcome(err)
				}
				got[word] = true
			})
			kept := find(r, sim.EventReset, "c1")[0].Detail == sim.UnreadKept
			if kept != got[`"x" ok, then reset`] {
				t.Errorf("the event of the reset says %q", find(r, sim.EventReset, "c1")[0].Detail)
			}
		})
		want := map[bool]string{true: `2: map["" reset:true "x" ok, then reset:true]`, false: `1: map["" reset:true]`}[unread]
		if s := fmt.Sprint(n, ": ", got); s != want {
			t.Errorf("unread %v: %s, want %s", unread, s, want)
		}
	}
}
