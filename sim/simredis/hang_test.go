package simredis

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// TestHang: a node that hangs accepts connections and what they bring, and goes
// through it when it goes on, in the order in which it came, though a client
// has hung up.
func TestHang(t *testing.T) {
	const hang = 3 * time.Second
	x := play(t, Options{}, func(x *player) {
		a := x.primary()
		a.want("+OK\r\n", "SET", "k", "0", "PX", "1000")
		start := x.now()
		x.conduct(func(n []*Node) {
			if !n[0].Hang(hang) || n[0].Hang(time.Hour) || !n[0].Hangs() {
				x.t.Error("it does not hang, or anew")
			}
		})
		b := x.primary() // it accepts
		a.send(encode("SET", "k", "1", "NX"))
		b.send(encode("SET", "k", "2", "NX"))
		x.pass(time.Second)
		if err := a.c.Close(); err != nil {
			x.t.Error(err)
		}
		x.wantAfter(b, "$-1\r\n", hang-ms, hang+2*ms, start)
		b.want("$1\r\n1\r\n", "GET", "k") // of a client that has hung up
		x.conduct(func(n []*Node) {
			if n[0].Hangs() {
				x.t.Error("it still hangs")
			}
		})
	})
	expired := false
	for _, o := range x.seen {
		if o.Kind == model.RecordExpired && o.At < 2*time.Second {
			expired = true
		}
	}
	if !expired {
		t.Error("its keys do not expire while it hangs")
	}
	faults := 0
	for _, e := range x.report.Events {
		if e.Kind == sim.EventFault && e.Actor == "redis1" {
			faults++
		}
	}
	if faults != 2 {
		t.Errorf("%d faults were logged, want the hang and its end", faults)
	}
}

// TestHangOverlong: nothing waits for the end of the hang of a node that has
// crashed, and it comes back working.
func TestHangOverlong(t *testing.T) {
	x := play(t, Options{Replicas: 1}, func(x *player) {
		x.conduct(func(n []*Node) { n[0].Hang(time.Hour) })
		x.must(func(n []*Node) error { n[0].Crash(); return x.cluster.Promote(n[1]) })
		x.conduct(func(n []*Node) {
			if n[0].Hangs() || n[0].Hang(time.Second) {
				x.t.Error("a crashed node hangs")
			}
		})
		x.must(func(n []*Node) error { return x.cluster.Rejoin(n[0]) })
		x.pass(10 * ms)
		x.node(1).want("$-1\r\n", "GET", "k")
	})
	if x.report.Simulated > time.Second {
		t.Errorf("the run took %v", x.report.Simulated)
	}
}

// TestJump: keys expire early or late by as much as the node's clock jumps, and
// it is told.
func TestJump(t *testing.T) {
	for _, test := range []struct {
		by, lives time.Duration
	}{
		{2 * time.Second, 0},
		{500 * ms, 500 * ms},
		{-2 * time.Second, 3 * time.Second},
	} {
		x := play(t, Options{}, func(x *player) {
			w := x.primary()
			w.want("+OK\r\n", "SET", "k", "v", "PX", "1000")
			x.conduct(func(n []*Node) { n[0].Jump(test.by) })
			if test.lives > 0 {
				x.pass(test.lives - 10*ms)
				w.want("$1\r\nv\r\n", "GET", "k")
			}
			x.pass(20 * ms)
			w.want("$-1\r\n", "GET", "k")
		})
		observed := false
		for _, e := range x.report.Events {
			observed = observed || e.Kind == sim.EventFault && e.Actor == "redis1" && e.Detail == "clock jump by "+test.by.String()
		}
		if !observed {
			t.Errorf("a jump by %v is not in the log", test.by)
		}
	}
}
