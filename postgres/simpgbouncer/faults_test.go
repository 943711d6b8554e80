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
	"github.com/lockpick-dev/lockpick/postgres/simpostgres"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// script plays a script with a pooler in front of a primary and a standby.
func script(t *testing.T, o simpgbouncer.Options, text string) (c *simpostgres.Cluster) {
	t.Helper()
	want := strings.TrimLeft(text, "\n")
	var got string
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		c = simpostgres.New(w, simpostgres.Options{Replicas: 1}, func(model.Observation) {})
		p := simpgbouncer.New(w, o, func() simpgbouncer.Node { return c.Primary() }, func(model.Observation) {})
		first, second := c.Nodes()[0], c.Nodes()[1]
		s := newSimulated(w, p, second.Host)
		s.acts["server crash"] = first.Crash
		s.acts["server up"] = func() { must(t, c.Restart(first)) }
		s.acts["promote"] = func() { must(t, c.Promote(second)) }
		s.acts["server cut"] = func() { w.Network().Cut(p.Actor, first.Actor); w.Network().Cut(first.Actor, p.Actor) }
		s.acts["server heals"] = func() { w.Network().Heal(p.Actor, first.Actor); w.Network().Heal(first.Actor, p.Actor) }
		s.process.Go(func() {
			for range 10 { // process ids of the standby's that the primary will not have
				(&player{place: s}).play("x direct\nx terminate\n")
			}
			s.direct = first.Address()
			got = (&player{place: s}).play(want)
		})
	})
	if report.Failure != nil {
		t.Fatalf("the run failed: %v\n%s", report.Failure, report.Failure.Stack)
	}
	compare(t, t.Name(), want, got)
	return c
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

var one = simpgbouncer.Options{PoolMode: simpgbouncer.Transaction, DefaultPoolSize: 1}

// TestCrash: when the pooler ends, its clients and its server connections end.
func TestCrash(t *testing.T) {
	c := script(t, one, `
a connect
  a: logged in
b connect
  b: logged in
a query BEGIN
  a: BEGIN, ready T
b query SELECT 1
do pooler crash
  a: closed
  b: closed
c connect
  c: cannot connect
do pooler restart
c connect
  c: logged in
c query SELECT pg_backend_pid()
  c: columns pg_backend_pid, row (P1), SELECT 1, ready I
`)
	if n := len(c.Primary().Sessions()); n > 1 {
		t.Errorf("%d sessions are open", n)
	}
}

// TestHang: a pooler that hangs answers later.
func TestHang(t *testing.T) {
	script(t, one, `
a connect
  a: logged in
a query BEGIN
  a: BEGIN, ready T
do pooler hangs
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
do server cut
a query SELECT 1
b query SELECT 2
sleep 3s
do server heals
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
do server crash
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
do server crash
  a: FATAL 08P01 "server conn crashed?", closed
  b: FATAL 08P01 "server conn crashed?", closed
do server up
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
do server crash
a connect
b connect
sleep 3s
do server up
sleep 2s
  a: logged in
  b: logged in
do server crash
do pooler crash
  a: closed
  b: closed
do pooler restart
c connect
sleep 6s
  c: FATAL 08P01 "client_login_timeout (server down)", closed
`)
}

// TestOrigin: a server sees the clients, and not the pooler, as the origins of requests.
func TestOrigin(t *testing.T) {
	var seen []model.Observation
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		c := simpostgres.New(w, simpostgres.Options{}, func(o model.Observation) { seen = append(seen, o) })
		pooler := simpgbouncer.New(w, one, func() simpgbouncer.Node { return c.Primary() }, func(model.Observation) {})
		for i := range 2 {
			p := w.NewProcess(fmt.Sprint("c", i+1), sim.ProcessOptions{Host: fmt.Sprint("10.0.0.", i+1)})
			s := &simulated{world: w, pooler: pooler, process: p}
			p.Go(func() {
				s.sleep(time.Duration(i) * time.Second)
				p.SetTask(&sim.Task{ID: 10 + i})
				x := &player{place: s}
				x.play(fmt.Sprintf("a connect application_name=c%d\na query SELECT pg_advisory_lock(%d)\n", i, i))
			})
		}
	})
	if report.Failure != nil {
		t.Fatal(report.Failure)
	}
	var got []model.Origin
	for _, o := range seen {
		if o.Kind == model.RecordCreated {
			got = append(got, o.Owner)
		}
	}
	want := []model.Origin{{Client: "c1", Conn: 1, Op: 10}, {Client: "c2", Conn: 3, Op: 11}}
	if !slices.Equal(got, want) {
		t.Errorf("locks of %v, want %v", got, want)
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
		c := simpostgres.New(w, simpostgres.Options{}, func(model.Observation) {})
		node := c.Primary()
		p := simpgbouncer.New(w, simpgbouncer.Options{PoolMode: mode, DefaultPoolSize: 2, QueryWaitTimeout: time.Second, ServerLoginRetry: time.Second},
			func() simpgbouncer.Node { return node }, func(model.Observation) {})
		at := func(f func()) {
			w.At(node.Actor, time.Duration(rng.IntN(3000))*time.Millisecond, sim.EventFault, sim.EventOptions{Vital: true}, f)
		}
		at(func() {
			node.Crash()
			w.At(node.Actor, w.Now()+time.Second, sim.EventFault, sim.EventOptions{Vital: true}, func() { must(t, c.Restart(node)) })
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
			if n := len(node.Sessions()); n > 2 {
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

func (*impatient) settle(func() int, func() bool) { time.Sleep(5 * time.Millisecond) }

// anything returns a script.
func anything(moves []int) string {
	var b strings.Builder
	b.WriteString("a connect\nb connect\n")
	for _, m := range moves {
		who := string("ab"[m%2])
		b.WriteString(who + " " + []string{
			"connect", "query BEGIN", "query SELECT 1", "query COMMIT", "query SELECT pg_sleep(1)", "query SELECT 1; BEGIN", "hangup",
			"query SET application_name='x'", "terminate", "query SELECT 1/0", "query ROLLBACK", "query SELECT pg_advisory_lock(1)",
		}[m/2%12] + "\n")
	}
	return b.String()
}
