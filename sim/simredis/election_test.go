package simredis

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

const timeout = 2 * time.Second

// drawn is a tape that draws by a seed.
func drawn(seed int64) sim.Tape { return chance{rand.New(rand.NewSource(seed))} }

// state is what the conductor sees of a cluster at a moment.
type state struct {
	owner  string   // of the key {b}k
	claims []string // the nodes that claim it, with their epochs
	serve  []string // those that would execute a command on it
	sick   int      // nodes that find the cluster down
}

func (x *shardsPlayer) state() (s state) {
	x.conduct(func(nodes []*Node) { s = x.look() })
	return s
}

// look is state for the conductor.
func (x *shardsPlayer) look() (s state) {
	if o := x.shards.Owner("{b}k"); o != nil {
		s.owner = o.Name()
	}
	for _, n := range x.shards.Nodes() {
		if epoch, claims := x.shards.Claims(n, "{b}k"); claims {
			s.claims = append(s.claims, fmt.Sprintf("%s@%d", n.Name(), epoch))
		}
		if x.shards.Serves(n, "{b}k") {
			s.serve = append(s.serve, n.Name())
		}
		if !n.Down() && !n.member.healthy {
			s.sick++
		}
	}
	return s
}

// until lets time pass until something is so, and says after how long.
func (x *shardsPlayer) until(is func(state) bool) time.Duration {
	x.t.Helper()
	const step = 10 * time.Millisecond
	for i := range 6000 {
		if is(x.state()) {
			return time.Duration(i) * step
		}
		x.pass(step)
	}
	x.t.Errorf("it does not become so: %+v", x.state())
	return 0
}

func (x *shardsPlayer) want(want state) {
	x.t.Helper()
	if got := x.state(); fmt.Sprint(got) != fmt.Sprint(want) {
		x.t.Errorf("got %+v, want %+v", got, want)
	}
}

// between fails unless a time is within bounds.
func (x *shardsPlayer) between(what string, got, least, most time.Duration) {
	x.t.Helper()
	if got < least || got > most {
		x.t.Errorf("%s after %v, want %v to %v", what, got, least, most)
	}
}

// TestClusterFailover: the replica of a master that has crashed is elected within the bounds of Redis's rules, whatever the tape says. Measured on
// Redis 7.0: 4.8 s with a node timeout of 2 s, of which 0.9 s with CLUSTERDOWN.
func TestClusterFailover(t *testing.T) {
	for seed := range int64(20) {
		playShards(t, ShardsOptions{Replicas: 1, NodeTimeout: timeout}, drawn(seed), func(x *shardsPlayer) {
			x.node(0).want("+OK\r\n", "SET", "{b}k", "v")
			x.settle()
			x.want(state{"redis1", []string{"redis1@1"}, []string{"redis1"}, 0})
			x.conduct(func(n []*Node) { n[0].Crash() })
			down := x.until(func(s state) bool { return s.sick > 0 })
			x.between("CLUSTERDOWN", down, timeout, timeout*3/2+timeout/2+50*time.Millisecond)
			w := x.node(2)
			w.want("-CLUSTERDOWN The cluster is down\r\n", "GET", "{c}k")
			elected := x.until(func(s state) bool { return s.owner == "redis2" })
			x.between("the election", elected, 490*time.Millisecond, 1100*time.Millisecond)
			x.settle()
			x.want(state{"redis2", []string{"redis1@1", "redis2@7"}, []string{"redis2"}, 0})
			w.want("-MOVED 3300 10.0.1.2:6379\r\n", "GET", "{b}k")
			x.node(1).want("$1\r\nv\r\n", "GET", "{b}k")
			for _, words := range []string{"master,fail", "slave"} {
				if nodes := w.do("CLUSTER", "NODES"); !strings.Contains(nodes, words) {
					x.t.Errorf("CLUSTER NODES: %s", nodes)
				}
			}
			x.conduct(func(n []*Node) { _ = n[0].cluster.Restart(n[0], KeptAll) })
			old := x.node(0)
			x.pass(5 * time.Millisecond)
			if got := old.do("SET", "{b}k", "w"); !strings.HasPrefix(got, "-CLUSTERDOWN") && !strings.HasPrefix(got, "-MOVED") {
				x.t.Errorf("the old master, just back, answers %q", got)
			}
			x.pass(time.Second)
			old.want("-MOVED 3300 10.0.1.2:6379\r\n", "SET", "{b}k", "w")
			old.want("+OK\r\n", "READONLY")
			old.want("$1\r\nv\r\n", "GET", "{b}k")
			x.pass(5 * time.Second)
			x.want(state{"redis2", []string{"redis2@7"}, []string{"redis2"}, 0})
		})
	}
}

// TestClusterStop: a master that was stopped has lost its slots when it goes on. Requests that lie in its socket are executed before it hears
// that, or not: the tape decides. What they write is lost.
func TestClusterStop(t *testing.T) {
	answers := map[string]int{}
	for seed := range int64(20) {
		x := playShards(t, ShardsOptions{Replicas: 1, NodeTimeout: timeout}, drawn(seed), func(x *shardsPlayer) {
			stopped := x.node(0)
			stopped.want("+OK\r\n", "SET", "{b}k", "v")
			x.settle()
			x.conduct(func(n []*Node) { n[0].Hang(8 * time.Second) })
			x.pass(7 * time.Second)
			x.node(1).want("$-1\r\n", "SET", "{b}k", "second", "NX") // it has v
			x.node(1).want("+OK\r\n", "SET", "{b}lock", "second", "NX")
			answers[stopped.do("SET", "{b}lock", "first", "NX")]++
			x.pass(200 * time.Millisecond)
			stopped.want("-MOVED 3300 10.0.1.2:6379\r\n", "GET", "{b}lock")
			stopped.want("+OK\r\n", "READONLY")
			stopped.want("$6\r\nsecond\r\n", "GET", "{b}lock")
		})
		dropped := 0
		for _, o := range x.seen {
			if o.Kind == model.RecordDropped && o.Key == "{b}lock" && o.Node == "redis1" {
				dropped++
			}
		}
		if dropped != answersOK(x) {
			t.Errorf("seed %d: %d values of the old master are dropped", seed, dropped)
		}
	}
	if len(answers) != 2 || answers["+OK\r\n"] == 0 || answers["-MOVED 3300 10.0.1.2:6379\r\n"] == 0 {
		t.Errorf("the old master has answered %v", answers)
	}
}

// answersOK is how many values of the lock the first master has granted.
func answersOK(x *shardsPlayer) (n int) {
	for _, o := range x.seen {
		if o.Kind == model.RecordCreated && o.Key == "{b}lock" && o.Value == "first" {
			n++
		}
	}
	return n
}

// TestClusterPartition: a master that is cut off with its client serves until the node timeout, and what it grants is lost. It is a replica
// when it is back, without serving in between.
func TestClusterPartition(t *testing.T) {
	for seed := range int64(20) {
		playShards(t, ShardsOptions{Replicas: 1, NodeTimeout: timeout}, drawn(seed), func(x *shardsPlayer) {
			old := x.node(0)
			old.want("+OK\r\n", "SET", "{b}k", "v")
			x.settle()
			var p sim.Partition
			x.conduct(func(n []*Node) {
				p = sim.Partition{A: []*sim.Actor{n[0].Actor}}
				for _, o := range n[1:] {
					p.B = append(p.B, o.Actor)
				}
				x.world.Network().Part(p, time.Minute)
			})
			x.pass(timeout - 50*time.Millisecond)
			old.want("+OK\r\n", "SET", "{b}lost", "v")
			x.between("the end of its service", x.until(func(s state) bool { return len(s.serve) == 0 || s.serve[0] != "redis1" }), 0, timeout/2+100*time.Millisecond)
			old.want("-CLUSTERDOWN The cluster is down\r\n", "SET", "{b}k", "w")
			x.until(func(s state) bool { return s.owner == "redis2" })
			x.settle()
			x.want(state{"redis2", []string{"redis1@1", "redis2@7"}, []string{"redis2"}, 1})
			x.node(1).want("$-1\r\n", "GET", "{b}lost")
			x.conduct(func([]*Node) { x.world.Network().Unite(p) })
			for range 100 {
				if s := x.state(); len(s.serve) != 1 || s.serve[0] != "redis2" {
					x.t.Fatalf("%+v", s)
				}
				x.pass(2 * time.Millisecond)
			}
			old.want("-MOVED 3300 10.0.1.2:6379\r\n", "SET", "{b}k", "w")
			x.pass(5 * time.Second)
			x.want(state{"redis2", []string{"redis2@7"}, []string{"redis2"}, 0})
		})
	}
}

// TestClusterDown is what a node answers while a slot is served by nobody: as a redis-server 7.0 whose slot 12182 was taken away by CLUSTER DELSLOTS.
func TestClusterDown(t *testing.T) {
	playShards(t, ShardsOptions{Shards: 1}, nil, func(x *shardsPlayer) {
		w := x.node(0)
		w.want("+OK\r\n", "SET", "bar", "v")
		x.conduct(func(n []*Node) {
			n[0].member.assign(Slot("foo"), nobody)
			n[0].member.update()
		})
		w.want("-CLUSTERDOWN Hash slot not served\r\n", "GET", "foo")
		w.want("-CLUSTERDOWN The cluster is down\r\n", "GET", "bar")
		w.want("-CLUSTERDOWN Hash slot not served\r\n", "MGET", "foo", "bar")
		w.want("-CROSSSLOT Keys in request don't hash to the same slot\r\n", "MGET", "bar", "foo")
		const down = "return redis.call('get','bar')"
		w.want("-ERR Script attempted to execute a command while the cluster is down script: "+sha1Hex(down)+", on @user_script:1.\r\n", "EVAL", down, "0")
		const foreign = "return redis.call('get','foo')"
		w.want("-ERR Script attempted to access a non local key in a cluster node script: "+sha1Hex(foreign)+", on @user_script:1.\r\n", "EVAL", foreign, "0")
		w.want("+PONG\r\n", "PING")
		w.want("-CLUSTERDOWN Hash slot not served\r\n", "SPUBLISH", "foo", "x")
		w.want(":0\r\n", "SPUBLISH", "bar", "x")
		if got := w.do("CLUSTER", "INFO"); !strings.Contains(got, "cluster_state:fail\r\ncluster_slots_assigned:16383\r\n") {
			x.t.Errorf("CLUSTER INFO: %s", got)
		}
		if got := w.do("CLUSTER", "SHARDS"); !strings.HasPrefix(got, "*1\r\n*4\r\n$5\r\nslots\r\n*4\r\n:0\r\n:12181\r\n:12183\r\n:16383\r\n") {
			x.t.Errorf("CLUSTER SHARDS: %q", got)
		}
	})
}

// TestClusterRejoin: without a replica, a master that was cut off serves again, but only a while after it is back. Until then it is shown as one that
// refuses everything.
func TestClusterRejoin(t *testing.T) {
	x := playShards(t, ShardsOptions{NodeTimeout: timeout}, nil, func(x *shardsPlayer) {
		var p sim.Partition
		x.conduct(func(n []*Node) {
			p = sim.Partition{A: []*sim.Actor{n[0].Actor}, B: []*sim.Actor{n[1].Actor, n[2].Actor}}
			x.world.Network().Part(p, time.Minute)
		})
		x.pass(4 * timeout)
		w := x.node(0)
		w.want("-CLUSTERDOWN The cluster is down\r\n", "SET", "{b}k", "w")
		x.conduct(func([]*Node) { x.world.Network().Unite(p) })
		x.between("service", x.until(func(s state) bool { return len(s.serve) == 1 }), timeout, timeout+100*time.Millisecond)
		w.want("+OK\r\n", "SET", "{b}k", "w")
		x.between("the others' service", x.until(func(s state) bool { return s.sick == 0 }), 0, 2*timeout)
	})
	var shown []string
	var since, lasted time.Duration
	for _, o := range x.seen {
		switch {
		case o.Kind == model.Closed && o.Node == "redis1":
			since = o.At
		case o.Kind == model.Opened && o.Node == "redis1":
			lasted = o.At - since
		}
		if o.Kind == model.Closed || o.Kind == model.Opened {
			shown = append(shown, fmt.Sprintf("%s %s of %s", o.Node, o.Kind, o.Authority))
		}
	}
	slices.Sort(shown)
	if got := strings.Join(shown, ", "); got != "redis1 closed of redis1, redis1 opened of redis1, redis2 closed of redis2, redis2 opened of redis2, "+
		"redis3 closed of redis3, redis3 opened of redis3" || lasted < 4*timeout-timeout {
		t.Errorf("shown: %s; the first for %v", got, lasted)
	}
}

// TestClusterRank: of two replicas the one that has more of the stream is elected, a second ahead of the other.
func TestClusterRank(t *testing.T) {
	for seed := range int64(20) {
		playShards(t, ShardsOptions{Replicas: 2, NodeTimeout: timeout}, drawn(seed), func(x *shardsPlayer) {
			x.settle()
			var p sim.Partition
			x.conduct(func(n []*Node) {
				p = sim.Partition{A: []*sim.Actor{n[0].Actor}, B: []*sim.Actor{n[1].Actor}}
				x.world.Network().Part(p, 10*time.Millisecond)
			})
			x.node(0).want("+OK\r\n", "SET", "{b}k", "v")
			x.settle()
			x.conduct(func(n []*Node) {
				n[0].Crash()
				x.world.Network().Unite(p) // what was held is lost
			})
			x.until(func(s state) bool { return s.owner != "redis1" })
			x.settle()
			x.want(state{"redis3", []string{"redis1@1", "redis3@10"}, []string{"redis3"}, 0})
			x.node(2).want("$1\r\nv\r\n", "GET", "{b}k")
			x.pass(time.Second)
			follower := x.node(1)
			follower.want("+OK\r\n", "READONLY")
			follower.want("$1\r\nv\r\n", "GET", "{b}k")
		})
	}
}

// TestClusterWithoutMajority: two of three masters are gone, so nobody elects a replica of theirs.
func TestClusterWithoutMajority(t *testing.T) {
	playShards(t, ShardsOptions{Replicas: 1, NodeTimeout: timeout}, nil, func(x *shardsPlayer) {
		x.conduct(func(n []*Node) { n[0].Crash(); n[2].Crash() })
		x.pass(5 * timeout)
		x.want(state{"redis1", []string{"redis1@1"}, nil, 4})
		x.node(4).want("-CLUSTERDOWN The cluster is down\r\n", "SET", "{a}k", "w")
		x.conduct(func(n []*Node) { _ = n[2].cluster.Restart(n[2], KeptNothing) })
		x.until(func(s state) bool { return s.owner == "redis2" && s.sick == 0 })
		x.node(1).want("+OK\r\n", "SET", "{b}k", "w")
	})
}
