package sim_test

import (
	"fmt"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestCrash: a crash ends all that a process does, at any of its moments, and
// leaves the rest of the world alone.
func TestCrash(t *testing.T) {
	for name, f := range map[string]func(*sim.Process, net.Conn){
		"in a step":   func(p *sim.Process, _ net.Conn) { p.Step("x", 20*ms) },
		"in a sleep":  func(p *sim.Process, _ net.Conn) { p.Clock().Sleep(20 * ms) },
		"in a read":   func(_ *sim.Process, c net.Conn) { _, _ = c.Read(make([]byte, 1)) },
		"at a timer":  func(p *sim.Process, _ net.Conn) { <-p.Clock().NewTimer(20 * ms).Chan() },
		"at a ticker": func(p *sim.Process, _ net.Conn) { <-p.Clock().NewTicker(20 * ms).Chan() },
		"AfterFunc": func(p *sim.Process, _ net.Conn) {
			c := make(chan bool)
			p.Clock().AfterFunc(20*ms, func() { close(c) })
			<-c
		},
		"in a dial":    func(p *sim.Process, _ net.Conn) { sleepUntil(10*ms - 100*us); _, _ = dial(p, 0) },
		"in an answer": func(p *sim.Process, _ net.Conn) { sleepUntil(10*ms - 300*us); _, _ = dial(p, 0) },
		"of a writer":  func(_ *sim.Process, c net.Conn) { sleepUntil(10*ms - 100*us); _ = ping(c, "lost") },
		"of an idler":  func(*sim.Process, net.Conn) { time.Sleep(20 * ms) },
		"of a marker":  func(p *sim.Process, _ net.Conn) { sleepUntil(20 * ms); p.Mark(0, "x", func(sim.Event) {}) },
	} {
		t.Run(name, func(t *testing.T) {
			var gone []int
			var got string
			r := run(t, nil, func(w *sim.World) {
				server := listen(w, handler{
					receive: func(c *sim.ServerConn, data []byte) {
						got += string(data)
						c.Send(0, data, nil)
					},
					gone: func(c *sim.ServerConn) { gone = append(gone, c.ID()) },
				})
				p := client(w, "c1", func(p *sim.Process) {
					c := dialed(p)
					must(ping(c, "a"))
					f(p, c)
					must(ping(c, "dead")) // panics, but not before the run is over
				})
				client(w, "c2", func(p *sim.Process) { sleepUntil(30 * ms); must(ping(dialed(p), "alive")) })
				at(w, w.NewActor("faults"), 10*ms, func() {
					p.Crash()
					p.Crash()
					if p.Pause(ms) || !p.Paused() {
						t.Error("a crashed process was paused")
					}
					p.Go(func() { t.Error("a workload of a crashed process began") })
				})
				at(w, server, 15*ms, func() {
					if list := w.Network().Conns(p.Actor); len(list) != 0 {
						t.Errorf("the crashed process has %d connections", len(list))
					}
				})
			})
			if got != "aalive" && got != "alivea" {
				t.Errorf("the server got %q", got)
			}
			if !slices.Contains(gone, 1) {
				t.Error("the server did not learn that connection 1 is gone")
			}
			for _, e := range r.Events {
				if e.At > 10*ms && e.Actor == "c1" && e.Kind != sim.EventFault && e.Kind != sim.EventDrop {
					t.Errorf("after the crash: %s", line(e))
				}
			}
			if r.Simulated > 40*ms {
				t.Errorf("the run took %v", r.Simulated)
			}
		})
	}
}

// TestCrashInPause: nothing waits for the end of the pause of a dead process.
func TestCrashInPause(t *testing.T) {
	r := run(t, nil, func(w *sim.World) {
		p := client(w, "c1", func(p *sim.Process) {
			p.Step("x", 20*ms)
			if !over(p) {
				t.Error("it went on")
			}
		})
		a := w.NewActor("faults")
		at(w, a, 10*ms, func() { p.Pause(time.Minute) })
		at(w, a, 15*ms, func() { p.Crash() })
	})
	if r.Simulated > 16*ms {
		t.Errorf("the run took %v", r.Simulated)
	}
}

// TestCrashedBeforeItBegan: a workload that has not begun never does.
func TestCrashedBeforeItBegan(t *testing.T) {
	run(t, nil, func(w *sim.World) {
		client(w, "c1", func(*sim.Process) { t.Error("it began") }).Crash()
	})
}

// TestCrashInAMark: nothing of the process is heard after it, not even of the
// same step.
func TestCrashInAMark(t *testing.T) {
	r := run(t, nil, func(w *sim.World) {
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		start := make(chan bool)
		for thread := range 2 {
			p.Go(func() {
				<-start
				p.Mark(thread, fmt.Sprint("thread ", thread), func(sim.Event) {
					if thread == 0 {
						p.Crash()
					} else {
						t.Error("thread 1 was heard")
					}
				})
			})
		}
		p.Go(func() { close(start) })
	})
	if marks := find(r, sim.EventMark, "c1"); len(marks) != 1 {
		t.Error(list(marks))
	}
}
