package simredis

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// tracker is a connection that tracks, which has been answered so.
func (x *player) tracker(node int, options ...string) *wire {
	w := x.node(node)
	w.do("HELLO", "3")
	w.want("+OK\r\n", append([]string{"CLIENT", "TRACKING", "ON"}, options...)...)
	return w
}

// invalid is the message that keys have changed.
func invalid(keys ...string) string {
	s := fmt.Sprintf(">2\r\n$10\r\ninvalidate\r\n*%d\r\n", len(keys))
	for _, key := range keys {
		s += fmt.Sprintf("$%d\r\n%s\r\n", len(key), key)
	}
	return s
}

const (
	allInvalid = ">2\r\n$10\r\ninvalidate\r\n_\r\n"
	drained    = "$13\r\nthe end of it\r\n"
)

// wantSent compares what a connection has been sent since its last answer.
func (w *wire) wantSent(messages string) {
	w.t.Helper()
	if got := w.answer([]string{drain}); got != messages+drained {
		w.t.Errorf("sent were %q, want %q", got, messages)
	}
}

// TestTrackingExpiry: a client hears of an expiry when it happens, without an access of the key, and also if the clock jumps.
func TestTrackingExpiry(t *testing.T) {
	play(t, Options{}, func(x *player) {
		w, all := x.tracker(1), x.tracker(1, "BCAST", "NOLOOP")
		w.do("SET", "k", "v", "PX", "50")
		w.do("GET", "k")
		all.wantSent(invalid("k"))
		x.pass(40 * ms)
		w.wantSent("")
		x.pass(20 * ms)
		w.wantSent(invalid("k"))
		all.wantSent(invalid("k"))
		all.do("MSET", "k", "v", "l", "v")
		all.do("PEXPIREAT", "k", atMillis(5*time.Second))
		all.do("PEXPIREAT", "l", atMillis(6*time.Second))
		w.do("MGET", "l", "k")
		x.jump(1, 10*time.Second)
		w.wantSent(invalid("k") + invalid("l"))
		all.wantSent(invalid("k", "l"))
	})
}

// TestTrackingOnReplica: clients of a replica hear of what it hears from its primary. That it hides a key which has expired is no change.
func TestTrackingOnReplica(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		p, w, all := x.primary(), x.tracker(2), x.tracker(2, "BCAST")
		p.do("SET", "k", "v", "PXAT", atMillis(5*time.Second))
		x.settle()
		w.want("$1\r\nv\r\n", "GET", "k")
		all.wantSent(invalid("k"))
		x.jump(2, 10*time.Second)
		w.wantSent("")
		w.want("_\r\n", "GET", "k")
		x.jump(1, 10*time.Second)
		x.settle()
		w.wantSent(invalid("k"))
		all.wantSent(invalid("k"))
		w.do("MGET", "k", "l")
		p.do("DEL", "k", "l")
		p.do("EVAL", "redis.call('set', 'l', 1) redis.call('set', 'l', 2) redis.call('set', 'a', 2)", "0")
		x.settle()
		w.wantSent(invalid("l"))
		all.wantSent(invalid("a", "l"))
		w.do("MGET", "a", "l", "none")
		p.do("FLUSHALL")
		x.settle()
		w.wantSent(invalid("a") + invalid("l")) // Redis's primary sends FLUSHALL, and this one what it has deleted
	})
}

// TestTrackingPromoted: what a replica had hidden it deletes when it is promoted; clients stay and hear of that.
func TestTrackingPromoted(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		x.primary().do("SET", "k", "v", "PXAT", atMillis(5*time.Second))
		x.settle()
		w, all := x.tracker(2), x.tracker(2, "BCAST")
		x.jump(2, 10*time.Second)
		w.do("GET", "k")
		x.must(func(n []*Node) error { n[0].Crash(); return n[0].cluster.Promote(n[1]) })
		w.wantSent(invalid("k"))
		all.wantSent(invalid("k"))
	})
}

// TestTrackingEnds: a client that is disconnected tracks nothing any more, and a replica that is sent everything anew says that all may have changed.
func TestTrackingEnds(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		w, left, quit, replica := x.tracker(1), x.tracker(1), x.tracker(1), x.tracker(2)
		for _, c := range []*wire{w, left, quit, replica} {
			c.do("GET", "k")
		}
		_ = left.c.Close()
		quit.want("+OK\r\n", "QUIT")
		x.settle()
		x.primary().do("SET", "k", "v")
		w.wantSent(invalid("k"))
		w.do("GET", "k")
		x.settle()
		replica.wantSent(invalid("k"))
		replica.do("GET", "k")
		x.must(func(n []*Node) error { n[0].Crash(); return n[0].cluster.Restart(n[0], KeptNothing) })
		x.settle()
		if got := w.reply(); got[0] != '(' {
			t.Errorf("a client was sent %q, and not disconnected", got)
		}
		replica.wantSent(allInvalid)
		x.node(1).do("SET", "k", "w")
		x.settle()
		replica.wantSent("")
		again := x.node(1)
		again.do("HELLO", "3")
		again.want(":-1\r\n", "CLIENT", "GETREDIR")
		x.conduct(func(n []*Node) {
			if tracks := n[0].tracks; len(tracks.clients) > 0 || len(tracks.readers) > 0 {
				t.Errorf("the restarted node has %+v", tracks)
			}
		})
	})
}

// TestTrackingSegment: messages to others go out with the command that changed the key, those of BCAST once for all of a segment, behind its answers; clients get them by their ids.
func TestTrackingSegment(t *testing.T) {
	x := play(t, Options{Service: ms}, func(x *player) {
		second, first, all := x.tracker(1), x.tracker(1), x.tracker(1, "BCAST")
		first.do("MGET", "a", "b")
		second.do("MGET", "a", "b")
		all.send(slices.Concat(encode("SET", "b", "1"), encode("SET", "a", "1"), encode("SET", "b", "2")))
		want := "+OK\r\n+OK\r\n+OK\r\n" + invalid("a", "b")
		if got := all.reply() + all.reply() + all.reply() + all.reply(); got != want {
			t.Errorf("the one that changed them was sent %q, want %q", got, want)
		}
		first.wantSent(invalid("b") + invalid("a"))
		second.wantSent(invalid("b") + invalid("a"))
	})
	var conns []int
	var at []time.Duration
	for _, e := range x.report.Events {
		if e.Kind == sim.EventDeliver && e.Actor == "c1" && len(e.Payload) > 0 && e.Payload[0] == '>' {
			conns, at = append(conns, e.Conn), append(at, e.At)
		}
	}
	if want := []int{1, 2, 1, 2}; !slices.Equal(conns, want) || at[2]-at[0] != ms {
		t.Errorf("messages came over the connections %v at %v, want %v, a millisecond apart", conns, at, want)
	}
}

// TestNoTouch: these settings change nothing, since nothing is evicted.
func TestNoTouch(t *testing.T) {
	play(t, Options{}, func(x *player) {
		w := x.primary()
		w.want("+OK\r\n", "CLIENT", "NO-TOUCH", "ON")
		w.want("+OK\r\n", "CLIENT", "NO-TOUCH", "off")
		w.want("-ERR syntax error\r\n", "CLIENT", "NO-TOUCH", "x")
	})
}
