package simredis

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// shownOf is what has been shown of slots and of clients that were sent on or refused.
func shownOf(seen []model.Observation) (list []string) {
	for _, o := range seen {
		switch {
		case o.Kind == model.Assigned:
			list = append(list, fmt.Sprintf("%s has %s > %s", o.Authority, o.Part, o.SentTo))
		case o.Kind == model.Scattered, o.Event() == SentOn:
			list = append(list, o.Event()+" "+o.By.Client+" at "+o.Node)
		}
	}
	return list
}

// TestShownSlots: where the keys of a slot are in truth is shown from its first move on, and nothing before; so is whom the
// move concerns. A node that is to keep a slot does, and one that was told of the end of a move does not go on with it when
// it gets the slot back.
func TestShownSlots(t *testing.T) {
	x := playShards(t, ShardsOptions{Replicas: 1}, nil, func(x *shardsPlayer) {
		move := func(to int) {
			x.must(func(n []*Node) error { return x.shards.OpenSlot(3300, n[to]) })
		}
		rdb := x.client()
		x.same(rdb.SetNX(background, "{b}k", "v", time.Minute).Val(), true)
		move(2)
		x.must(func(n []*Node) error { return x.shards.StableSlot(3300, n[0]) })
		x.must(func(n []*Node) error { return x.shards.StableSlot(3300, n[2]) })
		move(2)
		x.same(rdb.Exists(background, "{b}other").Val(), 0)
		x.must(func([]*Node) error { return x.shards.MigrateKey("{b}k", false, time.Second, func(string) {}) })
		x.settle()
		x.must(func([]*Node) error { return x.shards.FinishSlot(3300) })
		x.settle()
		x.must(func(n []*Node) error { return x.shards.SettleSlot(3300, n[0]) })
		move(0)
		x.must(func([]*Node) error { return x.shards.MigrateKey("{b}k", false, time.Second, func(string) {}) })
		x.settle()
		x.must(func([]*Node) error { return x.shards.FinishSlot(3300) })
		x.settle()
		x.same(rdb.Exists(background, "{b}other").Val(), 0) // nobody is sent on by what was before
		x.same(rdb.Exists(background, "{b}k", "foo").Err() != nil, true)
	})
	want := []string{
		"redis1 has 3300 > ", "redis1 has 3300 > redis3", "redis1 has 3300 > ", "redis1 has 3300 > redis3",
		"sent-on c1 at redis1", "redis3 has 3300 > ", "redis3 has 3300 > redis1", "redis1 has 3300 > ",
	}
	got := shownOf(x.seen)
	if len(got) > 0 && strings.HasPrefix(got[len(got)-1], string(model.Scattered)) {
		got = got[:len(got)-1]
	} else {
		t.Error("the request with keys of two slots is not shown as refused")
	}
	if strings.Join(got, "; ") != strings.Join(want, "; ") {
		t.Errorf("shown\n%s, want\n%s", strings.Join(got, "; "), strings.Join(want, "; "))
	}
}
