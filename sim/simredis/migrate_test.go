package simredis

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// opened makes the slot of {b} migrate from the first master to the second of a cluster without replicas. The first has the key {b}k,
// with further words for its SET.
func (x *shardsPlayer) opened(options ...string) (source, target *wire) {
	source, target = x.node(0), x.node(1)
	source.want("+OK\r\n", append([]string{"SET", "{b}k", "v"}, options...)...)
	target.want("+OK\r\n", "CLUSTER", "SETSLOT", "3300", "IMPORTING", x.shards.members[0].id)
	source.want("+OK\r\n", "CLUSTER", "SETSLOT", "3300", "MIGRATING", x.shards.members[1].id)
	return source, target
}

// has compares what nodes have at the key {b}k.
func (x *shardsPlayer) has(want ...string) {
	x.t.Helper()
	x.conduct(func(nodes []*Node) {
		for i, w := range want {
			value := ""
			if e := nodes[i].data["{b}k"]; e != nil {
				value = e.value.text
			}
			if value != w {
				x.t.Errorf("%s has %q, want %q", nodes[i].Name(), value, w)
			}
		}
	})
}

// cut separates the first two nodes.
func (x *shardsPlayer) cut() (p sim.Partition) {
	x.conduct(func(n []*Node) {
		p = sim.Partition{A: []*sim.Actor{n[0].Actor}, B: []*sim.Actor{n[1].Actor}}
		x.world.Network().Part(p, time.Minute)
	})
	return p
}

// sent sends the MIGRATE of {b}k, with a timeout of 100 ms.
func (w *wire) sent(options ...string) {
	w.send(encode(append([]string{"MIGRATE", "10.0.2.1", "6379", "{b}k", "0", "100"}, options...)...))
}

// TestMigrateBlocks: while a key is on its way the source executes nothing, and then what has arrived meanwhile, in order.
func TestMigrateBlocks(t *testing.T) {
	x := playShards(t, ShardsOptions{}, nil, func(x *shardsPlayer) {
		x.process.SetTask(&sim.Task{ID: 7})
		source, _ := x.opened("PX", "60000")
		other := x.node(0)
		x.process.SetTask(&sim.Task{ID: 8})
		x.conduct(func(n []*Node) { n[1].Hang(50 * time.Millisecond) })
		source.send(slices.Concat(encode("MIGRATE", "10.0.2.1", "6379", "{b}k", "0", "100"), encode("PING"), encode("GET", "{b}k")))
		x.pass(5 * time.Millisecond)
		other.send(encode("GET", "{b}k"))
		x.pass(20 * time.Millisecond)
		x.has("v", "")
		if got := source.reply() + source.reply() + source.reply(); got != "+OK\r\n+PONG\r\n-ASK 3300 10.0.2.1:6379\r\n" {
			x.t.Errorf("the source answers %q", got)
		}
		if got := other.reply(); got != "-ASK 3300 10.0.2.1:6379\r\n" {
			x.t.Errorf("the source answers %q to the other connection", got)
		}
		x.has("", "v")
	})
	var observed []string
	for _, o := range x.seen {
		if o.Key == "{b}k" {
			observed = append(observed, o.Node+" "+short(o))
		}
	}
	want := "redis1 created {b}k=v of 7 by 7, redis2 created {b}k=v of 7 by 8, redis1 deleted {b}k=v of 7 by 8"
	if got := strings.Join(observed, ", "); got != want {
		t.Errorf("observed %s, want %s", got, want)
	}
}

// TestMigrateTimesOut: if the answer does not come in time, both nodes have the key.
func TestMigrateTimesOut(t *testing.T) {
	playShards(t, ShardsOptions{}, nil, func(x *shardsPlayer) {
		source, target := x.opened()
		source.sent()
		x.pass(350 * time.Microsecond) // the key is under way
		p := x.cut()
		x.has("v", "")
		if got := source.reply(); got != "-"+errReading+"\r\n" {
			x.t.Errorf("MIGRATE answers %q", got)
		}
		source.want("$1\r\nv\r\n", "GET", "{b}k")
		x.conduct(func([]*Node) { x.world.Network().Unite(p) })
		x.settle()
		x.has("v", "v")
		target.want("+OK\r\n", "ASKING")
		target.want("$1\r\nv\r\n", "GET", "{b}k")
		source.want("-ERR Target instance replied with error: BUSYKEY Target key name already exists.\r\n", "MIGRATE", "10.0.2.1", "6379", "{b}k", "0", "100")
		source.want("+OK\r\n", "MIGRATE", "10.0.2.1", "6379", "{b}k", "0", "100", "REPLACE")
		x.has("", "v")
	})
}

// TestMigrateUnconnected: a target that is down refuses, and one that is cut off does not answer the dial: nothing is sent.
func TestMigrateUnconnected(t *testing.T) {
	playShards(t, ShardsOptions{}, nil, func(x *shardsPlayer) {
		source, _ := x.opened()
		p := x.cut()
		source.sent()
		x.pass(50 * time.Millisecond)
		x.conduct(func([]*Node) { x.world.Network().Unite(p) })
		if got := source.reply(); got != "-"+errConnecting+"\r\n" {
			x.t.Errorf("MIGRATE answers %q", got)
		}
		x.has("v", "")
		source.want("+OK\r\n", "MIGRATE", "10.0.2.1", "6379", "{b}k", "0", "100", "COPY")
		x.conduct(func(n []*Node) { n[1].Crash() })
		source.want("-"+errConnecting+"\r\n", "MIGRATE", "10.0.2.1", "6379", "{b}k", "0", "100")
		source.want("-"+errConnecting+"\r\n", "MIGRATE", "10.0.9.1", "6379", "{b}k", "0", "100")
		source.want("$1\r\nv\r\n", "GET", "{b}k")
	})
}

// TestMigrateCrash: a source that crashes before the answer has kept the key, and the target has it as well.
func TestMigrateCrash(t *testing.T) {
	playShards(t, ShardsOptions{NodeTimeout: timeout}, nil, func(x *shardsPlayer) {
		source, _ := x.opened()
		source.sent()
		x.pass(500 * time.Microsecond)
		x.conduct(func(n []*Node) { n[0].Crash() })
		x.settle()
		x.has("v", "v")
		x.conduct(func(n []*Node) {
			if err := n[0].cluster.Restart(n[0], KeptAll); err != nil {
				x.t.Error(err)
			}
		})
		x.pass(5 * time.Second)
		source = x.node(0)
		source.want("$1\r\nv\r\n", "GET", "{b}k")
		source.want("+OK\r\n", "SET", "{b}k", "w")
		x.has("w", "v")
	})
}

// TestMigrateExpiry: the rest of a key's life begins anew at the target, so it grows by the time of the transfer.
func TestMigrateExpiry(t *testing.T) {
	playShards(t, ShardsOptions{}, nil, func(x *shardsPlayer) {
		source, target := x.opened("PX", "100")
		x.conduct(func(n []*Node) { n[1].Hang(60 * time.Millisecond) })
		source.want("+OK\r\n", "MIGRATE", "10.0.2.1", "6379", "{b}k", "0", "100")
		target.want("+OK\r\n", "ASKING")
		if got := target.do("PTTL", "{b}k"); got < ":97" || got > ":99" || len(got) != 5 {
			x.t.Errorf("the target has %q ms left", got)
		}
		x.pass(110 * time.Millisecond)
		x.has("", "")
	})
}
