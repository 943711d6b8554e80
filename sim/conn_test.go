package sim_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// readAll is what a connection gives until an error, and that.
func readAll(c net.Conn) string {
	var b strings.Builder
	buf := make([]byte, 3)
	for {
		n, err := c.Read(buf)
		b.Write(buf[:n])
		if err != nil {
			return b.String() + ", " + outcome(err)
		}
	}
}

func write(c io.Writer, s string) string {
	_, err := io.WriteString(c, s)
	return outcome(err)
}

// TestConn plays short stories between a client and a server that does what
// it is told: "close" closes, "say x" sends x, "twice" sends two segments.
func TestConn(t *testing.T) {
	tests := []struct {
		name string
		play func(p *sim.Process, c net.Conn) string
		want string
		seen string // by the server
	}{
		{"the server closes", func(_ *sim.Process, c net.Conn) string {
			return write(c, "say bye") + " " + write(c, "close") + " " + readAll(c) + " " + readAll(c)
		}, "ok ok bye, eof , eof", "say bye|close|gone"},
		{"the client closes", func(_ *sim.Process, c net.Conn) string {
			return write(c, "say x") + " " + outcome(c.Close()) + " " + readAll(c) + " " + write(c, "y") + " " + outcome(c.Close())
		}, "ok ok , closed closed closed", "say x|gone"},
		{"writing to a closed peer", func(p *sim.Process, c net.Conn) string {
			s := write(c, "close") + " " + readAll(c) + " " + write(c, "more")
			p.Step("wait", ms)
			return s + " " + write(c, "more") + " " + readAll(c) + " " + outcome(c.Close())
		}, "ok , eof ok pipe , reset ok", "close|gone"},
		{"both close", func(_ *sim.Process, c net.Conn) string {
			return write(c, "close") + " " + outcome(c.Close())
		}, "ok ok", "close|gone"},
		{"read in small parts", func(p *sim.Process, c net.Conn) string {
			s := write(c, "say 0123456789")
			p.Step("wait", ms)
			buf := make([]byte, 4)
			for range 3 {
				n, err := c.Read(buf)
				s += " " + string(buf[:n]) + " " + outcome(err)
			}
			return s
		}, "ok 0123 ok 4567 ok 89 ok", "say 0123456789|gone"},
		{"segments run together", func(p *sim.Process, c net.Conn) string {
			s := write(c, "twice")
			p.Step("wait", ms)
			buf := make([]byte, 10)
			n, err := c.Read(buf)
			return s + " " + string(buf[:n]) + " " + outcome(err)
		}, "ok onetwo ok", "twice|gone"},
		{"empty reads and writes", func(p *sim.Process, c net.Conn) string {
			n, err := c.Read(nil)
			s := fmt.Sprint(n, " ", outcome(err), " ", write(c, ""))
			s += " " + write(c, "say x")
			p.Step("wait", ms)
			n, err = c.Read([]byte{})
			s += fmt.Sprint(" ", n, " ", outcome(err))
			buf := make([]byte, 1)
			_, err = c.Read(buf)
			return s + " " + string(buf) + " " + outcome(err)
		}, "0 ok ok ok 0 ok x ok", "say x|gone"},
		{"empty reads and what arrives meanwhile", func(p *sim.Process, c net.Conn) string {
			s, buf := "", make([]byte, 1)
			for _, word := range []string{"say x", "say y"} {
				_, err := c.Read(nil)
				s += outcome(err) + " " + write(c, word) + " "
				p.Step("wait", ms)
				_, err = c.Read(buf)
				s += string(buf) + " " + outcome(err) + " "
			}
			return s
		}, "ok ok x ok ok ok y ok ", "say x|say y|gone"},
		{"a read deadline", func(_ *sim.Process, c net.Conn) string {
			start := time.Now()
			must(c.SetReadDeadline(start.Add(10 * ms)))
			s := readAll(c) + fmt.Sprint(" ", time.Since(start).Round(ms))
			s += " " + readAll(c) // still
			must(c.SetReadDeadline(time.Time{}))
			return s + " " + write(c, "say x") + " " + write(c, "close") + " " + readAll(c)
		}, ", timeout 10ms , timeout ok ok x, eof", "say x|close|gone"},
		{"a read deadline that passes with nobody waiting", func(p *sim.Process, c net.Conn) string {
			must(c.SetReadDeadline(time.Now().Add(10 * ms)))
			p.Step("wait", 20*ms)
			s := write(c, "say x")
			p.Step("wait", ms)
			s += " " + readAll(c)
			must(c.SetReadDeadline(time.Now().Add(ms)))
			return s + " " + readAll(c)
		}, "ok , timeout x, timeout", "say x|gone"},
		{"a read deadline in the past", func(p *sim.Process, c net.Conn) string {
			s := write(c, "say x")
			p.Step("wait", ms)
			must(c.SetReadDeadline(time.Unix(1, 0)))
			s += " " + readAll(c)
			must(c.SetReadDeadline(time.Now().Add(ms)))
			return s + " " + readAll(c)
		}, "ok , timeout x, timeout", "say x|gone"},
		{"a write deadline", func(p *sim.Process, c net.Conn) string {
			must(c.SetWriteDeadline(time.Now().Add(ms)))
			s := write(c, "a")
			p.Step("wait", 2*ms)
			s += " " + write(c, "b")
			must(c.SetDeadline(time.Time{}))
			return s + " " + write(c, "c")
		}, "ok timeout ok", "a|c|gone"},
		{"a deadline is moved while somebody waits", func(p *sim.Process, c net.Conn) string {
			start := time.Now()
			must(c.SetReadDeadline(start.Add(10 * ms)))
			go func() { p.Step("wait", 5*ms); must(c.SetReadDeadline(start.Add(20 * ms))) }()
			s := readAll(c) + fmt.Sprint(" ", time.Since(start).Round(ms))
			go func() { p.Step("wait", 5*ms); must(c.SetReadDeadline(time.Now())) }()
			must(c.SetReadDeadline(time.Time{}))
			return s + " " + readAll(c) + fmt.Sprint(" ", time.Since(start).Round(ms))
		}, ", timeout 20ms , timeout 25ms", "gone"},
		{"closed while somebody waits", func(p *sim.Process, c net.Conn) string {
			go func() { p.Step("wait", ms); must(c.Close()) }()
			return readAll(c)
		}, ", closed", "gone"},
		{"the check for a good connection", func(p *sim.Process, c net.Conn) string {
			s := check(c) + ", " + write(c, "say x")
			p.Step("wait", ms)
			s += ", " + check(c)
			must(c.SetReadDeadline(time.Now().Add(ms)))
			s += ", " + readAll(c)
			s += ", " + check(c) + ", " + write(c, "close")
			p.Step("wait", ms)
			s += ", " + check(c) + ", " + outcome(c.Close())
			return s + ", " + check(c)
		}, "ok, ok, sim: 1 bytes wait to be read, x, timeout, ok, ok, eof, ok, closed", "say x|close|gone"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got string
			var seen []string
			run(t, nil, func(w *sim.World) {
				listen(w, handler{
					receive: func(c *sim.ServerConn, data []byte) {
						seen = append(seen, string(data))
						switch word, rest, _ := strings.Cut(string(data), " "); word {
						case "close":
							c.Close()
							c.Send(0, []byte("nobody hears this"), nil)
						case "say":
							c.Send(0, []byte(rest), nil)
							c.Send(0, nil, nil)
						case "twice":
							c.Send(0, []byte("one"), nil)
							c.Send(0, []byte("two"), nil)
						}
					},
					gone: func(*sim.ServerConn) { seen = append(seen, "gone") },
				})
				client(w, "c1", func(p *sim.Process) {
					c := dialed(p)
					got = test.play(p, c)
					_ = c.Close()
				})
			})
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
			if s := strings.Join(seen, "|"); s != test.seen {
				t.Errorf("the server saw %s, want %s", s, test.seen)
			}
		})
	}
}

// check is go-redis's look at a pooled connection.
func check(c net.Conn) string {
	raw, err := c.(syscall.Conn).SyscallConn()
	must(err)
	if raw.Control(nil) == nil || raw.Write(nil) == nil {
		return "it has a descriptor"
	}
	return outcome(raw.Read(func(uintptr) bool { panic("there is no descriptor") }))
}

// TestReaders: of several readers of one connection each gets what arrives in its turn, and all learn of its end, of a
// deadline and of the end of the run.
func TestReaders(t *testing.T) {
	for name, test := range map[string]struct {
		ends func(net.Conn)
		want string
	}{
		"deadline": {func(c net.Conn) { must(c.SetReadDeadline(time.Now().Add(ms))) }, "1 timeout, 1 xy, 2 timeout, 2 z, 3 timeout"},
		"close":    {func(c net.Conn) { must(c.Close()) }, "1 closed, 1 xy, 2 closed, 2 z, 3 closed"},
		"run":      {func(net.Conn) {}, "1 closed, 1 xy, 2 closed, 2 z, 3 closed"},
	} {
		var mu sync.Mutex
		var got []string
		run(t, nil, func(w *sim.World) {
			echo(w)
			client(w, "c1", func(p *sim.Process) {
				c := dialed(p)
				for i := range 3 {
					go func() {
						for {
							b := make([]byte, 2)
							n, err := c.Read(b)
							what := string(b[:n])
							if err != nil {
								what = outcome(err)
							}
							mu.Lock()
							got = append(got, fmt.Sprint(i+1, " ", what))
							mu.Unlock()
							if err != nil {
								return
							}
						}
					}()
					p.Step("the next reader", ms)
				}
				must2(c.Write([]byte("xyz")))
				p.Step("until that is read", 10*ms)
				test.ends(c)
				p.Step("until all know", 10*ms)
			})
		})
		slices.Sort(got)
		if all := strings.Join(got, ", "); all != test.want {
			t.Errorf("%s: %s, want %s", name, all, test.want)
		}
	}
}

// TestDeadlineOrData: which comes first of two that are due in one window is
// an order decision, and the reader gets what came first. Between windows there
// is no choice.
func TestDeadlineOrData(t *testing.T) {
	for early, want := range map[time.Duration]string{
		-5 * us: "timeout", 0: "ok or timeout", 5 * us: "ok or timeout", window: "ok",
	} {
		got := map[string]bool{}
		every(sim.Order, func(tape sim.Tape) {
			run(t, tape, func(w *sim.World) {
				server := w.NewActor("server")
				w.Network().Listen(address, server, func(c *sim.ServerConn) sim.Handler {
					w.At(server, 10*ms-200*us-early, sim.EventWork, sim.EventOptions{}, func() { c.Send(0, []byte("x"), nil) })
					return handler{}
				})
				client(w, "c1", func(p *sim.Process) {
					c := dialed(p)
					must(c.SetReadDeadline(epoch.Add(10 * ms)))
					_, err := c.Read(make([]byte, 1))
					got[outcome(err)] = true
				})
			})
		})
		if all := strings.Join(slices.Sorted(maps.Keys(got)), " or "); all != want {
			t.Errorf("data %v before the deadline: %s, want %s", early, all, want)
		}
	}
}

// TestDeadlineInsideWindow: a deadline between two windows is over with the
// second. What arrives in the first is in time, whichever event of that window
// goes first, and whether anybody waits for it or not.
func TestDeadlineInsideWindow(t *testing.T) {
	for _, waiting := range []bool{true, false} {
		n := every(sim.Order, func(tape sim.Tape) {
			run(t, tape, func(w *sim.World) {
				server, other := w.NewActor("server"), w.NewActor("other")
				w.Network().Listen(address, server, func(c *sim.ServerConn) sim.Handler {
					w.At(server, 10*ms-200*us, sim.EventWork, sim.EventOptions{}, func() { c.Send(0, []byte("x"), nil) })
					return handler{}
				})
				for range 2 {
					w.At(other, 10*ms, sim.EventWork, sim.EventOptions{}, func() {})
				}
				client(w, "c1", func(p *sim.Process) {
					c := dialed(p)
					must(c.SetReadDeadline(epoch.Add(10*ms + us/2)))
					if !waiting {
						p.Step("not yet", 20*ms)
					}
					if _, err := c.Read(make([]byte, 1)); err != nil {
						t.Errorf("waiting %v: the data came too late: %v", waiting, err)
					}
				})
			})
		})
		if n != 6 {
			t.Errorf("%d orders", n)
		}
	}
}

// TestDeadlineInThePast: it is over at once, also if its window is not.
func TestDeadlineInThePast(t *testing.T) {
	run(t, nil, func(w *sim.World) {
		echo(w)
		client(w, "c1", func(p *sim.Process) {
			c := dialed(p)
			must2(c.Write([]byte("x")))
			p.Step("until there is something to read", ms)
			for _, past := range []time.Time{time.Now(), time.Now().Add(-1), epoch, epoch.Add(-ms), time.Unix(1, 0)} {
				must(c.SetDeadline(past))
				_, err := c.Write([]byte("y"))
				if got := readAll(c); got != ", timeout" || outcome(err) != "timeout" {
					t.Errorf("with a deadline of %v it read %q, and wrote: %v", past, got, err)
				}
			}
			must(c.SetDeadline(time.Time{}))
			must2(c.Write([]byte("y")))
			if _, err := io.ReadFull(c, make([]byte, 2)); err != nil {
				t.Error(err)
			}
		})
	})
}

// TestErrors: errors are told apart as those of package net.
func TestErrors(t *testing.T) {
	run(t, nil, func(w *sim.World) {
		echo(w)
		client(w, "c1", func(p *sim.Process) {
			c := dialed(p)
			must(c.SetDeadline(time.Now()))
			_, err := c.Read(make([]byte, 1))
			var ne net.Error
			if !errors.As(err, &ne) || !ne.Timeout() || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("a deadline: %#v", err)
			}
			if want := "read tcp 10.0.0.2:40001->10.0.1.1:7: i/o timeout"; err.Error() != want {
				t.Errorf("%v, want %s", err, want)
			}
		})
	})
}

// TestDeparture: what is sent for later leaves later, and what is sent after
// it does not leave before it.
func TestDeparture(t *testing.T) {
	got := ""
	r := run(t, nil, func(w *sim.World) {
		listen(w, handler{receive: func(c *sim.ServerConn, _ []byte) {
			c.Send(w.Now()+10*ms, []byte("later "), nil)
			c.Send(0, []byte("now"), nil)
			c.Close()
		}})
		client(w, "c1", func(p *sim.Process) {
			c := dialed(p)
			must(c.SetReadDeadline(time.Now().Add(time.Second)))
			_, err := io.WriteString(c, "x")
			must(err)
			got = readAll(c)
		})
	})
	if got != "later now, eof" {
		t.Error(got)
	}
	for _, e := range r.Events {
		if e.Actor == "c1" && e.Conn == 1 && e.Kind != sim.EventDial && (e.Sent < 10*ms || e.At-e.Sent < 200*us || e.At-e.Sent > 205*us) {
			t.Errorf("sent at %v: %s", e.Sent, line(e))
		}
	}
}
