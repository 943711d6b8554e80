package simredis

import (
	"testing"
	"time"
)

// TestRestart: a primary that restarts has what it has kept, says what it has
// lost, and its replica follows it in that.
func TestRestart(t *testing.T) {
	const nothing = "$-1\r\n"
	for _, test := range []struct {
		name      string
		kept      Kept
		old, late string   // replies to GET
		observed  []string // by the primary
		followed  []string // by the replica
	}{
		{"all", KeptAll, "$1\r\n2\r\n", "$1\r\nv\r\n", nil, nil},
		{"until the last second", KeptUntilSync, "$1\r\n1\r\n", nothing,
			[]string{"dropped late=v of 2", "dropped old=2 of 2", "created gone=1 of 1 by 1", "created old=1 of 1 by 1"},
			[]string{"dropped late=v of 2", "dropped old=2 of 2", "created gone=1 of 1 by 1", "created old=1 of 1 by 1"}},
		{"nothing", KeptNothing, nothing, nothing,
			[]string{"dropped late=v of 2", "dropped old=2 of 2"}, []string{"dropped late=v of 2", "dropped old=2 of 2"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			play(t, Options{Replicas: 1}, func(x *player) {
				p := x.primary()
				x.as(1)
				p.do("MSET", "old", "1", "gone", "1")
				x.pass(1500 * time.Millisecond)
				x.as(2)
				p.do("MSET", "old", "2", "late", "v")
				p.do("DEL", "gone")
				x.settle()
				x.conduct(func([]*Node) { x.seen = nil })
				x.must(func(n []*Node) error { n[0].Crash(); return nil })
				if _, err := x.tryDial(x.cluster.Address()); err == nil {
					t.Error("a node that is down accepts")
				}
				x.must(func(n []*Node) error { return x.cluster.Restart(n[0], test.kept) })
				x.settle()
				x.wantObserved(1, append([]string{"crashed", "returned"}, test.observed...)...)
				x.wantObserved(2, test.followed...)
				p = x.primary()
				p.want(test.old, "GET", "old")
				p.want(test.late, "GET", "late")
				p.do("SET", "again", "v") // and the stream goes on
				x.settle()
				x.wantObserved(2, "created again=v of 2 by 2")
			})
		})
	}
}

// TestRestartAndExpiry: what should have expired while a node was down is gone
// when it is back, also if that it had expired before is what is lost.
func TestRestartAndExpiry(t *testing.T) {
	play(t, Options{}, func(x *player) {
		p := x.primary()
		p.do("SET", "before", "v", "PX", "1200")
		p.do("SET", "meanwhile", "v", "PX", "2000")
		x.until(1500 * time.Millisecond)
		p.want("$-1\r\n", "GET", "before")
		x.conduct(func([]*Node) { x.seen = nil })
		x.must(func(n []*Node) error { n[0].Crash(); return nil })
		x.pass(time.Second)
		x.must(func(n []*Node) error { return x.cluster.Restart(n[0], KeptUntilSync) })
		x.wantObserved(1, "crashed", "returned", "expired meanwhile=v of 0")
	})
}

// TestRestartElsewhere: a primary that was replaced while it was down comes back as
// a replica, and a node that is up cannot be started.
func TestRestartElsewhere(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		x.primary().do("SET", "k", "v")
		x.settle()
		x.must(func(n []*Node) error {
			n[0].Crash()
			return x.cluster.Promote(n[1])
		})
		x.must(func(n []*Node) error { return x.cluster.Restart(n[0], KeptNothing) })
		x.settle()
		x.wantObserved(1, "created k=v of 0 by 0", "crashed", "returned")
		x.conduct(func(n []*Node) {
			if n[0].IsPrimary() || n[0].Down() || x.cluster.Primary() != n[1] {
				t.Error("the old primary is not a replica")
			}
			if x.cluster.Restart(n[1], KeptAll) == nil {
				t.Error("a node that is up was started")
			}
		})
	})
}

// TestNames: several clusters in one world have nodes of different names.
func TestNames(t *testing.T) {
	play(t, Options{Replicas: 2, Names: []string{"redis1", "redis4"}}, func(x *player) {
		x.conduct(func(n []*Node) {
			if n[0].Name() != "redis1" || n[1].Name() != "redis4" || n[2].Name() != "redis3" {
				t.Errorf("%s, %s, %s", n[0].Name(), n[1].Name(), n[2].Name())
			}
		})
	})
}
