package simredis

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// behind cuts a replica off from its primary, which writes something then, and crashes after a while.
func behind(x *player, node int, crash time.Duration) {
	x.conduct(func(nodes []*Node) {
		cut := sim.Partition{A: []*sim.Actor{nodes[node-1].Host.Actor}, B: []*sim.Actor{nodes[0].Host.Actor}}
		x.world.Network().Part(cut, time.Hour)
	})
	x.primary().want("+OK\r\n", "SET", "k", "v")
	x.pass(crash)
	x.conduct(func(nodes []*Node) { nodes[0].Crash() })
	x.pass(10 * time.Second)
}

// TestPriorityBeatsOffset: of two replicas the preferred one is promoted though it lacks the last write, and
// the other one without a preference.
func TestPriorityBeatsOffset(t *testing.T) {
	for _, preferred := range []int{0, 1} {
		o := usual()
		o.Preferred = preferred
		x := play(t, o, func(x *player) { behind(x, 2, time.Millisecond) })
		want := map[int]string{0: "redis3", 1: "redis2"}[preferred]
		if got := x.cluster.Primary().Name(); got != want {
			t.Errorf("replica %d preferred: %s was promoted, want %s", preferred, got, want)
		}
	}
}

// TestLongUnlinked: a replica whose link was down for more than ten times the time after which a server is
// down is not promoted, and one whose link was down for less is.
func TestLongUnlinked(t *testing.T) {
	for _, test := range []struct {
		crash, ordered time.Duration
		refused        string
	}{
		{0, 9900 * time.Millisecond, ""},
		{0, 10100 * time.Millisecond, "NOGOODSLAVE No suitable replica to promote"},
	} {
		o := usual()
		o.Replicas = 1
		play(t, o, func(x *player) {
			// The full copy does not reach the replica: it says that its link is down.
			x.conduct(func(nodes []*Node) {
				cut := sim.Partition{A: []*sim.Actor{nodes[0].Host.Actor}, B: []*sim.Actor{nodes[1].Host.Actor}}
				x.world.Network().Part(cut, time.Hour)
				nodes[1].resync(nodes[0])
			})
			x.pass(test.ordered)
			x.conduct(func([]*Node) {
				if got := x.cluster.Sentinels()[0].Failover(); got != test.refused {
					t.Errorf("after %v a failover by order is refused with %q, want %q", test.ordered, got, test.refused)
				}
			})
		})
	}
}

// TestSentinelFlags: what a sentinel says of a primary that it takes for down, alone and with others, and of
// itself in tilt mode.
func TestSentinelFlags(t *testing.T) {
	flags := func(w *wire) string {
		_, after, _ := strings.Cut(w.do("SENTINEL", "MASTER", "mymaster"), "\r\nflags\r\n")
		return strings.Split(after, "\r\n")[1]
	}
	info := func(w *wire, want string) {
		t.Helper()
		if got := w.do("INFO", "sentinel"); !strings.Contains(got, want) {
			t.Errorf("INFO says %q, want %q in it", got, want)
		}
	}
	o := usual()
	o.Replicas = 1
	play(t, o, func(x *player) {
		w := x.sentinel(1)
		info(w, "status=ok")
		x.conduct(func(nodes []*Node) {
			nodes[1].Crash() // nobody can be promoted
			s := x.cluster.Sentinels()[0]
			x.world.Network().Part(sim.Partition{A: []*sim.Actor{s.Host.Actor}, B: []*sim.Actor{nodes[0].Host.Actor}}, time.Hour)
		})
		x.pass(3 * time.Second)
		if got := flags(w); got != "s_down,master" {
			t.Errorf("alone it says %q", got)
		}
		info(w, "status=sdown")
		x.conduct(func(nodes []*Node) { nodes[0].Crash() })
		x.pass(4 * time.Second)
		if got := flags(w); got != "s_down,o_down,master" {
			t.Errorf("with the others it says %q", got)
		}
		info(w, "status=odown")
		info(w, "sentinel_tilt:0\r\nsentinel_tilt_since_seconds:-1\r\n")
		x.conduct(func([]*Node) { x.cluster.Sentinels()[0].Hang(3 * time.Second) })
		x.pass(5100 * time.Millisecond)
		info(w, "sentinel_tilt:1\r\nsentinel_tilt_since_seconds:2\r\n")
	})
}
