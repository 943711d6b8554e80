package etcd_test

import (
	"context"
	"errors"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/etcd/store"
	"github.com/lockpick-dev/lockpick/sim"
)

// plain leaves a connection as it is.
func plain(c *sim.Conn) net.Conn { return c }

// silent is a server that answers nothing.
type silent struct{}

func (silent) Receive([]byte, *sim.Task) {}
func (silent) Gone()                     {}

// answering is a server that answers with some bytes.
type answering struct {
	conn   *sim.ServerConn
	answer []byte
}

func (a answering) Receive(_ []byte, t *sim.Task) { a.conn.Send(0, a.answer, t) }
func (answering) Gone()                           {}

// dialing makes a run with a server that accepts connections, and a client.
func dialing(t *testing.T, client func(w *sim.World, p *sim.Process, dial func(context.Context) (net.Conn, error))) {
	t.Helper()
	connecting(t, func(*sim.ServerConn) sim.Handler { return silent{} }, client)
}

// connecting makes a run with a server and a client.
func connecting(t *testing.T, accept func(*sim.ServerConn) sim.Handler, client func(w *sim.World, p *sim.Process, dial func(context.Context) (net.Conn, error))) sim.Report {
	t.Helper()
	const address = "10.0.2.1:2379"
	r := sim.Run(sim.Config{Record: true}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: time.Millisecond})
		w.Network().Listen(address, w.NewActor("server"), accept)
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		client(w, p, func(ctx context.Context) (net.Conn, error) { return etcd.Dialer(p, plain)(ctx, address) })
	})
	if r.Failure != nil {
		t.Fatalf("%+v", r.Failure)
	}
	return r
}

// pause stops a process from a time on.
func pause(w *sim.World, p *sim.Process, at, length time.Duration) {
	w.At(w.NewActor("fault"), at, sim.EventFault, sim.EventOptions{}, func() { p.Pause(length) })
}

// TestLateConnection: a connection is not used if the time to connect was over when the
// process went on after a pause.
func TestLateConnection(t *testing.T) {
	for _, test := range []struct {
		limit time.Duration
		late  bool
	}{{time.Second, true}, {time.Minute, false}} {
		dialing(t, func(w *sim.World, p *sim.Process, dial func(context.Context) (net.Conn, error)) {
			pause(w, p, time.Millisecond/2, 5*time.Second)
			p.Go(func() {
				ctx, cancel := context.WithTimeout(context.Background(), test.limit)
				defer cancel()
				conn, err := dial(ctx)
				if late := errors.Is(err, context.DeadlineExceeded); late != test.late || late != (conn == nil) {
					t.Errorf("within %v: %v, %v", test.limit, conn, err)
				}
			})
		})
	}
}

// TestBrokenConnection: what is written to a connection that the server has ended in a pause is
// lost, and a read then fails.
func TestBrokenConnection(t *testing.T) {
	dialing(t, func(w *sim.World, p *sim.Process, dial func(context.Context) (net.Conn, error)) {
		pause(w, p, 10*time.Millisecond, time.Second)
		w.At(w.NewActor("reset"), 20*time.Millisecond, sim.EventFault, sim.EventOptions{}, func() {
			for _, c := range w.Network().Conns(p.Actor) {
				c.Reset(nil)
			}
		})
		p.Go(func() {
			conn, err := dial(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			p.Clock().Sleep(50 * time.Millisecond)
			if n, err := conn.Write([]byte("lost")); n != 4 || err != nil {
				t.Errorf("wrote %d bytes, %v", n, err)
			}
			if n, err := conn.Read(make([]byte, 8)); n != 0 || err == nil {
				t.Errorf("read %d bytes, %v", n, err)
			}
		})
	})
}

// TestAnswersBeyondBuffer: answers that have come at once are read by an event of their own each,
// also those that a buffer does not hold. The end of one and the next are not read together.
func TestAnswersBeyondBuffer(t *testing.T) {
	const buffer = 4096
	wire := func(lengths ...int) (b []byte) {
		for i, n := range lengths {
			b = append(b, 0, byte(n>>8), byte(n), 0, 0, 0, 0, 0, byte(2*i+1))
			b = append(b, make([]byte, n)...)
		}
		return b
	}
	for _, test := range []struct {
		name   string
		answer []byte
		reads  []int
		events int
	}{
		{"one that the buffer does not hold", wire(5000), []int{buffer, 913}, 0},
		{"the end of one and the next", wire(5000, 10), []int{buffer, 913, 19}, 1},
		{"one that fills the buffer, and the next", wire(buffer-9, 10), []int{buffer, 19}, 1},
		{"one, and the header of the next in two parts", wire(buffer-9-4, 10), []int{buffer, 15}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			var reads []int
			accept := func(c *sim.ServerConn) sim.Handler { return answering{c, test.answer} }
			r := connecting(t, accept, func(_ *sim.World, p *sim.Process, dial func(context.Context) (net.Conn, error)) {
				p.Go(func() {
					conn, err := dial(context.Background())
					if err != nil {
						t.Error(err)
						return
					}
					_, _ = conn.Write([]byte("ask"))
					for rest := len(test.answer); rest > 0; {
						n, err := conn.Read(make([]byte, buffer))
						if err != nil {
							t.Error(err)
							return
						}
						reads, rest = append(reads, n), rest-n
					}
				})
			})
			events := 0
			for _, e := range r.Events {
				if strings.HasPrefix(e.Detail, "reads on from") {
					events++
				}
			}
			if !slices.Equal(reads, test.reads) || events != test.events {
				t.Errorf("%d are read, with %d events between; want %d and %d", reads, events, test.reads, test.events)
			}
		})
	}
}

// pausing pauses a process before the first event in which it reads another answer.
type pausing struct {
	process *sim.Process
	length  time.Duration
	done    bool
}

func (p *pausing) Before(e sim.Upcoming) bool {
	if p.done || e.Kind != sim.EventStep || e.Actor != p.process.Actor || e.At == 0 {
		return false
	}
	p.done = true
	return p.process.Pause(p.length)
}

// TestAnswersAfterPause: an answer that was held up by a pause is not read together with one that
// has come meanwhile.
func TestAnswersAfterPause(t *testing.T) {
	two := slices.Concat(answerOf(1), answerOf(3))
	accept := func(c *sim.ServerConn) sim.Handler { return answering{c, two} }
	steps := 0
	r := connecting(t, accept, func(w *sim.World, p *sim.Process, dial func(context.Context) (net.Conn, error)) {
		w.Inject(&pausing{process: p, length: time.Second})
		p.Go(func() {
			conn, err := dial(context.Background())
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = conn.Write([]byte("ask"))
			_, _ = conn.Write([]byte("ask"))
			for range 4 {
				if _, err := conn.Read(make([]byte, 100)); err != nil {
					t.Error(err)
					return
				}
			}
		})
	})
	for _, e := range r.Events {
		if e.Kind == sim.EventStep && strings.HasPrefix(e.Detail, "reads on from") {
			steps++
		}
	}
	if steps != 3 {
		t.Errorf("of four answers %d were read by an event of their own after others, not 3", steps)
	}
}

// TestCloseBetweenAnswers: a client may close a connection, as gRPC does after a GOAWAY, when it has
// read one of two answers that have come at once. Whether its reader has asked for the other before
// leaves no trace.
func TestCloseBetweenAnswers(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that who yields lets others go first
	after := func(yields int) sim.Report {
		accept := func(c *sim.ServerConn) sim.Handler {
			return answering{c, slices.Concat(answerOf(1), answerOf(3))}
		}
		return connecting(t, accept, func(_ *sim.World, p *sim.Process, dial func(context.Context) (net.Conn, error)) {
			p.Go(func() {
				conn, err := dial(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				_, _ = conn.Write([]byte("ask"))
				b := make([]byte, 100)
				_, _ = conn.Read(b)
				go func() {
					for range yields {
						runtime.Gosched()
					}
					_ = conn.Close()
				}()
				runtime.Gosched()
				if n, err := conn.Read(b); !errors.Is(err, net.ErrClosed) || n != 0 {
					t.Errorf("after %d yields %d bytes are read, %v", yields, n, err)
				}
			})
		})
	}
	if one, other := after(0), after(20); one.Hash != other.Hash {
		t.Errorf("runs differ:\n%v\n%v", one.Events, other.Events)
	}
}

// answerOf is a frame with an answer of a stream.
func answerOf(stream byte) []byte { return []byte{0, 0, 1, 0, 0, 0, 0, 0, stream, 0} }
