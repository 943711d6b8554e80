package sim_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// since is the virtual time, as package time has it.
func since() time.Duration { return time.Since(epoch) }

// sleepUntil lets package time's clock pass, which no pause stops.
func sleepUntil(t time.Duration) { time.Sleep(t - since()) }

// A pause for tests, in milliseconds from the start.
const pauseBegin, pauseEnd = 10 * ms, 60 * ms

// paused runs a client whose process is paused, with a server that does what
// it is told to when the time has come.
func paused(t *testing.T, tape sim.Tape, serve func(w *sim.World, server *sim.Actor, c *sim.ServerConn), f func(p *sim.Process, c net.Conn)) sim.Report {
	t.Helper()
	return run(t, tape, func(w *sim.World) {
		server := w.NewActor("server")
		w.Network().Listen(address, server, func(c *sim.ServerConn) sim.Handler {
			if serve != nil {
				serve(w, server, c)
			}
			return handler{}
		})
		p := client(w, "c1", func(p *sim.Process) { f(p, dialed(p)) })
		at(w, w.NewActor("faults"), pauseBegin, func() {
			if !p.Pause(pauseEnd-pauseBegin) || !p.Paused() || p.Pause(ms) {
				t.Error("it is not paused, or twice")
			}
		})
	})
}

// TestNothingPassesTheGate: code that a timer of package time lets run inside
// the pause does not get through to the outside.
func TestNothingPassesTheGate(t *testing.T) {
	server := func(w *sim.World, server *sim.Actor, c *sim.ServerConn) {
		at(w, server, 15*ms, func() { c.Send(0, []byte("x"), nil) })
	}
	stepped := time.Duration(0)
	for name, f := range map[string]func(*sim.Process, net.Conn){
		"read":  func(_ *sim.Process, c net.Conn) { _, _ = c.Read(make([]byte, 1)) },
		"write": func(_ *sim.Process, c net.Conn) { _, _ = c.Write([]byte("x")) },
		"dial":  func(p *sim.Process, _ net.Conn) { dialed(p) },
		"cancelled dial": func(p *sim.Process, _ net.Conn) {
			ctx, cancel := context.WithTimeout(context.Background(), ms)
			defer cancel()
			_, _ = p.DialContext(ctx, "tcp", address, 0)
		},
		"timer":  func(p *sim.Process, _ net.Conn) { <-p.Clock().After(ms) },
		"sleep":  func(p *sim.Process, _ net.Conn) { p.Clock().Sleep(ms) },
		"ticker": func(p *sim.Process, _ net.Conn) { <-p.Clock().NewTicker(ms).Chan() },
		"AfterFunc": func(p *sim.Process, _ net.Conn) {
			c := make(chan bool)
			p.Clock().AfterFunc(ms, func() { close(c) })
			<-c
		},
		"step": func(p *sim.Process, _ net.Conn) { p.Step("x", ms); stepped = since() },
		"mark": func(p *sim.Process, _ net.Conn) { p.Mark(0, "x", func(sim.Event) {}) },
	} {
		t.Run(name, func(t *testing.T) {
			var passed time.Duration
			r := paused(t, nil, server, func(p *sim.Process, c net.Conn) {
				sleepUntil(20 * ms)
				f(p, c)
				passed = since()
			})
			if passed < pauseEnd || passed > pauseEnd+2*ms {
				t.Errorf("it was through at %v", passed)
			}
			for _, e := range r.Events {
				if e.At > pauseBegin && e.At < pauseEnd && (e.Actor == "c1" && e.Kind != sim.EventFault && e.Kind != sim.EventDeliver || e.Peer == "c1") {
					t.Errorf("inside the pause: %s", line(e))
				}
			}
		})
	}
	if stepped < pauseEnd+ms {
		t.Errorf("a step that began in the pause ended at %v", stepped)
	}
}

// TestNobodyWaitsToClose: what takes no time and waits for nobody does not wait
// for the end of a pause either; the other end hears of it thereafter, and after
// what was sent before.
func TestNobodyWaitsToClose(t *testing.T) {
	for name, f := range map[string]func(net.Conn){
		"close": func(c net.Conn) { _ = c.Close() },
		"check, and close": func(c net.Conn) {
			r, err := c.(syscall.Conn).SyscallConn()
			must(err)
			if err := r.Read(nil); err != nil {
				t.Error(err)
			}
			_ = c.Close()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var closed, passed time.Duration
			r := paused(t, nil, nil, func(p *sim.Process, c net.Conn) {
				_, err := c.Write([]byte("x"))
				must(err)
				sleepUntil(20 * ms)
				f(c)
				closed = since()
				p.Step("x", 0)
				passed = since()
			})
			if closed.Round(ms) != 20*ms || passed < pauseEnd {
				t.Errorf("it was closed at %v, and went on at %v", closed, passed)
			}
			var heard []string
			for _, e := range r.Events {
				if e.Peer == "c1" && e.Kind != sim.EventDial {
					heard = append(heard, fmt.Sprint(e.Kind, " ", e.At > pauseEnd))
				}
			}
			if want := []string{"deliver false", "close true"}; !slices.Equal(heard, want) {
				t.Errorf("the server heard %q, behind the pause or not, want %q", heard, want)
			}
		})
	}
}

// TestPausedAgain: whoever waits at the gate does not slip through when one
// pause follows another.
func TestPausedAgain(t *testing.T) {
	var passed time.Duration
	run(t, nil, func(w *sim.World) {
		p := client(w, "c1", func(p *sim.Process) {
			sleepUntil(15 * ms)
			p.Mark(0, "x", func(e sim.Event) { passed = e.At })
		})
		again := false
		w.OnFault(func(f sim.Fault) {
			if f.Kind == sim.FaultResume && !again {
				again = p.Pause(20 * ms)
			}
		})
		at(w, w.NewActor("faults"), 10*ms, func() { p.Pause(10 * ms) })
	})
	if passed.Round(ms) != 40*ms {
		t.Errorf("it was through at %v", passed)
	}
}

// TestWaitsEndBehindThePause: what was begun before the pause and would end
// inside it.
func TestWaitsEndBehindThePause(t *testing.T) {
	for name, f := range map[string]func(*sim.Process, net.Conn){
		"read":  func(_ *sim.Process, c net.Conn) { _, _ = c.Read(make([]byte, 1)) },
		"timer": func(p *sim.Process, _ net.Conn) { <-p.Clock().After(5 * ms) },
		"sleep": func(p *sim.Process, _ net.Conn) { p.Clock().Sleep(5 * ms) },
		"step":  func(p *sim.Process, _ net.Conn) { p.Step("x", 5*ms) },
		"AfterFunc": func(p *sim.Process, _ net.Conn) {
			c := make(chan bool)
			p.Clock().AfterFunc(5*ms, func() { close(c) })
			<-c
		},
		"dial": func(p *sim.Process, _ net.Conn) { sleepUntil(10*ms - 100*us); dialed(p) },
	} {
		t.Run(name, func(t *testing.T) {
			var passed time.Duration
			paused(t, nil, func(w *sim.World, server *sim.Actor, c *sim.ServerConn) {
				at(w, server, 15*ms, func() { c.Send(0, []byte("x"), nil) })
			}, func(p *sim.Process, c net.Conn) {
				sleepUntil(9 * ms)
				f(p, c)
				passed = since()
			})
			// Its event comes in the window after that in which the pause ends.
			if passed < pauseEnd || passed > pauseEnd+window+us {
				t.Errorf("it was through at %v", passed)
			}
		})
	}
}

// TestDeadlinesAndPauses: what counts is which came first, the deadline or
// what there is to read; not when somebody could look. A deadline that is set
// inside the pause, which only code can do that a timer of package time has woken
// there, counts from its end.
func TestDeadlinesAndPauses(t *testing.T) {
	send := func(c *sim.ServerConn) { c.Send(0, []byte("x"), nil) }
	hangUp := func(c *sim.ServerConn) { c.Close() }
	tests := []struct {
		name     string
		read     time.Duration // when Read is called, and the deadline set but for those "set before"
		deadline time.Duration
		at       time.Duration // when the server acts
		do       func(*sim.ServerConn)
		want     string
	}{
		{"waiting, data first", 5 * ms, 30 * ms, 20 * ms, send, "ok"},
		{"waiting, deadline first", 5 * ms, 30 * ms, 40 * ms, send, "timeout"},
		{"waiting, nothing", 5 * ms, 30 * ms, 0, nil, "timeout"},
		{"waiting, end first", 5 * ms, 30 * ms, 20 * ms, hangUp, "eof"},
		{"waiting, deadline before the end", 5 * ms, 30 * ms, 40 * ms, hangUp, "timeout"},
		{"waiting, both before the pause", 1 * ms, 5 * ms, 3 * ms, send, "ok"},
		{"waiting, deadline before the pause", 1 * ms, 5 * ms, 15 * ms, send, "timeout"},
		{"waiting, deadline behind the pause", 5 * ms, 80 * ms, 70 * ms, send, "ok"},
		{"waiting, all behind the pause", 5 * ms, 80 * ms, 90 * ms, send, "timeout"},
		{"at the gate, data first", 15 * ms, 30 * ms, 20 * ms, send, "ok"},
		{"at the gate, data inside the pause", 15 * ms, 30 * ms, 40 * ms, send, "ok"},
		{"at the gate, data in time behind the pause", 15 * ms, 30 * ms, 70 * ms, send, "ok"},
		{"at the gate, data too late behind the pause", 15 * ms, 30 * ms, 80 * ms, send, "timeout"},
		{"at the gate, set before, data first", 15 * ms, 30 * ms, 20 * ms, send, "ok"},
		{"at the gate, set before, deadline first", 15 * ms, 30 * ms, 40 * ms, send, "timeout"},
		{"at the gate, set before, deadline before the end", 15 * ms, 30 * ms, 40 * ms, hangUp, "timeout"},
		{"at the gate, nothing", 15 * ms, 30 * ms, 0, nil, "timeout"},
		{"at the gate, end first", 15 * ms, 30 * ms, 20 * ms, hangUp, "eof"},
		{"at the gate, end inside the pause", 15 * ms, 30 * ms, 40 * ms, hangUp, "eof"},
		{"at the gate, deadline behind the pause", 15 * ms, 80 * ms, 70 * ms, send, "ok"},
		{"at the gate, no deadline", 15 * ms, 0, 40 * ms, send, "ok"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got string
			paused(t, nil, func(w *sim.World, server *sim.Actor, c *sim.ServerConn) {
				if test.do != nil {
					at(w, server, test.at-200*us, func() { test.do(c) })
				}
			}, func(p *sim.Process, c net.Conn) {
				before := strings.Contains(test.name, "set before")
				if before {
					must(c.SetReadDeadline(epoch.Add(test.deadline)))
				}
				sleepUntil(test.read)
				if test.deadline > 0 && !before {
					must(c.SetReadDeadline(epoch.Add(test.deadline)))
				}
				_, err := c.Read(make([]byte, 1))
				got = outcome(err)
				if now := since(); pauseBegin < now && now < pauseEnd {
					t.Errorf("it was through at %v", now)
				}
			})
			if got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// TestPauseEnds: a pause ends once, at its time, also in a crowd and when it
// is shorter than anything.
func TestPauseEnds(t *testing.T) {
	for _, d := range []time.Duration{-ms, 0, 1, us, ms, time.Minute} {
		for seed := range 10 {
			r := run(t, randomTape(uint64(seed)), func(w *sim.World) {
				p := client(w, "c1", func(p *sim.Process) {
					for range 5 {
						p.Step("x", 10*us)
					}
				})
				a := w.NewActor("faults")
				at(w, a, 20*us, func() { p.Pause(d) })
				for i := range 10 {
					at(w, a, d+time.Duration(20+i)*us, func() { w.Log(sim.Event{Kind: sim.EventWork, Actor: a.Name()}) })
				}
			})
			begin, end := time.Duration(-1), time.Duration(-1)
			for _, e := range find(r, sim.EventFault, "c1") {
				switch {
				case strings.HasPrefix(e.Detail, string(sim.FaultPause)) && begin < 0:
					begin = e.At
				case e.Detail == string(sim.FaultResume) && end < 0:
					end = e.At
				default:
					t.Errorf("twice: %s", line(e))
				}
			}
			if took := end - begin; begin < 0 || took < d || took > max(d, 0)+50*us {
				t.Errorf("a pause of %v lasted from %v to %v", d, begin, end)
			}
			for _, e := range find(r, sim.EventStep, "c1") {
				if begin < e.At && e.At < end {
					t.Errorf("inside the pause: %s", line(e))
				}
			}
		}
	}
}

// TestPausedEventsAreNoChoice: an order decision is between events that can
// happen.
func TestPausedEventsAreNoChoice(t *testing.T) {
	n := every(sim.Order, func(tape sim.Tape) {
		run(t, tape, func(w *sim.World) {
			p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
			p.Pause(ms)
			for range 3 {
				w.GatedAt(p, 100*us, false, func() {})
			}
			at(w, w.NewActor("a"), 100*us, func() {})
			at(w, w.NewActor("b"), 100*us, func() {})
		})
	})
	if n != 2 {
		t.Errorf("two events that can happen have %d orders", n)
	}
}

// TestMarksAreCausal: what a mark wakes others to do comes after it in the
// log, whichever thread has the lower number.
func TestMarksAreCausal(t *testing.T) {
	for _, threads := range [][2]int{{0, 1}, {1, 0}} {
		r := run(t, nil, func(w *sim.World) {
			p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
			free := make(chan bool)
			p.Go(func() {
				p.Step("hold", ms)
				p.Mark(threads[0], "release", func(sim.Event) {})
				close(free)
			})
			p.Go(func() {
				<-free
				p.Mark(threads[1], "acquired", func(sim.Event) {})
			})
		})
		marks := find(r, sim.EventMark, "c1")
		if len(marks) != 2 || marks[0].Detail != "release" {
			t.Errorf("threads %v:\n%s", threads, list(marks))
		}
	}
}

// TestMarkComesBeforeWrites: a request carries the task that a mark has just
// numbered, and the task is the one of its time, however late it arrives.
func TestTask(t *testing.T) {
	var got []string
	run(t, nil, func(w *sim.World) {
		a := w.NewActor("server")
		w.Network().Listen(address, a, func(*sim.ServerConn) sim.Handler { return taskHandler{&got} })
		client(w, "c1", func(p *sim.Process) {
			c := dialed(p)
			for i := range 3 {
				task := new(sim.Task)
				p.SetTask(task)
				p.Mark(0, "begin", func(sim.Event) { task.ID = i + 1 })
				_, err := io.WriteString(c, fmt.Sprint("request ", i+1))
				must(err)
			}
			p.SetTask(nil)
			_, err := io.WriteString(c, "nobody's")
			must(err)
		})
	})
	if want := []string{"request 1: 1", "request 2: 2", "request 3: 3", "nobody's: none"}; !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

type taskHandler struct{ got *[]string }

func (h taskHandler) Receive(data []byte, task *sim.Task) {
	id := "none"
	if task != nil {
		id = fmt.Sprint(task.ID)
	}
	*h.got = append(*h.got, fmt.Sprintf("%s: %s", data, id))
}

func (taskHandler) Gone() {}

// TestFaultsAreWatched: whoever watches learns of every fault, with the event
// that the log has.
func TestFaultsAreWatched(t *testing.T) {
	var seen []string
	r := run(t, nil, func(w *sim.World) {
		server := echo(w)
		w.OnFault(func(f sim.Fault) {
			seen = append(seen, fmt.Sprintf("%d %s %s %s %v", f.Seq, f.Kind, f.Actor, f.Peer, f.For))
		})
		p := client(w, "c1", func(p *sim.Process) { p.Step("x", 20*ms) })
		a := w.NewActor("faults")
		at(w, a, 1*ms, func() { p.Pause(5 * ms) })
		at(w, a, 2*ms, func() { w.Network().Cut(p.Actor, server); w.Network().Cut(p.Actor, server) })
		at(w, a, 3*ms, func() { w.Network().Heal(p.Actor, server); w.Network().Heal(p.Actor, server) })
		at(w, a, 8*ms, func() { p.Crash() })
	})
	want := []string{"2 pause c1  5ms", "3 cut c1 server 0s", "4 heal c1 server 0s", "5 resume c1  0s", "6 crash c1  0s"}
	if !slices.Equal(seen, want) {
		t.Errorf("seen %q", seen)
	}
	if len(find(r, sim.EventFault, "c1")) != len(want) {
		t.Error(list(r.Events))
	}
}
