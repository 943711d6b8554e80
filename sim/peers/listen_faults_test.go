package peers_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/peers"
)

// pair is a world of a process that listens, which is run outside of the workloads, and one that dials.
func pair(t *testing.T, serve func(p *sim.Process, l net.Listener), dials func(p *sim.Process), strike func(w *sim.World, server, client *sim.Process)) {
	t.Helper()
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		server := w.NewProcess("s", sim.ProcessOptions{Host: "10.0.0.1"})
		w.At(server.Actor, 0, sim.EventStep, sim.EventOptions{}, func() {
			go func() {
				l, err := peers.Listen(server, 7)
				if err != nil {
					t.Error(err)
					return
				}
				serve(server, l)
			}()
		})
		client := w.NewProcess("c", sim.ProcessOptions{Host: "10.0.0.2"})
		client.Go(func() { dials(client) })
		if strike != nil {
			strike(w, server, client)
		}
	})
	if report.Failure != nil {
		t.Fatal(report.Failure.Reason, report.Failure.Stack)
	}
}

func dial(p *sim.Process) (net.Conn, error) {
	return p.DialContext(context.Background(), "tcp", "10.0.0.1:7", time.Second)
}

// echo answers on each connection with what it reads.
func echo(_ *sim.Process, l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			_, _ = io.Copy(c, c)
			_ = c.Close()
		}()
	}
}

// TestListenerCrashes: a process that crashes refuses dials, and resets the connections that it has. One that starts anew
// listens only when it says so.
func TestListenerCrashes(t *testing.T) {
	pair(t, echo, func(p *sim.Process) {
		p.Clock().Sleep(time.Millisecond)
		c, err := dial(p)
		if err != nil {
			t.Error(err)
			return
		}
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("a connection to a process that crashes ends with %v", err)
		}
		if _, err := dial(p); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("a process that has crashed is dialed: %v", err)
		}
		p.Clock().Sleep(30 * time.Millisecond)
		if _, err := dial(p); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("a process that does not listen yet is dialed: %v", err)
		}
		p.Clock().Sleep(30 * time.Millisecond)
		if c, err := dial(p); err != nil || c.Close() != nil {
			t.Errorf("a process that has started anew is dialed: %v", err)
		}
	}, func(w *sim.World, server, _ *sim.Process) {
		faults := w.NewActor("faults")
		w.At(faults, 10*time.Millisecond, sim.EventFault, sim.EventOptions{}, server.Crash)
		w.At(faults, 20*time.Millisecond, sim.EventFault, sim.EventOptions{}, func() {
			again := server.Restart()
			w.At(again.Actor, 60*time.Millisecond, sim.EventStep, sim.EventOptions{}, func() {
				go func() {
					if l, err := peers.Listen(again, 7); err != nil {
						t.Error(err)
					} else {
						echo(again, l)
					}
				}()
			})
		})
	})
}

// TestAcceptAtTheEnd: who waits to accept when the run is over learns that the listener is closed.
func TestAcceptAtTheEnd(t *testing.T) {
	observed := make(chan error, 1)
	pair(t, func(_ *sim.Process, l net.Listener) {
		_, err := l.Accept()
		observed <- err
	}, func(p *sim.Process) { p.Clock().Sleep(time.Millisecond) }, nil)
	if err := <-observed; !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept fails with %v, want net.ErrClosed", err)
	}
}

// TestAcceptedDeadlines: deadlines at the end that was accepted are those of any connection.
func TestAcceptedDeadlines(t *testing.T) {
	said := make(chan string, 3)
	pair(t, func(p *sim.Process, l net.Listener) {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
			return
		}
		begun := p.Clock().Now()
		_ = c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
		_, err = c.Read(make([]byte, 1))
		said <- fmt.Sprint(errors.Is(err, os.ErrDeadlineExceeded), " after ", p.Clock().Since(begun).Truncate(time.Millisecond))
		_ = c.SetReadDeadline(time.Time{})
		b := make([]byte, 5)
		n, err := io.ReadFull(c, b)
		said <- fmt.Sprint(string(b[:n]), " ", err)
		_ = c.SetWriteDeadline(time.Unix(0, 1))
		_, err = c.Write([]byte("x"))
		said <- fmt.Sprint(errors.Is(err, os.ErrDeadlineExceeded))
		_ = c.Close()
	}, func(p *sim.Process) {
		p.Clock().Sleep(time.Millisecond)
		c, err := dial(p)
		if err != nil {
			t.Error(err)
			return
		}
		p.Clock().Sleep(50 * time.Millisecond)
		_, _ = io.WriteString(c, "hello")
		_, _ = c.Read(make([]byte, 1)) // until it is closed
	}, nil)
	for _, want := range []string{"true after 20ms", "hello <nil>", "true"} {
		if got := <-said; got != want {
			t.Errorf("it says %q, want %q", got, want)
		}
	}
}

// TestAcceptedReset: a process whose peer crashes finds its accepted connection reset, also if it has not accepted it yet.
func TestAcceptedReset(t *testing.T) {
	for _, waits := range []time.Duration{0, 40 * time.Millisecond} {
		said := make(chan error, 1)
		pair(t, func(p *sim.Process, l net.Listener) {
			p.Clock().Sleep(waits)
			c, err := l.Accept()
			if err != nil {
				t.Error(err)
				said <- err
				return
			}
			_, err = c.Read(make([]byte, 1))
			said <- err
		}, func(p *sim.Process) {
			p.Clock().Sleep(time.Millisecond)
			if _, err := dial(p); err != nil {
				t.Error(err)
			}
			p.Clock().Sleep(time.Hour) // it crashes before
		}, func(w *sim.World, _, client *sim.Process) {
			faults := w.NewActor("faults")
			w.At(faults, 20*time.Millisecond, sim.EventFault, sim.EventOptions{}, client.Crash)
			other := w.NewProcess("other", sim.ProcessOptions{Host: "10.0.0.3"})
			other.Go(func() { other.Clock().Sleep(100 * time.Millisecond) }) // the run goes on
		})
		if err := <-said; !errors.Is(err, syscall.ECONNRESET) {
			t.Errorf("accepted after %v: it reads %v", waits, err)
		}
	}
}
