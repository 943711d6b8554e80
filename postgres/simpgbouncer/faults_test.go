package simpgbouncer_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/simpgbouncer"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// act is something that a script of a test lets the conductor do.
type act func(w *sim.World, p *simpgbouncer.Pooler, nodes []*fakeNode, serving *int)

// acts are those that the scripts name.
var acts = map[string]act{
	"crash the pooler":   func(_ *sim.World, p *simpgbouncer.Pooler, _ []*fakeNode, _ *int) { p.Crash() },
	"restart the pooler": func(_ *sim.World, p *simpgbouncer.Pooler, _ []*fakeNode, _ *int) { p.Restart() },
	"hang the pooler":    func(_ *sim.World, p *simpgbouncer.Pooler, _ []*fakeNode, _ *int) { p.Hang(2 * time.Second) },
	"cut the server off": func(w *sim.World, p *simpgbouncer.Pooler, nodes []*fakeNode, _ *int) {
		w.Network().Cut(p.Actor, nodes[0].Actor)
		w.Network().Cut(nodes[0].Actor, p.Actor)
	},
	"heal": func(w *sim.World, p *simpgbouncer.Pooler, nodes []*fakeNode, _ *int) {
		w.Network().Heal(p.Actor, nodes[0].Actor)
		w.Network().Heal(nodes[0].Actor, p.Actor)
	},
	"crash the server": func(w *sim.World, p *simpgbouncer.Pooler, nodes []*fakeNode, _ *int) { nodes[0].crash(w) },
	"start the server": func(_ *sim.World, _ *simpgbouncer.Pooler, nodes []*fakeNode, _ *int) { nodes[0].Start() },
	"promote":          func(_ *sim.World, _ *simpgbouncer.Pooler, _ []*fakeNode, serving *int) { *serving = 1 },
}

// script plays a script with a pooler in front of two fake servers, of which the second has pids from 2000.
func script(t *testing.T, o simpgbouncer.Options, text string) (nodes []*fakeNode) {
	t.Helper()
	want := strings.TrimLeft(text, "\n")
	var got string
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		serving := 0
		nodes = []*fakeNode{newFakeNode(w, "postgres1", "10.0.5.1:5432"), newFakeNode(w, "postgres2", "10.0.5.2:5432")}
		nodes[1].started = 1000
		p := simpgbouncer.New(w, o, func() simpgbouncer.Node { return nodes[serving] }, func(model.Observation) {})
		s := &simulated{world: w, direct: nodes[0].Address(), pooler: p, acts: map[string]func(){}}
		for name, f := range acts { // unordered: fills a map
			s.acts[name] = func() { f(w, p, nodes, &serving) }
		}
		s.process = w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		s.process.Go(func() { got = (&player{place: s}).play(want) })
	})
	if report.Failure != nil {
		t.Fatalf("the run failed: %v\n%s", report.Failure, report.Failure.Stack)
	}
	compare(t, t.Name(), want, got)
	return nodes
}

var one = simpgbouncer.Options{PoolMode: simpgbouncer.Transaction, DefaultPoolSize: 1}

// TestCrash: when the pooler ends, its clients and its server connections end.
func TestCrash(t *testing.T) {
	nodes := script(t, one, `
a connect
  a: logged in
b connect
  b: logged in
a query BEGIN
  a: BEGIN, ready T
b query SELECT 1
do crash the pooler
  a: closed
  b: closed
c connect
  c: cannot connect
do restart the pooler
c connect
  c: logged in
c query SELECT pg_backend_pid()
  c: columns pg_backend_pid, row (P1), SELECT 1, ready I
`)
	if n := nodes[0]; n.started != 2 || len(n.conns) != 1 {
		t.Errorf("%d connections were made, and %d are open", n.started, len(n.conns))
	}
}

// TestHang: a pooler that hangs answers later.
func TestHang(t *testing.T) {
	script(t, one, `
a connect
  a: logged in
a query BEGIN
  a: BEGIN, ready T
do hang the pooler
a query SELECT 1
b connect
b query SELECT 2
a query COMMIT
sleep 1s
  a: columns ?column?, row (1), SELECT 1, ready T, COMMIT, ready I
  b: logged in, columns ?column?, row (2), SELECT 1, ready I
`)
}

// TestCut: messages between the pooler and the server wait for the end of a partition. A client that waits for a connection
// gets one then, unless the attempt has timed out, which the pooler repeats.
func TestCut(t *testing.T) {
	o := one
	o.DefaultPoolSize = 2
	o.ServerConnectTimeout, o.ServerLoginRetry = 2*time.Second, time.Second
	script(t, o, `
a connect
  a: logged in
b connect
  b: logged in
do cut the server off
a query SELECT 1
b query SELECT 2
sleep 3s
do heal
  a: columns ?column?, row (1), SELECT 1, ready I
  b: columns ?column?, row (2), SELECT 1, ready I
`)
}

// TestFailover: a new server connection goes to the node that serves, and an old one stays where it is.
func TestFailover(t *testing.T) {
	o := one
	o.DefaultPoolSize = 2
	script(t, o, `
a connect
  a: logged in
b connect
  b: logged in
a query SELECT pg_backend_pid()
  a: columns pg_backend_pid, row (P1), SELECT 1, ready I
do promote
a query SELECT pg_backend_pid()
  a: columns pg_backend_pid, row (P1), SELECT 1, ready I
a query BEGIN
  a: BEGIN, ready T
b query SELECT pg_backend_pid()
  b: columns pg_backend_pid, row (P2), SELECT 1, ready I
do crash the server
  a: FATAL 08P01 "server conn crashed?", closed
c connect
  c: logged in
c query SELECT pg_backend_pid()
  c: columns pg_backend_pid, row (P2), SELECT 1, ready I
`)
}

// TestDNS: the pooler keeps an address for a while. When it learns another one, the connections to the old one end.
func TestDNS(t *testing.T) {
	o := one
	o.DefaultPoolSize, o.DNSMaxTTL = 2, 10*time.Second
	script(t, o, `
a connect
  a: logged in
b connect
  b: logged in
a query SELECT pg_backend_pid()
  a: columns pg_backend_pid, row (P1), SELECT 1, ready I
do promote
a query BEGIN
  a: BEGIN, ready T
b query SELECT pg_backend_pid()
  b: columns pg_backend_pid, row (P2), SELECT 1, ready I
b query BEGIN
  b: BEGIN, ready T
do crash the server
  a: FATAL 08P01 "server conn crashed?", closed
  b: FATAL 08P01 "server conn crashed?", closed
do start the server
c connect
  c: logged in
c query SELECT pg_backend_pid()
  c: columns pg_backend_pid, row (P3), SELECT 1, ready I
c query BEGIN
  c: BEGIN, ready T
sleep 10s
d connect
  d: logged in
d query SELECT pg_backend_pid()
  d: columns pg_backend_pid, row (P4), SELECT 1, ready I
c query SELECT pg_backend_pid()
  c: columns pg_backend_pid, row (P3), SELECT 1, ready T
c query COMMIT
  c: COMMIT, ready I
c query SELECT pg_backend_pid()
  c: columns pg_backend_pid, row (P4), SELECT 1, ready I
`)
}

// TestDownFirst: the first clients wait until the server is up.
func TestDownFirst(t *testing.T) {
	o := one
	o.ServerLoginRetry, o.ClientLoginTimeout = 2*time.Second, 6*time.Second
	script(t, o, `
do crash the server
a connect
b connect
sleep 3s
do start the server
sleep 2s
  a: logged in
  b: logged in
do crash the server
do crash the pooler
  a: closed
  b: closed
do restart the pooler
c connect
sleep 6s
  c: FATAL 08P01 "client_login_timeout (server down)", closed
`)
}

// TestOrigin: a server sees the clients, and not the pooler, as the origins of requests.
func TestOrigin(t *testing.T) {
	var node *fakeNode
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		node = newFakeNode(w, "postgres1", "10.0.5.1:5432")
		pooler := simpgbouncer.New(w, one, func() simpgbouncer.Node { return node }, func(model.Observation) {})
		for i := range 2 {
			p := w.NewProcess(fmt.Sprint("c", i+1), sim.ProcessOptions{Host: fmt.Sprint("10.0.0.", i+1)})
			s := &simulated{world: w, pooler: pooler, process: p}
			p.Go(func() {
				s.sleep(time.Duration(i) * time.Second)
				p.SetTask(&sim.Task{ID: 10 + i})
				x := &player{place: s}
				x.play("a connect application_name=c" + fmt.Sprint(i) + "\na query SELECT 1\n")
			})
		}
	})
	if report.Failure != nil {
		t.Fatal(report.Failure)
	}
	// Each client's SET is sent before its query.
	want := []model.Origin{{Client: "c1", Conn: 1, Op: 10}, {Client: "c1", Conn: 1, Op: 10}, {Client: "c2", Conn: 3, Op: 11}, {Client: "c2", Conn: 3, Op: 11}}
	if !slices.Equal(node.by, want) {
		t.Errorf("queries of %v, want %v", node.by, want)
	}
}

// TestChaos: clients do anything while all that can fail fails. A run repeats, and nobody is left waiting.
func TestChaos(t *testing.T) {
	for _, mode := range []simpgbouncer.Mode{simpgbouncer.Session, simpgbouncer.Transaction, simpgbouncer.Statement} {
		for seed := range uint64(40) {
			first, second := chaos(t, mode, seed), chaos(t, mode, seed)
			if first != second {
				t.Fatalf("%s, seed %d: two runs differ", mode, seed)
			}
		}
	}
}

// chaos returns the hash of a run.
func chaos(t *testing.T, mode simpgbouncer.Mode, seed uint64) uint64 {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 0))
	const clients = 4
	report := sim.Run(sim.Config{Tape: explore.Random(seed, clients), Horizon: 5 * time.Minute, MaxEvents: 100_000}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: 100 * time.Microsecond, Jitter: time.Millisecond})
		node := newFakeNode(w, "postgres1", "10.0.5.1:5432")
		p := simpgbouncer.New(w, simpgbouncer.Options{PoolMode: mode, DefaultPoolSize: 2, QueryWaitTimeout: time.Second, ServerLoginRetry: time.Second},
			func() simpgbouncer.Node { return node }, func(model.Observation) {})
		at := func(f func()) {
			w.At(node.Actor, time.Duration(rng.IntN(3000))*time.Millisecond, sim.EventFault, sim.EventOptions{Vital: true}, f)
		}
		at(func() {
			node.crash(w)
			w.At(node.Actor, w.Now()+time.Second, sim.EventFault, sim.EventOptions{Vital: true}, node.Start)
		})
		at(func() {
			p.Crash()
			w.At(p.Actor, w.Now()+time.Second/2, sim.EventFault, sim.EventOptions{Vital: true}, p.Restart)
		})
		at(func() { p.Hang(300 * time.Millisecond) })
		at(func() {
			w.Network().Cut(p.Actor, node.Actor)
			w.At(p.Actor, w.Now()+time.Second/2, sim.EventFault, sim.EventOptions{Vital: true}, func() { w.Network().Heal(p.Actor, node.Actor) })
		})
		w.OnEnd(func() {
			if n := len(node.conns); n > 2 {
				t.Errorf("%s, seed %d: %d sessions are left at the server", mode, seed, n)
			}
		})
		for i := range clients {
			q := w.NewProcess(fmt.Sprint("c", i+1), sim.ProcessOptions{Host: fmt.Sprint("10.0.0.", i+1)})
			s := &impatient{simulated{world: w, pooler: p, process: q}}
			moves := rng.Perm(60)
			q.Go(func() {
				(&player{place: s}).play(anything(moves))
				s.sleep(10 * time.Second)
			})
		}
	})
	if report.Failure != nil {
		t.Fatalf("%s, seed %d failed: %v\n%s", mode, seed, report.Failure, report.Failure.Stack)
	}
	if report.Cut != "" {
		t.Fatalf("%s, seed %d was cut: %s", mode, seed, report.Cut)
	}
	return report.Hash
}

// impatient is a place where commands follow each other sooner.
type impatient struct{ simulated }

func (*impatient) settle(func() int) { time.Sleep(5 * time.Millisecond) }

// anything returns a script.
func anything(moves []int) string {
	var b strings.Builder
	b.WriteString("a connect\nb connect\n")
	for _, m := range moves {
		who := string("ab"[m%2])
		b.WriteString(who + " " + []string{
			"connect", "query BEGIN", "query SELECT 1", "query COMMIT", "query SELECT pg_sleep(1)", "query SELECT 1; BEGIN", "hangup",
			"query SET application_name='x'", "terminate", "query SELECT 1/0", "query ROLLBACK", "query SELECT 2",
		}[m/2%12] + "\n")
	}
	return b.String()
}
