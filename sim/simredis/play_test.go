package simredis

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// play runs a world with a cluster and one process, whose only thread is f.
// What f does reads like a script: commands over connections, and what happens
// to the cluster in between.
func play(t tb, o Options, f func(*player)) *player {
	t.Helper()
	return playOn(t, nil, o, f)
}

// playOn is play on a tape.
func playOn(t tb, tape sim.Tape, o Options, f func(*player)) *player {
	t.Helper()
	x := &player{scene: scene{t: t}}
	x.run(tape, "10.0.0.1", func(w *sim.World) func() []*Node {
		x.cluster = New(w, o, x.observe)
		return x.cluster.Nodes
	}, func() { f(x) })
	return x
}

// tb is what tests and properties have in common.
type tb interface {
	Helper()
	Error(...any)
	Errorf(string, ...any)
	Fatal(...any)
	Fatalf(string, ...any)
}

// scene is a world with servers and one process.
type scene struct {
	t       tb
	world   *sim.World
	process *sim.Process
	nodes   func() []*Node
	seen    []model.Observation
	report  sim.Report
}

// run runs the world: build makes the servers, and says which nodes they have; f is the only thread of the process. A
// nil tape is calm.
func (x *scene) run(tape sim.Tape, host string, build func(*sim.World) func() []*Node, f func()) {
	x.t.Helper()
	x.report = sim.Run(sim.Config{Record: true, MaxEvents: 1 << 30, Tape: tape}, func(w *sim.World) {
		w.AnswerUnsupported()
		x.world = w
		x.nodes = build(w)
		x.process = w.NewProcess("c1", sim.ProcessOptions{Host: host})
		x.process.Go(f)
	})
	switch {
	case x.report.Failure != nil:
		x.t.Fatalf("the run failed: %v\n%s", x.report.Failure, x.report.Failure.Stack)
	case x.report.Cut != "":
		x.t.Fatal(x.report.Cut)
	}
}

func (x *scene) observe(o model.Observation) { x.seen = append(x.seen, o) }

// dial connects to an address.
func (x *scene) dial(address string) *wire {
	x.t.Helper()
	c, err := x.tryDial(address)
	if err != nil {
		x.t.Errorf("dial %s: %v", address, err)
		panic(err)
	}
	return newWire(x.t, c)
}

// tryDial is dial for what may fail. (The test's own context is of another
// bubble.)
func (x *scene) tryDial(address string) (net.Conn, error) {
	return x.process.DialContext(context.Background(), "tcp", address, time.Minute)
}

// conduct has the conductor do something, at the present instant.
func (x *scene) conduct(f func(nodes []*Node)) {
	done := make(chan struct{})
	x.process.Mark(0, "conduct", func(sim.Event) {
		f(x.nodes())
		close(done)
	})
	<-done
}

// pass lets time pass.
func (x *scene) pass(d time.Duration) { x.process.Step("pass", d) }

// settle lets whatever is in flight arrive.
func (x *scene) settle() { x.pass(10 * time.Millisecond) }

// player is a scene with a primary and its replicas.
type player struct {
	scene
	cluster *Cluster
}

// primary connects to the stable address.
func (x *player) primary() *wire { return x.dial(x.cluster.Address()) }

// node connects to the n-th node, from 1.
func (x *player) node(n int) *wire { return x.dial(x.cluster.Nodes()[n-1].Address()) }

// must is conduct for what can fail and should not.
func (x *player) must(f func(nodes []*Node) error) {
	x.t.Helper()
	x.conduct(func(nodes []*Node) {
		if err := f(nodes); err != nil {
			x.t.Error(err)
		}
	})
}

// as says what operation the process is busy with from now on.
func (x *player) as(op int) { x.process.SetTask(&sim.Task{ID: op}) }

// until lets time pass until a command that is sent then is executed at t.
func (x *player) until(t time.Duration) {
	const travel = 200 * time.Microsecond
	var now time.Duration
	x.conduct(func([]*Node) { now = x.world.Now() })
	x.pass(t - travel - now)
}

// jump sets a node's clock forward, or back.
func (x *player) jump(node int, d time.Duration) {
	x.conduct(func(nodes []*Node) {
		nodes[node-1].Clock().Jump(d)
		nodes[node-1].ClockJumped()
	})
}

// wantObserved compares what a node has observed since the last look.
func (x *player) wantObserved(node int, want ...string) {
	x.t.Helper()
	name := "redis" + strconv.Itoa(node)
	x.conduct(func([]*Node) {
		if got := x.observed(node); !slices.Equal(got, want) {
			x.t.Errorf("%s observed\n\t%s\nwant\n\t%s", name, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		}
		x.seen = slices.DeleteFunc(x.seen, func(o model.Observation) bool { return o.Node == name })
	})
}

// observed are the observations so far of a node's keys, in short form, but for what it has shown.
func (x *player) observed(node int) (list []string) {
	name := "redis" + strconv.Itoa(node)
	for _, o := range x.seen {
		if o.Node == name && o.Kind != model.RecordShown {
			list = append(list, short(o))
		}
	}
	return list
}

// short is an observation in a few words: what, key=value, and whose.
func short(o model.Observation) string {
	if o.Key == "" {
		return string(o.Kind)
	}
	s := fmt.Sprintf("%s %s=%s of %d", o.Kind, o.Key, o.Value, o.Owner.Op)
	if o.Kind == model.RecordChanged {
		s += fmt.Sprintf(" was %d", o.OldOwner.Op)
	}
	if o.By != (model.Origin{}) {
		s += fmt.Sprintf(" by %d", o.By.Op)
	}
	return s
}

// wire is a connection on which commands are sent and replies read, byte for
// byte.
type wire struct {
	t tb
	c net.Conn
	r *bufio.Reader
}

func newWire(t tb, c net.Conn) *wire { return &wire{t, c, bufio.NewReader(c)} }

// send writes bytes as one segment. If the other end has hung up, reading
// tells.
func (w *wire) send(b []byte) { _, _ = w.c.Write(b) }

// do sends one command and returns its reply.
func (w *wire) do(words ...string) string {
	w.send(encode(words...))
	return w.reply()
}

// reply reads one reply; of a connection that has ended the error.
func (w *wire) reply() string {
	b, err := readReply(w.r)
	if err != nil {
		return "(" + err.Error() + ")"
	}
	return string(b)
}

// want sends a command and compares the reply.
func (w *wire) want(reply string, words ...string) {
	w.t.Helper()
	if got := w.do(words...); got != reply {
		w.t.Errorf("%q answered %q, want %q", words, got, reply)
	}
}

// readReply reads one whole reply of RESP2 or RESP3.
func readReply(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadBytes('\n')
	if err != nil {
		return line, err
	}
	items := 0
	switch line[0] {
	case '$', '=', '!', '*', '~', '>', '%':
		if items, err = strconv.Atoi(string(bytes.TrimSpace(line[1:]))); err != nil || items < 0 {
			return line, err
		}
	}
	switch line[0] {
	case '$', '=', '!':
		body := make([]byte, items+2)
		_, err = io.ReadFull(r, body)
		return append(line, body...), err
	case '%':
		items *= 2
	}
	for range items {
		item, err := readReply(r)
		line = append(line, item...)
		if err != nil {
			return line, err
		}
	}
	return line, nil
}
