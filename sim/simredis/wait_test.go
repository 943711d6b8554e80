package simredis

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// wantAfter reads a reply and compares it, and how long it took since the last
// look at the clock.
func (x *player) wantAfter(w *wire, reply string, atLeast, atMost time.Duration, since time.Duration) {
	x.t.Helper()
	got := w.reply()
	if took := x.now() - since; got != reply || took < atLeast || took > atMost {
		x.t.Errorf("answered %q after %v, want %q after %v to %v", got, took, reply, atLeast, atMost)
	}
}

func (x *scene) now() (now time.Duration) {
	x.conduct(func([]*Node) { now = x.world.Now() })
	return now
}

// pipeline sends commands as one segment; their words have no blanks.
func (w *wire) pipeline(commands ...string) {
	var b bytes.Buffer
	for _, c := range commands {
		b.Write(encode(strings.Fields(c)...))
	}
	w.send(b.Bytes())
}

// TestWait: it answers when the acknowledgements have come, a round trip to
// the replicas later, or when its time is over.
func TestWait(t *testing.T) {
	play(t, Options{Replicas: 2}, func(x *player) {
		w := x.primary()
		w.want(":2\r\n", "WAIT", "1", "0") // nothing written: all have it
		start := x.now()
		w.pipeline("SET k v", "WAIT 2 0")
		x.wantAfter(w, "+OK\r\n", 400*time.Microsecond, 500*time.Microsecond, start)
		x.wantAfter(w, ":2\r\n", 800*time.Microsecond, 900*time.Microsecond, start)
		w.want("$1\r\nv\r\n", "GET", "k")
		start = x.now()
		w.send(encode("WAIT", "2", "0")) // no write since
		x.wantAfter(w, ":2\r\n", 400*time.Microsecond, 500*time.Microsecond, start)
		w.want("+OK\r\n", "SET", "k", "w")
		start = x.now()
		w.send(encode("WAIT", "3", "50"))
		x.wantAfter(w, ":2\r\n", 50*ms, 51*ms, start)
		x.primary().want(":2\r\n", "WAIT", "-5", "0")
	})
}

// TestWaitCut: a cut that holds effects, the question or the acknowledgement
// keeps a replica from being counted, until it heals.
func TestWaitCut(t *testing.T) {
	for _, way := range [][2]int{{1, 2}, {2, 1}} {
		play(t, Options{Replicas: 2}, func(x *player) {
			w := x.primary()
			x.cut(way[0], way[1])
			start := x.now()
			w.pipeline("SET k v", "WAIT 1 0", "WAIT 2 20")
			w.reply()
			x.wantAfter(w, ":1\r\n", 0, ms, start)
			x.wantAfter(w, ":1\r\n", 20*ms, 22*ms, start)
			w.send(encode("WAIT", "2", "0"))
			x.pass(time.Minute)
			x.heal(way[0], way[1])
			start = x.now()
			x.wantAfter(w, ":2\r\n", 0, ms, start)
		})
	}
}

// TestWaitLateAck: an acknowledgement that is late comes too late for one WAIT
// and counts for the next.
func TestWaitLateAck(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		w := x.primary()
		x.conduct(func([]*Node) { x.world.Network().SetLink(sim.Link{Base: 10 * ms}) })
		start := x.now()
		w.pipeline("SET k v", "WAIT 1 15", "WAIT 1 15", "WAIT 1 0")
		w.reply()
		x.wantAfter(w, ":0\r\n", 35*ms, 36*ms, start) // asked at 10, acknowledged at 30
		x.wantAfter(w, ":1\r\n", 40*ms, 41*ms, start)
		x.wantAfter(w, ":1\r\n", 40*ms, 41*ms, start)
	})
}

// TestWaitLastWrite: a WAIT is for what its own connection has written, also
// in scripts and transactions, and for no other's.
func TestWaitLastWrite(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		a, b := x.primary(), x.primary()
		a.pipeline("SET k v", "WAIT 1 0")
		a.reply()
		a.reply()
		x.cut(1, 2)
		b.do("SET", "k", "w")
		a.want(":1\r\n", "WAIT", "1", "10")
		a.want("$1\r\nw\r\n", "GET", "k") // to read is not to write
		a.want(":0\r\n", "DEL", "nothing")
		a.want(":1\r\n", "WAIT", "1", "10")
		b.want(":0\r\n", "WAIT", "1", "10")
		a.do("EVAL", "return redis.call('set', 'k', 'x')", "0")
		a.want(":0\r\n", "WAIT", "1", "10")
		c := x.primary()
		c.want(":1\r\n", "WAIT", "1", "10")
		c.pipeline("MULTI", "WAIT 1 0", "SET k y", "WAIT 2 0", "EXEC", "WAIT 1 10")
		for range 4 {
			c.reply()
		}
		// Within EXEC it does not block, and the SET is not yet written.
		if got := c.reply(); got != "*3\r\n:1\r\n+OK\r\n:1\r\n" {
			t.Errorf("EXEC answered %q", got)
		}
		if got := c.reply(); got != ":0\r\n" {
			t.Errorf("WAIT after EXEC answered %q", got)
		}
	})
}

// TestWaitBlocks: what a connection sends behind a WAIT is executed after it,
// in order and for whom it was sent; other connections are served meanwhile.
func TestWaitBlocks(t *testing.T) {
	x := play(t, Options{Replicas: 1}, func(x *player) {
		a, b := x.primary(), x.primary()
		x.cut(1, 2)
		x.as(1)
		a.pipeline("RPUSH l 1", "WAIT 1 0", "RPUSH l 2", "WAIT 1 0")
		x.as(2)
		a.pipeline("RPUSH l 3")
		x.pass(ms)
		x.as(3)
		a.pipeline("RPUSH l 4", "PING")
		x.as(4)
		b.want(":2\r\n", "RPUSH", "l", "b")
		x.pass(10 * ms)
		b.want("*2\r\n$1\r\n1\r\n$1\r\nb\r\n", "LRANGE", "l", "0", "-1")
		x.heal(1, 2)
		for i, want := range []string{":1\r\n", ":1\r\n", ":3\r\n", ":1\r\n", ":4\r\n", ":5\r\n", "+PONG\r\n"} {
			if got := a.reply(); got != want {
				t.Errorf("answer %d is %q, want %q", i+1, got, want)
			}
		}
	})
	var by []int
	for _, o := range x.seen {
		if o.Node == "redis1" {
			by = append(by, o.By.Op)
		}
	}
	if want := []int{1, 4, 1, 2, 3}; !slices.Equal(by, want) {
		t.Errorf("written by %v, want %v", by, want)
	}
}

// TestTwoWaiters: each goes on when its own condition holds.
func TestTwoWaiters(t *testing.T) {
	play(t, Options{Replicas: 2}, func(x *player) {
		a, b, c := x.primary(), x.primary(), x.primary()
		x.cut(1, 2)
		x.cut(1, 3)
		a.pipeline("SET a 1", "WAIT 2 0")
		b.pipeline("SET b 1", "WAIT 1 0")
		c.pipeline("SET c 1", "WAIT 2 5")
		for _, w := range []*wire{a, b, c} {
			w.reply()
		}
		start := x.now()
		x.wantAfter(c, ":0\r\n", 4*ms, 6*ms, start)
		x.heal(1, 3)
		start = x.now()
		x.wantAfter(b, ":1\r\n", 0, ms, start)
		x.pass(time.Second)
		x.heal(1, 2)
		start = x.now()
		x.wantAfter(a, ":2\r\n", 0, ms, start)
	})
}

// TestWaitReplicaCrashes: its acknowledgement is lost with it, and it counts
// again when it has been loaded and asked anew.
func TestWaitReplicaCrashes(t *testing.T) {
	x := play(t, Options{Replicas: 1}, func(x *player) {
		w := x.primary()
		x.cut(2, 1) // it has the effects, and its word is held
		w.pipeline("SET k v", "WAIT 1 0")
		w.reply()
		x.settle()
		x.must(func(n []*Node) error { n[1].Crash(); return nil })
		x.heal(2, 1)
		x.settle()
		x.conduct(func(n []*Node) {
			if len(n[0].waiters) != 1 {
				t.Errorf("%d wait", len(n[0].waiters))
			}
		})
		start := x.now()
		x.must(func(n []*Node) error { return n[0].cluster.Rejoin(n[1]) })
		x.wantAfter(w, ":1\r\n", 600*time.Microsecond, ms, start)
	})
	if !slices.ContainsFunc(x.report.Events, func(e sim.Event) bool { return e.Kind == sim.EventDrop && strings.HasPrefix(e.Detail, "ack ") }) {
		t.Error("no acknowledgement was lost")
	}
}

// TestWaitPrimaryCrashes: clients are disconnected, and an acknowledgement that
// arrives later does not count.
func TestWaitPrimaryCrashes(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		w := x.primary()
		x.cut(2, 1)
		w.pipeline("SET k v", "WAIT 1 100", "SET k w")
		w.reply()
		x.settle()
		x.must(func(n []*Node) error { n[0].Crash(); return nil })
		x.heal(2, 1)
		if got := w.reply(); !strings.Contains(got, "reset") {
			t.Errorf("read %q", got)
		}
		x.must(func(n []*Node) error { return n[0].cluster.Promote(n[1]) })
		x.pass(200 * ms) // beyond the timeout
		q := x.primary()
		q.want("$1\r\nv\r\n", "GET", "k")
		q.want(":0\r\n", "WAIT", "0", "0") // nobody follows it
		q.want("+OK\r\n", "SET", "k", "w")
		start := x.now()
		q.send(encode("WAIT", "1", "0"))
		x.must(func(n []*Node) error { return n[0].cluster.Rejoin(n[0]) })
		x.wantAfter(q, ":1\r\n", 0, 2*ms, start)
	})
}

// TestWaitDemoted: a primary whose replicas have left it waits in vain, and
// disconnects clients in a WAIT when it is made a replica, where there is no WAIT.
func TestWaitDemoted(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		old, late := x.node(1), x.node(1)
		x.must(func(n []*Node) error { return n[0].cluster.Promote(n[1]) })
		old.pipeline("SET k v", "WAIT 1 10", "WAIT 1 0")
		old.reply()
		start := x.now()
		x.wantAfter(old, ":0\r\n", 9*ms, 11*ms, start)
		late.send(encode("WAIT", "1", "5000"))
		x.settle()
		x.must(func(n []*Node) error { return n[0].cluster.Rejoin(n[0]) })
		for _, w := range []*wire{old, late} {
			if got := w.reply(); !strings.Contains(got, "reset") {
				t.Errorf("read %q", got)
			}
		}
		x.pass(10 * time.Second)
		x.node(1).want("-"+errWaitOnReplica+"\r\n", "WAIT", "x", "-1")
	})
}

// TestWaitHangUp: with its client a WAIT ends, and what was sent behind it is
// not executed.
func TestWaitHangUp(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		w := x.primary()
		x.cut(1, 2)
		w.pipeline("SET k v", "WAIT 1 1000", "SET k w")
		w.reply()
		w.pipeline("SET k x")
		_ = w.c.Close()
		x.settle()
		x.heal(1, 2)
		x.pass(2 * time.Second)
		x.conduct(func(n []*Node) {
			if len(n[0].waiters) != 0 {
				t.Errorf("%d wait", len(n[0].waiters))
			}
		})
		x.primary().want("$1\r\nv\r\n", "GET", "k")
	})
}

// TestWaitLongest: there are limits to how long one can wait. (Redis 7.0 takes
// the last one for ever.)
func TestWaitLongest(t *testing.T) {
	play(t, Options{}, func(x *player) {
		w := x.primary()
		w.want("-ERR timeout is out of range\r\n", "WAIT", "1", "9223372036854775807")
		start := x.now()
		w.send(encode("WAIT", "1", "60000"))
		x.wantAfter(w, ":0\r\n", time.Minute, time.Minute+ms, start)
		w.send(encode("WAIT", "1", "9000000000000000000"))
		x.pass(time.Minute)
		x.conduct(func(n []*Node) {
			if len(n[0].waiters) != 1 {
				t.Errorf("%d wait", len(n[0].waiters))
			}
		})
	})
}

// TestNobodyAsks: without WAIT there are no acknowledgements.
func TestNobodyAsks(t *testing.T) {
	x := play(t, Options{Replicas: 2}, func(x *player) {
		w := x.primary()
		w.do("SET", "k", "v")
		w.do("WAIT", "0", "0")
		x.settle()
		x.must(func(n []*Node) error { n[1].Crash(); return n[0].cluster.Rejoin(n[1]) })
	})
	for _, e := range x.report.Events {
		if e.Detail == "getack" || strings.HasPrefix(e.Detail, "ack ") {
			t.Errorf("%+v", e)
		}
	}
}
