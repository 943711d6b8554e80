package sim_test

import (
	"bytes"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// gathered is a connection that gathers words, each with a space behind it, and sorts
// those of a step.
func gathered(p *sim.Process) *sim.Conn {
	c := dialed(p).(*sim.Conn)
	c.Gather(sortWords)
	return c
}

func sortWords(written []byte) []byte {
	words := strings.Fields(string(written))
	slices.Sort(words)
	return []byte(strings.Join(words, " ") + " ")
}

// together makes goroutines that run in any order call f, and waits for them.
func together(f func(word string), words ...string) {
	var all sync.WaitGroup
	for _, word := range words {
		all.Go(func() {
			dawdle()
			f(word)
		})
	}
	all.Wait()
}

// TestGather: what goroutines write in one step is one segment, and the order in which
// they ran leaves no trace, also after a pause and before the connection is closed.
func TestGather(t *testing.T) {
	story := func() (seen []string, report sim.Report) {
		report = run(t, randomTape(1), func(w *sim.World) {
			listen(w, handler{receive: func(_ *sim.ServerConn, data []byte) { seen = append(seen, string(data)) }})
			p := client(w, "c1", func(p *sim.Process) {
				c := gathered(p)
				say := func(word string) { must2(c.Write([]byte(word))) }
				together(say, "b ", "a ", "d ", "c ")
				p.Step("between two steps", ms)
				together(say, "y ", "x ")
				time.Sleep(10 * ms) // until it is paused
				say("q ")
				say("p ")
				p.Step("the next", ms)
				together(say, "n ", "m ")
				must(c.Close())
			})
			at(w, p.Actor, 8*ms, func() { p.Pause(20 * ms) })
		})
		return seen, report
	}
	seen, first := story()
	if got, want := strings.Join(seen, "|"), "a b c d |x y |p q |m n "; got != want {
		t.Errorf("the server saw %q, want %q", got, want)
	}
	for range 20 {
		_, again := story()
		same(t, "gathered", first, again)
	}
}

// TestGatherInPause: who writes in a pause to a connection that gathers, with no mutex held, does
// not wait for its end. What is written leaves as one segment, and in the order in which it was
// written, or is lost if the connection has ended.
func TestGatherInPause(t *testing.T) {
	for _, test := range []struct {
		name   string
		freely bool
		reset  bool
		seen   string
		wrote  time.Duration
	}{
		{"it goes on", true, false, "a b ;c ", 10 * ms},
		{"it has ended", true, true, "", 10 * ms},
		{"a mutex may be held", false, false, "a b ;c ", 28 * ms},
	} {
		t.Run(test.name, func(t *testing.T) {
			var seen []string
			var wrote time.Duration
			run(t, nil, func(w *sim.World) {
				listen(w, handler{receive: func(_ *sim.ServerConn, data []byte) { seen = append(seen, string(data)) }})
				p := client(w, "c1", func(p *sim.Process) {
					c := gathered(p)
					if test.freely {
						c.WritesFreely()
					}
					begin := time.Now()
					time.Sleep(10 * ms) // until it is paused
					_, _ = c.Write([]byte("b "))
					wrote = time.Since(begin).Round(ms)
					_, _ = c.Write([]byte("a "))
					p.Step("the next", ms)
					_, _ = c.Write([]byte("c "))
				})
				at(w, p.Actor, 8*ms, func() { p.Pause(20 * ms) })
				if test.reset {
					at(w, p.Actor, 20*ms, func() { w.Network().Conns(p.Actor)[0].Reset(nil) })
				}
			})
			if got := strings.Join(seen, ";"); got != test.seen || wrote != test.wrote {
				t.Errorf("the server saw %q, want %q; the first was written after %v, want %v", got, test.seen, wrote, test.wrote)
			}
		})
	}
}

// TestGatherKeepsBack: what canon keeps back leaves with the next step's, and a step of
// which it sends nothing is no segment.
func TestGatherKeepsBack(t *testing.T) {
	var seen []string
	run(t, nil, func(w *sim.World) {
		listen(w, handler{receive: func(_ *sim.ServerConn, data []byte) { seen = append(seen, string(data)) }})
		client(w, "c1", func(p *sim.Process) {
			c := dialed(p).(*sim.Conn)
			var kept []byte
			c.Gather(func(written []byte) []byte {
				kept = append(kept, written...)
				end := bytes.LastIndexByte(kept, ' ') + 1
				whole := bytes.Clone(kept[:end])
				kept = kept[end:]
				return whole
			})
			for _, part := range []string{"hel", "lo wor", "ld "} {
				must2(c.Write([]byte(part)))
				p.Step("the next", ms)
			}
			must(c.Close())
		})
	})
	if got := strings.Join(seen, "|"); got != "hello |world " {
		t.Errorf("the server saw %q", got)
	}
}

// TestGatherTask: a segment has the task of those who wrote it.
func TestGatherTask(t *testing.T) {
	var tasks []string
	run(t, nil, func(w *sim.World) {
		server := w.NewActor("server")
		w.Network().Listen(address, server, func(*sim.ServerConn) sim.Handler {
			return receiver(func(data []byte, task *sim.Task) { tasks = append(tasks, string(data)+"of "+task.Name) })
		})
		client(w, "c1", func(p *sim.Process) {
			c := gathered(p)
			for _, name := range []string{"one", "two"} {
				p.SetTask(&sim.Task{Name: name})
				must2(c.Write([]byte("b ")))
				must2(c.Write([]byte("a ")))
				p.Step("the next", ms)
			}
		})
	})
	if got := strings.Join(tasks, "|"); got != "a b of one|a b of two" {
		t.Errorf("the server saw %q", got)
	}
}

// receiver makes a function a handler.
type receiver func(data []byte, task *sim.Task)

func (r receiver) Receive(data []byte, task *sim.Task) { r(data, task) }
func (receiver) Gone()                                 {}

// TestGatherPanics: a panic of canon is the failure of the run.
func TestGatherPanics(t *testing.T) {
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		echo(w)
		client(w, "c1", func(p *sim.Process) {
			c := dialed(p).(*sim.Conn)
			c.Gather(func([]byte) []byte { panic("no such frame") })
			must2(c.Write([]byte("x")))
			p.Step("never over", ms)
		})
	})
	if report.Failure == nil || !strings.Contains(report.Failure.Reason, "no such frame") {
		t.Errorf("the failure is %+v", report.Failure)
	}
}

// TestServerGathers: what a server sends in one step is one segment, whatever calls
// Send. What departs later is another one.
func TestServerGathers(t *testing.T) {
	for _, test := range []struct {
		gathers bool
		want    string
	}{
		{true, "abc|d|e|fg"},
		{false, "a|b|c|d|e|f|g"},
	} {
		report := run(t, nil, func(w *sim.World) {
			var server *sim.Actor
			server = listen(w, handler{receive: func(c *sim.ServerConn, _ []byte) {
				if test.gathers {
					c.Gather()
				}
				say := func(depart time.Duration, words ...string) {
					for _, word := range words {
						c.Send(depart, []byte(word), nil)
					}
				}
				say(0, "a", "b", "c")
				say(w.Now()+5*ms, "d")
				at(w, server, w.Now()+10*ms, func() { say(0, "e") })
				at(w, server, w.Now()+10*ms, func() {
					say(0, "f", "g")
					c.Close()
				})
			}})
			client(w, "c1", func(p *sim.Process) {
				c := dialed(p)
				must2(c.Write([]byte("?")))
				if got := readAll(c); got != "abcdefg, eof" {
					t.Errorf("the client read %q", got)
				}
			})
		})
		var got []string
		for _, e := range find(report, sim.EventDeliver, "c1") {
			got = append(got, string(e.Payload))
		}
		if s := strings.Join(got, "|"); s != test.want {
			t.Errorf("gathers %v: the segments are %s, want %s", test.gathers, s, test.want)
		}
	}
}
