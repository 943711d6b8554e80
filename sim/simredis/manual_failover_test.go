package simredis

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestClusterAgreedFailover: whatever the tape says, a master that hands over to its replica loses no write that it has answered, and answers nothing but
// MOVED afterwards. Its connections stay open.
func TestClusterAgreedFailover(t *testing.T) {
	for seed := range int64(20) {
		playShards(t, ShardsOptions{Replicas: 2, NodeTimeout: timeout}, drawn(seed), func(x *shardsPlayer) {
			old, written := x.node(0), 0
			for i := range 200 {
				if i == 50 {
					x.conduct(func(n []*Node) {
						if refused := n[1].Failover(FailoverAgreed); refused != "" {
							x.t.Error(refused)
						}
					})
				}
				got := old.do("SET", "{b}"+strconv.Itoa(i), "v")
				if got == "+OK\r\n" && written == i {
					written++
				} else if got != "-MOVED 3300 10.0.1.2:6379\r\n" {
					x.t.Fatalf("write %d of %d is answered %q", i, written, got)
				}
			}
			if written < 50 || written == 200 {
				x.t.Errorf("%d writes were answered OK", written)
			}
			x.settle()
			x.want(state{"redis2", []string{"redis2@10"}, []string{"redis2"}, 0})
			if got := x.node(1).do("DBSIZE"); got != fmt.Sprintf(":%d\r\n", written) {
				x.t.Errorf("the new master has %s of %d keys", got, written)
			}
			x.pass(10 * time.Millisecond)
			for _, number := range []int{0, 2} {
				w := x.node(number)
				w.want("+OK\r\n", "READONLY")
				w.want("$1\r\nv\r\n", "GET", "{b}49")
			}
		})
	}
}

// TestClusterForcedFailover: a replica that takes its master's place by force lacks what it has not received.
func TestClusterForcedFailover(t *testing.T) {
	for _, way := range []FailoverWay{FailoverForced, FailoverTakeOver} {
		playShards(t, ShardsOptions{Replicas: 1, NodeTimeout: timeout}, nil, func(x *shardsPlayer) {
			var p sim.Partition
			x.conduct(func(n []*Node) {
				p = sim.Partition{A: []*sim.Actor{n[0].Actor}, B: []*sim.Actor{n[1].Actor}}
				x.world.Network().Part(p, time.Second)
			})
			x.node(0).want("+OK\r\n", "SET", "{b}k", "lost")
			x.conduct(func(n []*Node) {
				if refused := n[1].Failover(way); refused != "" {
					x.t.Error(refused)
				}
			})
			x.settle()
			x.node(1).want("$-1\r\n", "GET", "{b}k")
			x.node(1).want("+OK\r\n", "SET", "{b}k", "second", "NX")
			x.conduct(func([]*Node) { x.world.Network().Unite(p) })
			x.pass(200 * time.Millisecond)
			x.want(state{"redis2", []string{"redis2@7"}, []string{"redis2"}, 0})
			w := x.node(0)
			w.want("+OK\r\n", "READONLY")
			w.want("$6\r\nsecond\r\n", "GET", "{b}k")
		})
	}
}

// TestClusterFailoverBroken: whoever crashes or is stopped meanwhile, the master goes on with writes, or is replaced.
func TestClusterFailoverBroken(t *testing.T) {
	for name, strike := range map[string]func([]*Node){ // unordered: each is a test of its own
		"the replica crashes":    func(n []*Node) { n[1].Crash() },
		"the replica is stopped": func(n []*Node) { n[1].Hang(20 * time.Second) },
		"the master is stopped":  func(n []*Node) { n[0].Hang(500 * time.Millisecond) },
		"another has no vote":    func(n []*Node) { n[2].Crash(); n[4].Crash() },
	} {
		for after := range 6 {
			playShards(t, ShardsOptions{Replicas: 1, NodeTimeout: 15 * time.Second}, drawn(int64(after)), func(x *shardsPlayer) {
				w := x.node(0)
				w.want("+OK\r\n", "SET", "{b}k", "v")
				x.settle()
				x.conduct(func(n []*Node) { n[1].Failover(FailoverAgreed) })
				x.pass(time.Duration(after) * 150 * time.Microsecond)
				x.conduct(strike)
				begun := x.now()
				got := w.do("SET", "{b}k", "w")
				if took := x.now() - begun; took > manualTimeout+time.Second || got != "+OK\r\n" && !strings.HasPrefix(got, "-MOVED") {
					x.t.Errorf("%s: the write was answered %q after %v", name, got, took)
				}
			})
		}
	}
}

// TestClusterHeldBackHangUp: what a client has sent to a master that holds writes back is not executed when it has hung up.
func TestClusterHeldBackHangUp(t *testing.T) {
	playShards(t, ShardsOptions{Replicas: 1, NodeTimeout: 15 * time.Second}, nil, func(x *shardsPlayer) {
		x.conduct(func(n []*Node) {
			n[2].Hang(10 * time.Second)
			n[4].Hang(10 * time.Second)
			n[1].Failover(FailoverAgreed)
		})
		x.settle()
		a, b := x.node(0), x.node(0)
		a.send(encode("SET", "{b}gone", "v"))
		b.send(append(encode("SET", "{b}k", "v"), encode("APPEND", "{b}k", "w")...))
		x.settle()
		_ = a.c.Close()
		b.send(encode("GET", "{b}k"))
		x.node(0).want("*0\r\n", "KEYS", "*")
		x.pass(manualTimeout)
		if got := b.reply() + b.reply() + b.reply(); got != "+OK\r\n:2\r\n$2\r\nvw\r\n" {
			x.t.Errorf("answered %q", got)
		}
		x.node(0).want("*1\r\n$4\r\n{b}k\r\n", "KEYS", "*")
	})
}

// TestClusterFollowersAreHeardOf: that a node follows another is heard of with one of its next pings, by all. Before, its master does
// not heed its order, and later it does.
func TestClusterFollowersAreHeardOf(t *testing.T) {
	heeded := map[bool]int{}
	for seed := range int64(20) {
		for _, wait := range []time.Duration{5 * time.Millisecond, time.Second} {
			playShards(t, ShardsOptions{Replicas: 2, NodeTimeout: time.Second}, drawn(seed), func(x *shardsPlayer) {
				x.conduct(func(n []*Node) { n[1].Failover(FailoverAgreed) })
				x.settle()
				x.pass(wait)
				heard := strings.Count(x.node(1).do("CLUSTER", "NODES"), "slave "+x.names().ids[1]) == 2
				if wait == time.Second && !heard {
					x.t.Errorf("seed %d: after %v the new master does not know of its replicas:\n%s", seed, wait, x.node(1).do("CLUSTER", "NODES"))
				}
				x.node(0).want("+OK\r\n", "CLUSTER", "FAILOVER")
				x.settle()
				x.pass(50 * time.Millisecond)
				is := strings.Contains(x.node(0).do("ROLE"), "master")
				if heard && !is {
					x.t.Errorf("seed %d: an order %v later is not heeded, though the master knows its replicas", seed, wait)
				}
				heeded[is]++
			})
		}
	}
	if heeded[true] == 0 || heeded[false] == 0 {
		t.Errorf("orders that were heeded, and were not: %v, want some of either", heeded)
	}
}
