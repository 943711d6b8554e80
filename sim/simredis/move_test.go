package simredis

import (
	"testing"
	"time"
)

// TestMoveSlot moves a slot by the conductor's hand, under a client that follows.
func TestMoveSlot(t *testing.T) {
	playShards(t, ShardsOptions{Replicas: 1}, nil, func(x *shardsPlayer) {
		rdb := x.client()
		x.same(rdb.SetNX(background, "{b}k", "v", time.Minute).Val(), true)
		x.same(rdb.SetNX(background, "{b}left", "v", time.Minute).Val(), true)
		x.must(func(n []*Node) error { return x.shards.OpenSlot(3300, n[2]) })
		x.same(rdb.SetNX(background, "{b}k", "other", time.Minute).Val(), false)
		x.same(rdb.SetNX(background, "{b}new", "asked", time.Minute).Val(), true)
		refused := "not yet"
		x.must(func([]*Node) error {
			return x.shards.MigrateKey("{b}k", false, time.Second, func(r string) { refused = r })
		})
		x.settle()
		x.conduct(func(n []*Node) {
			x.same(refused, "")
			x.same(n[0].data["{b}k"] == nil, true)
			x.same(n[2].data["{b}k"].value.text, "v")
			x.same(x.shards.Owner("{b}k").Name(), "redis1")
		})
		x.same(rdb.Get(background, "{b}k").Val(), "v")
		x.must(func([]*Node) error { return x.shards.FinishSlot(3300) })
		x.conduct(func(n []*Node) { x.same(x.shards.Owner("{b}k").Name(), "redis3") })
		x.settle()
		x.same(rdb.Get(background, "{b}k").Val(), "v")
		x.same(rdb.Get(background, "{b}new").Val(), "asked")
		x.same(rdb.Exists(background, "{b}left").Val(), 0)
	})
}

// TestMoveSlotTwice: a key that the target has granted meanwhile is refused, or overwritten.
func TestMoveSlotTwice(t *testing.T) {
	playShards(t, ShardsOptions{}, nil, func(x *shardsPlayer) {
		x.node(0).want("+OK\r\n", "SET", "{b}k", "first", "NX")
		x.must(func(n []*Node) error { return x.shards.OpenSlot(3300, n[1]) })
		target := x.node(1)
		target.want("+OK\r\n", "ASKING")
		target.want("+OK\r\n", "SET", "{b}k", "second", "NX")
		var refused []string
		for _, replace := range []bool{false, true} {
			x.must(func([]*Node) error {
				return x.shards.MigrateKey("{b}k", replace, time.Second, func(r string) { refused = append(refused, r) })
			})
			x.settle()
		}
		x.same(refused, []string{errTarget + errBusyKey, ""})
		x.has("", "first")
	})
}

// TestEpochsCollide: two masters that take a new epoch at once take the same; one of them moves on, and all learn that.
func TestEpochsCollide(t *testing.T) {
	playShards(t, ShardsOptions{Replicas: 1}, nil, func(x *shardsPlayer) {
		x.must(func(n []*Node) error { return x.shards.OpenSlot(Slot("{b}k"), n[2]) })
		x.must(func(n []*Node) error { return x.shards.OpenSlot(Slot("bar"), n[4]) })
		x.must(func([]*Node) error { return x.shards.FinishSlot(Slot("{b}k")) })
		x.must(func([]*Node) error { return x.shards.FinishSlot(Slot("bar")) })
		first, second := x.shards.members[2], x.shards.members[4]
		x.conduct(func([]*Node) { x.same([]int64{first.self().epoch, second.self().epoch}, []int64{7, 7}) })
		x.settle()
		x.conduct(func([]*Node) {
			if a, b := first.self().epoch, second.self().epoch; a == b || max(a, b) != 8 {
				x.t.Errorf("the epochs are %d and %d", a, b)
			}
			for _, m := range x.shards.members {
				for _, o := range []*member{first, second} {
					if known := m.peers[o.number].epoch; known != o.self().epoch {
						x.t.Errorf("%s takes the epoch of %s for %d", m.node.Name(), o.node.Name(), known)
					}
				}
			}
			x.same(x.shards.Owner("{b}k").Name(), "redis3")
			x.same(x.shards.Owner("bar").Name(), "redis5")
		})
		x.node(0).want("-MOVED 3300 10.0.2.1:6379\r\n", "GET", "{b}k")
		x.node(0).want("-MOVED 5061 10.0.3.1:6379\r\n", "GET", "bar")
	})
}

// TestMoveSlotFails: what an operator could not do fails, and changes nothing.
func TestMoveSlotFails(t *testing.T) {
	playShards(t, ShardsOptions{Replicas: 1}, nil, func(x *shardsPlayer) {
		x.node(0).want("+OK\r\n", "SET", "{b}k", "v")
		fails := func(what string, f func(n []*Node) error) {
			x.conduct(func(n []*Node) {
				if f(n) == nil {
					x.t.Errorf("%s does not fail", what)
				}
			})
		}
		nobodyAsks := func(string) { x.t.Error("it began") }
		fails("a replica as target", func(n []*Node) error { return x.shards.OpenSlot(3300, n[3]) })
		fails("the owner as target", func(n []*Node) error { return x.shards.OpenSlot(3300, n[0]) })
		fails("a key of a closed slot", func([]*Node) error { return x.shards.MigrateKey("{b}k", false, time.Second, nobodyAsks) })
		fails("the end of a closed slot", func([]*Node) error { return x.shards.FinishSlot(3300) })
		x.must(func(n []*Node) error { return x.shards.OpenSlot(3300, n[2]) })
		fails("a key that is not there", func([]*Node) error { return x.shards.MigrateKey("{b}none", false, time.Second, nobodyAsks) })
		x.conduct(func(n []*Node) { n[2].Crash() })
		fails("a target that is down", func([]*Node) error { return x.shards.FinishSlot(3300) })
		fails("a target that is down", func(n []*Node) error { return x.shards.OpenSlot(3300, n[2]) })
		x.conduct(func(n []*Node) { n[0].Hang(time.Second) })
		fails("a source that hangs", func(n []*Node) error { return x.shards.OpenSlot(3300, n[4]) })
		x.node(0).want("$1\r\nv\r\n", "GET", "{b}k")
	})
}

// must is conduct for what can fail and should not.
func (x *shardsPlayer) must(f func(nodes []*Node) error) {
	x.t.Helper()
	x.conduct(func(nodes []*Node) {
		if err := f(nodes); err != nil {
			x.t.Error(err)
		}
	})
}
