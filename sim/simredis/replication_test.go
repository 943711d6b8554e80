package simredis

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

const readOnly = "-READONLY You can't write against a read only replica.\r\n"

// TestReplica: it has what the primary did, a little later, with the same
// authors, and takes no writes.
func TestReplica(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		p, r := x.primary(), x.node(2)
		x.as(1)
		p.do("SET", "k", "v", "PX", "10000")
		x.settle()
		x.wantObserved(2, "created k=v of 1 by 1")
		r.want("$1\r\nv\r\n", "GET", "k")
		x.as(2)
		p.do("PEXPIRE", "k", "20000")
		p.do("DEL", "k")
		x.settle()
		x.wantObserved(2, "changed k=v of 1 was 1 by 2", "deleted k=v of 1 by 2")
		r.want("$-1\r\n", "GET", "k")
		for _, words := range [][]string{{"SET", "k", "v"}, {"del", "k"}, {"EXPIRE", "k", "1"}, {"FLUSHALL"}, {"SPOP", "k"}} {
			r.want(readOnly, words...)
		}
		r.want("+OK\r\n", "MULTI")
		r.want("+QUEUED\r\n", "GET", "k")
		r.want(readOnly, "SET", "k", "v")
		r.want("-EXECABORT Transaction discarded because of previous errors.\r\n", "EXEC")
		const script = "return redis.call('set', 'k', 'v')"
		r.want(strings.TrimSuffix(readOnly, "\r\n")+" script: "+sha1Hex(script)+", on @user_script:1.\r\n", "EVAL", script, "0")
		r.want(readOnly, "EVAL", "return redis.pcall('set', 'k', 'v')", "0")
		r.want("$-1\r\n", "EVAL", "return redis.call('get', 'k')", "0")
		r.want(":0\r\n", "PUBLISH", "c", "m")
		x.wantObserved(2)
	})
}

// TestAtomicReplication: a replica has all effects of a script, transaction or
// command, or none of them.
func TestAtomicReplication(t *testing.T) {
	x := play(t, Options{Replicas: 1}, func(x *player) {
		p := x.primary()
		p.do("EVAL", "redis.call('set', 'a', '1') redis.call('incr', 'n') redis.call('del', 'a') redis.call('set', 'b', '2')", "0")
		p.do("MULTI")
		p.do("SET", "c", "1")
		p.do("SET", "d", "1")
		p.do("EXEC")
		p.do("DEL", "c", "d")
	})
	messages := 0
	for _, e := range x.report.Events {
		if e.Actor == "redis2" && strings.HasPrefix(e.Detail, "replicate") {
			messages++
		}
	}
	if messages != 3 {
		t.Errorf("%d messages for three commands", messages)
	}
}

// TestReplicaHides: a replica hides what has expired by its own clock, deletes
// it on the primary's word, shows it again when its clock goes back or the
// primary has extended it.
func TestReplicaHides(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		p, r := x.primary(), x.node(2)
		p.do("SET", "k", "v", "PXAT", atMillis(5*time.Second))
		p.do("SET", "forever", "v")
		x.settle()
		x.wantObserved(2, "created k=v of 0 by 0", "created forever=v of 0 by 0")
		x.jump(2, 10*time.Second)
		x.wantObserved(2, "expired k=v of 0")
		r.want("$-1\r\n", "GET", "k")
		r.want(":-2\r\n", "TTL", "k")
		r.want("*1\r\n$7\r\nforever\r\n", "KEYS", "*")
		r.want(":1\r\n", "DBSIZE")
		r.want("+none\r\n", "TYPE", "k")
		x.jump(2, -10*time.Second)
		x.wantObserved(2, "created k=v of 0")
		r.want("$1\r\nv\r\n", "GET", "k")
		r.want(":5\r\n", "TTL", "k")
		x.jump(2, 10*time.Second)
		x.wantObserved(2, "expired k=v of 0")
		p.do("PEXPIREAT", "k", atMillis(15*time.Second))
		x.settle()
		x.wantObserved(2, "created k=v of 0 by 0")
		r.want("$1\r\nv\r\n", "GET", "k")
		x.until(6 * time.Second)
		x.wantObserved(2, "expired k=v of 0")
		x.wantObserved(1, "created k=v of 0 by 0", "created forever=v of 0 by 0", "changed k=v of 0 was 0 by 0")
		x.until(16 * time.Second)
		x.wantObserved(1, "expired k=v of 0")
		x.wantObserved(2) // the late DEL is of a key that nobody saw any more
		x.jump(2, -10*time.Second)
		x.wantObserved(2) // and it is gone for good
		r.want("$-1\r\n", "GET", "k")
	})
}

// TestClockJumpsWhileDown: what a replica has hidden is there again when it
// comes back with another clock.
func TestClockJumpsWhileDown(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		x.primary().do("SET", "k", "v", "PXAT", atMillis(5*time.Second))
		x.settle()
		x.jump(2, 10*time.Second)
		x.conduct(func(n []*Node) { n[1].Crash() })
		x.jump(2, -10*time.Second)
		x.cut(1, 2) // nothing else informs it
		x.must(func(n []*Node) error { return n[0].cluster.Rejoin(n[1]) })
		x.wantObserved(2, "created k=v of 0 by 0", "expired k=v of 0", "crashed", "returned", "created k=v of 0")
	})
}

// TestPromoteExpired: what has expired by the time of a promotion is expired by
// the new primary.
func TestPromoteExpired(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		x.primary().do("SET", "k", "v", "PXAT", atMillis(5*time.Second))
		x.settle()
		x.must(func(n []*Node) error {
			n[1].Clock().Jump(10 * time.Second) // and it does not know yet
			n[0].Crash()
			return n[0].cluster.Promote(n[1])
		})
		x.wantObserved(2, "created k=v of 0 by 0", "promoted", "expired k=v of 0")
	})
}

// TestPromoteHidden: what a replica has hidden it loses when it is promoted.
func TestPromoteHidden(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		x.primary().do("SET", "k", "v", "PXAT", atMillis(5*time.Second))
		x.settle()
		x.jump(2, 10*time.Second)
		x.must(func(n []*Node) error { n[0].Crash(); return n[0].cluster.Promote(n[1]) })
		x.wantObserved(2, "created k=v of 0 by 0", "expired k=v of 0", "promoted")
		x.jump(2, -10*time.Second)
		x.primary().want("$-1\r\n", "GET", "k")
		x.wantObserved(2)
	})
}

// TestFailover: what the new primary had not received is lost; the old one
// comes back as a replica and drops it.
func TestFailover(t *testing.T) {
	play(t, Options{Replicas: 2}, func(x *player) {
		p := x.primary()
		x.as(1)
		p.do("SET", "kept", "v")
		x.settle()
		x.as(2)
		x.cut(1, 2)
		x.cut(1, 3)
		p.want("+OK\r\n", "SET", "lost", "v")
		p.want("+OK\r\n", "SET", "kept", "w")
		x.must(func(n []*Node) error { n[0].Crash(); return n[0].cluster.Promote(n[1]) })
		x.settle()
		q := x.primary()
		q.want("$-1\r\n", "GET", "lost")
		q.want("$1\r\nv\r\n", "GET", "kept")
		x.wantObserved(1, "created kept=v of 1 by 1", "created lost=v of 2 by 2", "changed kept=w of 2 was 1 by 2", "crashed")
		x.wantObserved(2, "created kept=v of 1 by 1", "promoted")
		x.wantObserved(3, "created kept=v of 1 by 1")
		x.as(3)
		q.do("SET", "new", "v")
		x.must(func(n []*Node) error { return n[0].cluster.Rejoin(n[0]) })
		x.settle()
		x.conduct(func([]*Node) {
			for _, o := range x.seen {
				if o.Node == "redis1" && o.Authority != "" {
					t.Errorf("%s as a primary", short(o))
				}
			}
		})
		x.wantObserved(1, "returned", "dropped kept=w of 2", "dropped lost=v of 2", "created kept=v of 1 by 1", "created new=v of 3 by 3")
		x.wantObserved(2, "created new=v of 3 by 3")
		x.wantObserved(3, "created new=v of 3 by 3")
	})
}

// TestScriptsAreANodes: a replica has none of its primary's scripts, and a
// crash loses them.
func TestScriptsAreANodes(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		const noScript = "-NOSCRIPT No matching script. Please use EVAL.\r\n"
		hash := sha1Hex("return 1")
		p, r := x.node(1), x.node(2)
		p.do("EVAL", "return 1", "0")
		p.want(":1\r\n", "EVALSHA", hash, "0")
		r.want(noScript, "EVALSHA", hash, "0")
		r.do("SCRIPT", "LOAD", "return 2")
		x.must(func(n []*Node) error { n[0].Crash(); return n[0].cluster.Promote(n[1]) })
		x.primary().want(noScript, "EVALSHA", hash, "0")
		r.want(":2\r\n", "EVALSHA", sha1Hex("return 2"), "0") // a promotion keeps them, and connections
		x.must(func(n []*Node) error { return n[0].cluster.Rejoin(n[0]) })
		x.settle()
		x.node(1).want(noScript, "EVALSHA", hash, "0")
	})
}

// TestSplitBrain: a primary that is alive while another is promoted serves its
// side until it gets the order to rejoin; then its clients are disconnected.
func TestSplitBrain(t *testing.T) {
	play(t, Options{Replicas: 2}, func(x *player) {
		old := x.primary()
		old.do("SET", "k", "1")
		x.settle()
		x.must(func(n []*Node) error { return n[0].cluster.Promote(n[1]) })
		fresh := x.primary()
		old.want("+OK\r\n", "SET", "k", "old side")
		fresh.want("+OK\r\n", "SET", "k", "new side")
		old.want("$8\r\nold side\r\n", "GET", "k")
		x.settle()
		x.node(3).want("$8\r\nnew side\r\n", "GET", "k")
		old.want("*3\r\n$6\r\nmaster\r\n:43\r\n*0\r\n", "ROLE")
		x.wantObserved(1, "created k=1 of 0 by 0", "changed k=old side of 0 was 0 by 0")
		x.as(2)
		old.do("SET", "k", "mine")
		x.must(func(n []*Node) error { return n[0].cluster.Rejoin(n[0]) })
		if got := old.do("PING"); !strings.Contains(got, "reset") {
			t.Errorf("a client of the old primary read %q", got)
		}
		x.settle()
		x.wantObserved(1, "changed k=mine of 2 was 0 by 2", "returned", "dropped k=mine of 2", "created k=new side of 0 by 0")
		x.node(1).want(readOnly, "SET", "k", "v")
		x.node(1).want("$8\r\nnew side\r\n", "GET", "k")
	})
}

// TestTwoFailovers in a row, with a node that is down during the first and
// another that still takes itself for a primary during the second.
func TestTwoFailovers(t *testing.T) {
	play(t, Options{Replicas: 3}, func(x *player) {
		x.primary().do("SET", "k", "1")
		x.settle()
		x.must(func(n []*Node) error { n[3].Crash(); return n[0].cluster.Promote(n[1]) }) // redis1 lives on
		x.primary().do("SET", "k", "2")
		x.settle()
		x.must(func(n []*Node) error { n[1].Crash(); return n[0].cluster.Promote(n[2]) })
		x.settle()
		stale := x.node(1)
		stale.want("$1\r\n1\r\n", "GET", "k")
		stale.want("+OK\r\n", "SET", "k", "stale")
		x.primary().want("$1\r\n2\r\n", "GET", "k")
		x.primary().do("SET", "k", "3")
		for _, i := range []int{0, 1, 3} {
			x.must(func(n []*Node) error { return n[0].cluster.Rejoin(n[i]) })
		}
		x.settle()
		for i := range 4 {
			x.node(i+1).want("$1\r\n3\r\n", "GET", "k")
		}
		x.primary().do("SET", "k", "4")
		x.settle()
		for i := range 4 {
			x.node(i+1).want("$1\r\n4\r\n", "GET", "k")
		}
	})
}

// TestRefusals: what cannot be done to a cluster.
func TestRefusals(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		x.conduct(func(n []*Node) {
			c := n[0].cluster
			if c.Promote(n[0]) == nil {
				t.Error("promoted the primary")
			}
			if c.Rejoin(n[0]) == nil {
				t.Error("made the primary follow itself")
			}
			n[1].Crash()
			n[1].Crash()
			if c.Promote(n[1]) == nil {
				t.Error("promoted a node that is down")
			}
		})
		x.wantObserved(2, "crashed")
	})
}

// TestLost: a crash loses what is in flight to the replicas, and nobody loads
// from a node that is down.
func TestLost(t *testing.T) {
	play(t, Options{Replicas: 2}, func(x *player) {
		p := x.primary()
		p.do("SET", "a", "1")
		x.settle()
		x.must(func(n []*Node) error { n[2].Crash(); return nil })
		x.cut(1, 2)
		p.do("SET", "b", "1")
		x.must(func(n []*Node) error { n[0].Crash(); return n[0].cluster.Rejoin(n[2]) })
		x.heal(1, 2)
		x.settle()
		x.wantObserved(2, "created a=1 of 0 by 0")
		x.wantObserved(3, "created a=1 of 0 by 0", "crashed", "returned")
		x.node(3).want("$1\r\n1\r\n", "GET", "a")
		x.must(func(n []*Node) error { return n[0].cluster.Promote(n[2]) })
		x.primary().want("$1\r\n1\r\n", "GET", "a")
	})
}

// TestPutBackInOrder: effects that follow a full copy come after it.
func TestPutBackInOrder(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		p := x.primary()
		p.do("SET", "n", "0")
		x.must(func(n []*Node) error { n[1].Crash(); return n[0].cluster.Rejoin(n[1]) })
		x.cut(1, 2)
		p.do("INCR", "n")
		p.do("INCR", "n")
		x.heal(1, 2)
		x.settle()
		x.wantObserved(2, "created n=0 of 0 by 0", "crashed", "returned", "changed n=1 of 0 was 0 by 0", "changed n=2 of 0 was 0 by 0")
	})
}

// TestExpiryAcrossResync: only the expiry of a key differs.
func TestExpiryAcrossResync(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		p := x.primary()
		p.do("SET", "k", "v", "PX", "10000")
		x.settle()
		x.must(func(n []*Node) error { n[1].Crash(); return nil })
		p.do("PEXPIRE", "k", "20000")
		x.must(func(n []*Node) error { return n[0].cluster.Rejoin(n[1]) })
		x.settle()
		x.wantObserved(2, "created k=v of 0 by 0", "crashed", "returned", "changed k=v of 0 was 0")
	})
}

// TestExpiredWhileDown: a node that comes back sees what has expired
// meanwhile before anybody can ask for it.
func TestExpiredWhileDown(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		x.primary().do("SET", "k", "v", "PX", "1000")
		x.settle()
		x.must(func(n []*Node) error { n[0].Crash(); return n[0].cluster.Promote(n[1]) })
		x.pass(2 * time.Second)
		x.must(func(n []*Node) error { return n[0].cluster.Rejoin(n[0]) })
		x.pass(time.Microsecond)
		x.wantObserved(1, "created k=v of 0 by 0", "crashed", "returned", "expired k=v of 0")
	})
}

// TestWatchOnReplica: what arrives from the primary counts.
func TestWatchOnReplica(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		r := x.node(2)
		r.want("+OK\r\n", "WATCH", "k")
		x.primary().do("SET", "k", "v")
		x.settle()
		r.want("+OK\r\n", "MULTI")
		r.want("+QUEUED\r\n", "GET", "k")
		r.want("*-1\r\n", "EXEC")
	})
}

// TestReports: ROLE, INFO and HELLO say who follows whom and how far behind.
func TestReports(t *testing.T) {
	play(t, Options{Replicas: 2}, func(x *player) {
		p, r := x.primary(), x.node(2)
		p.do("SET", "key", "value") // 3 + 5 + 16 bytes
		x.settle()
		p.want("*3\r\n$6\r\nmaster\r\n:24\r\n*2\r\n*3\r\n$8\r\n10.0.1.2\r\n$4\r\n6379\r\n$2\r\n24\r\n*3\r\n$8\r\n10.0.1.3\r\n$4\r\n6379\r\n$2\r\n24\r\n", "ROLE")
		r.want("*5\r\n$5\r\nslave\r\n$8\r\n10.0.1.1\r\n:6379\r\n$9\r\nconnected\r\n:24\r\n", "ROLE")
		for _, want := range []string{"role:master\r\n", "connected_slaves:2\r\n", "slave0:ip=10.0.1.2,port=6379,state=online,offset=24,lag=0\r\n", "master_repl_offset:24\r\n"} {
			if got := p.do("INFO", "replication"); !strings.Contains(got, want) || strings.Contains(got, "redis_version") {
				t.Errorf("INFO of the primary: %q lacks %q", got, want)
			}
		}
		for _, want := range []string{"redis_version:7.2.4\r\n", "role:slave\r\n", "master_host:10.0.1.1\r\n", "master_link_status:up\r\n", "slave_repl_offset:24\r\n", "slave_read_only:1\r\n"} {
			if got := r.do("INFO"); !strings.Contains(got, want) {
				t.Errorf("INFO of a replica: %q lacks %q", got, want)
			}
		}
		x.conduct(func(n []*Node) {
			if n[0].Offset() != 24 || n[1].Offset() != 24 || n[1].Lag() != 0 || n[0].Lag() != 0 {
				t.Errorf("offsets %d and %d, lag %d", n[0].Offset(), n[1].Offset(), n[1].Lag())
			}
		})
		p.send(encode("SET", "key", "other"))
		p.reply()
		x.cut(1, 2)
		x.must(func(n []*Node) error { return n[0].cluster.Rejoin(n[1]) })
		if lag := fmt.Sprint(x.lag(2)); lag != "48" {
			t.Errorf("the lag is %s while a full copy is under way", lag)
		}
		r.want("*5\r\n$5\r\nslave\r\n$8\r\n10.0.1.1\r\n:6379\r\n$4\r\nsync\r\n:0\r\n", "ROLE")
		if got := p.do("INFO"); !strings.Contains(got, "slave1:ip=10.0.1.2,port=6379,state=send_bulk,offset=0,lag=0\r\n") {
			t.Errorf("INFO of the primary: %q", got)
		}
		x.heal(1, 2)
		x.settle()
		x.must(func(n []*Node) error { n[0].Crash(); return nil })
		r.want("*5\r\n$5\r\nslave\r\n$8\r\n10.0.1.1\r\n:6379\r\n$7\r\nconnect\r\n:48\r\n", "ROLE")
		if got := r.do("INFO", "Replication"); !strings.Contains(got, "master_link_status:down\r\n") {
			t.Errorf("INFO of a replica whose primary is down: %q", got)
		}
		if got := r.do("HELLO"); !strings.Contains(got, "$7\r\nreplica\r\n") {
			t.Errorf("HELLO of a replica: %q", got)
		}
	})
}

// cut and heal are about what one node sends to another.
func (x *player) cut(from, to int) {
	x.conduct(func(n []*Node) { x.world.Network().Cut(n[from-1].Actor, n[to-1].Actor) })
}

func (x *player) heal(from, to int) {
	x.conduct(func(n []*Node) { x.world.Network().Heal(n[from-1].Actor, n[to-1].Actor) })
}

func (x *player) lag(node int) (lag int64) {
	x.conduct(func(n []*Node) { lag = n[node-1].Lag() })
	return lag
}

// TestCutBetweenNodes: a cut holds replication, and a promotion on the other
// side of it loses what it held.
func TestCutBetweenNodes(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		p := x.primary()
		x.cut(1, 2)
		p.do("SET", "a", "1")
		x.settle()
		x.wantObserved(2)
		x.heal(1, 2)
		x.settle()
		x.wantObserved(2, "created a=1 of 0 by 0")
		x.cut(1, 2)
		p.do("SET", "b", "1")
		x.must(func(n []*Node) error { return n[0].cluster.Promote(n[1]) })
		x.heal(1, 2)
		x.settle()
		x.wantObserved(2, "promoted")
	})
}
