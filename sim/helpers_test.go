package sim_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/testdata/globals"
)

const (
	us = time.Microsecond
	ms = time.Millisecond

	window = sim.DefaultWindow
)

// tapeFunc makes a function a tape.
type tapeFunc func(sim.Decision) int

func (f tapeFunc) Choose(d sim.Decision) int { return f(d) }

// randomTape deviates from calm as decisions ask, from a seed.
func randomTape(seed uint64) sim.Tape {
	rng := rand.New(rand.NewPCG(seed, 0))
	return tapeFunc(func(d sim.Decision) int {
		if d.Odds > 0 && rng.IntN(d.Odds) > 0 {
			return 0
		}
		return rng.IntN(d.Options)
	})
}

// identityTape answers by the identity of the decision alone.
func identityTape(seed uint64) sim.Tape {
	return tapeFunc(func(d sim.Decision) int {
		h := fnv.New64a()
		fmt.Fprint(h, seed, d.ID())
		return int(h.Sum64() % uint64(d.Options))
	})
}

// every calls f with each of the tapes by which f's run can differ in the
// decisions of one kind: depth first, calm first. It returns how many.
func every(k sim.Kind, f func(sim.Tape)) int {
	var path, of []int
	for n := 1; ; n++ {
		at := 0
		f(tapeFunc(func(d sim.Decision) int {
			if d.Kind != k {
				return 0
			}
			if at == len(path) {
				path, of = append(path, 0), append(of, d.Options)
			}
			at++
			return path[at-1]
		}))
		for len(path) > 0 && path[len(path)-1] == of[len(of)-1]-1 {
			path, of = path[:len(path)-1], of[:len(of)-1]
		}
		if len(path) == 0 {
			return n
		}
		path[len(path)-1]++
	}
}

// handler is a server's side of a connection, made of functions.
type handler struct {
	conn    *sim.ServerConn
	receive func(c *sim.ServerConn, data []byte)
	gone    func(c *sim.ServerConn)
}

func (h handler) Receive(data []byte, _ *sim.Task) {
	if h.receive != nil {
		h.receive(h.conn, data)
	}
}

func (h handler) Gone() {
	if h.gone != nil {
		h.gone(h.conn)
	}
}

const address = "10.0.1.1:7"

// listen adds a server with the given behaviour.
func listen(w *sim.World, h handler) *sim.Actor {
	a := w.NewActor("server")
	w.Network().Listen(address, a, func(c *sim.ServerConn) sim.Handler {
		h := h
		h.conn = c
		return h
	})
	return a
}

// echo adds a server that sends back what it gets.
func echo(w *sim.World) *sim.Actor {
	return listen(w, handler{receive: func(c *sim.ServerConn, data []byte) { c.Send(0, data, nil) }})
}

// client adds a process with one workload.
func client(w *sim.World, name string, f func(*sim.Process)) *sim.Process {
	p := w.NewProcess(name, sim.ProcessOptions{Host: "10.0.0." + fmt.Sprint(len(name))})
	p.Go(func() { f(p) })
	return p
}

func dial(p *sim.Process, timeout time.Duration) (net.Conn, error) {
	return p.DialContext(context.Background(), "tcp", address, timeout)
}

// dialed is a connection that must come about; if it does not, the workload
// panics, and the run fails.
func dialed(p *sim.Process) net.Conn {
	c, err := dial(p, 0)
	must(err)
	return c
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// must2 is must for calls that also answer a number.
func must2(_ int, err error) { must(err) }

// ping writes a word and reads it back.
func ping(c net.Conn, word string) error {
	if _, err := io.WriteString(c, word); err != nil {
		return err
	}
	buf := make([]byte, len(word))
	if _, err := io.ReadFull(c, buf); err != nil {
		return err
	}
	if string(buf) != word {
		return fmt.Errorf("%q came back as %q", word, buf)
	}
	return nil
}

// tester is a *testing.T, a *testing.B or a *rapid.T.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// run runs a world, recording it, and fails the test if the run fails.
func run(t tester, tape sim.Tape, setUp func(*sim.World)) sim.Report {
	t.Helper()
	r := sim.Run(sim.Config{Tape: tape, Record: true}, setUp)
	good(t, r)
	return r
}

// good fails the test if a run failed or was cut.
func good(t tester, r sim.Report) {
	t.Helper()
	if r.Failure != nil {
		t.Fatalf("the run failed in %q: %s\n%s", r.Failure.Actor, r.Failure.Reason, r.Failure.Stack)
	}
	if r.Cut != "" {
		t.Fatalf("%s\n%s", r.Cut, list(r.Events))
	}
}

// same fails the test unless two recorded runs are equal.
func same(t tester, what string, a, b sim.Report) {
	t.Helper()
	for i := range min(len(a.Events), len(b.Events)) {
		if !reflect.DeepEqual(a.Events[i], b.Events[i]) {
			t.Fatalf("%s: the runs differ:\n%s\n%s", what, line(a.Events[i]), line(b.Events[i]))
		}
	}
	if a.Hash != b.Hash || len(a.Events) != len(b.Events) || !slices.Equal(a.Choices, b.Choices) {
		t.Fatalf("%s: the runs differ: hashes %x and %x, %d and %d events, %d and %d choices", what,
			a.Hash, b.Hash, len(a.Events), len(b.Events), len(a.Choices), len(b.Choices))
	}
}

func line(e sim.Event) string {
	return fmt.Sprintf("%d %v %s %s %s %d %s %q", e.Seq, e.At, e.Kind, e.Actor, e.Peer, e.Conn, e.Detail, e.Payload)
}

func list(events []sim.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintln(&b, line(e))
	}
	return b.String()
}

// find returns the events of a kind that happened to an actor.
func find(r sim.Report, k sim.EventKind, actor string) []sim.Event {
	var found []sim.Event
	for _, e := range r.Events {
		if e.Kind == k && e.Actor == actor {
			found = append(found, e)
		}
	}
	return found
}

// dawdle takes a while, nobody knows how long, so that goroutines which do so in
// one step go on in any order.
func dawdle() {
	for range globals.Unseedable() % 200 {
		runtime.Gosched()
	}
}

// at schedules something that is waited for.
func at(w *sim.World, a *sim.Actor, t time.Duration, f func()) {
	w.At(a, t, sim.EventFault, sim.EventOptions{Vital: true}, f)
}

// outcome is an error in a word, for tables.
func outcome(err error) string {
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil:
		return "ok"
	case errors.Is(err, io.EOF):
		return "eof"
	case errors.Is(err, net.ErrClosed):
		return "closed"
	case errors.Is(err, os.ErrDeadlineExceeded) && errors.As(err, &timeout) && timeout.Timeout():
		return "timeout"
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case errors.Is(err, syscall.EPIPE):
		return "pipe"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "refused"
	case errors.Is(err, context.Canceled):
		return "canceled"
	case errors.Is(err, context.DeadlineExceeded):
		return "deadline"
	}
	return err.Error()
}

// over reports whether the run has ended.
func over(p *sim.Process) bool {
	select {
	case <-p.Ended():
		return true
	default:
		return false
	}
}
