package simredis

import (
	"context"
	"fmt"
	"net"
	"runtime"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// goRedisCluster is a go-redis client of a Redis Cluster.
func goRedisCluster(w *sim.World, p *sim.Process, addresses ...string) *redis.ClusterClient {
	rdb := redis.NewClusterClient(&redis.ClusterOptions{
		Addrs: addresses, PoolSize: 10,
		Dialer: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := p.DialContext(ctx, network, addr, 5*time.Second)
			if err != nil {
				return nil, err
			}
			return Sorted(c), nil
		},
	})
	w.OnEnd(func() { _ = rdb.Close() })
	return rdb
}

func (x *shardsPlayer) client() *redis.ClusterClient {
	return goRedisCluster(x.world, x.process, x.shards.Addresses()[:3]...)
}

// requests counts the commands of a name that nodes have received from clients, by node.
func (x *shardsPlayer) requests(name string) map[string]int {
	counts := map[string]int{}
	for _, e := range x.report.Events {
		for in := e.Payload; e.Kind == sim.EventDeliver && len(in) > 0; {
			words, rest, err := parseCommand(in)
			if err != nil || len(words) == 0 {
				break
			}
			if in = rest; words[0] == name {
				counts[e.Actor]++
			}
		}
	}
	return counts
}

// TestGoRedisClusterCommands: keys go to their nodes from the first command on.
func TestGoRedisClusterCommands(t *testing.T) {
	x := playShards(t, ShardsOptions{Replicas: 1}, nil, func(x *shardsPlayer) {
		rdb := x.client()
		for _, tag := range []string{"a", "b", "c"} {
			key := "{" + tag + "}lock"
			x.same(rdb.SetNX(background, key, tag, 10*time.Second).Val(), true)
			x.same(rdb.SetNX(background, key, "other", 10*time.Second).Val(), false)
			x.same(rdb.Get(background, key).Val(), tag)
		}
		release := redis.NewScript("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0")
		x.same(release.Run(background, rdb, []string{"{a}lock"}, "other").Val(), 0)
		x.same(release.Run(background, rdb, []string{"{a}lock"}, "a").Val(), 1)
		x.same(release.Run(background, rdb, []string{"{b}lock"}, "b").Val(), 1)
		x.same(rdb.MGet(background, "{a}lock", "{b}lock").Err(), errCrossSlot)
		cmds, err := rdb.Pipelined(background, func(p redis.Pipeliner) error {
			p.Incr(background, "{a}n")
			p.Incr(background, "{b}n")
			return nil
		})
		x.same(err, nil)
		x.same(cmds, "[incr {a}n: 1 incr {b}n: 1]")
		_, err = rdb.TxPipelined(background, func(p redis.Pipeliner) error {
			p.Incr(background, "{a}n")
			p.Incr(background, "{a}n")
			return nil
		})
		x.same(err, nil)
		x.same(rdb.Get(background, "{a}n").Val(), 3)
	})
	if got, want := fmt.Sprint(x.requests("set")), "map[redis1:2 redis3:2 redis5:2]"; got != want {
		t.Errorf("SET was sent to %s, want %s: nothing was redirected", got, want)
	}
}

func (x *shardsPlayer) same(got, want any) {
	x.t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		x.t.Errorf("got %v, want %v", got, want)
	}
}

// TestGoRedisClusterPubSub: a message reaches subscribers at other nodes, and that of a sharded channel those of its shard.
func TestGoRedisClusterPubSub(t *testing.T) {
	playShards(t, ShardsOptions{Replicas: 1}, nil, func(x *shardsPlayer) {
		rdb := x.client()
		x.same(rdb.Ping(background).Err(), nil)
		sub := rdb.Subscribe(background, "{a}ch")
		defer sub.Close()
		_, err := sub.Receive(background)
		x.same(err, nil)
		sharded := rdb.SSubscribe(background, "{b}ch")
		defer sharded.Close()
		_, err = sharded.Receive(background)
		x.same(err, nil)
		for i := range x.shards.Nodes() { // each of them reaches it
			w := x.node(i)
			w.do("PUBLISH", "{a}ch", fmt.Sprint("from ", i))
			m, err := sub.ReceiveMessage(background)
			x.same(err, nil)
			x.same(m, fmt.Sprintf("Message<{a}ch: from %d>", i))
		}
		x.same(rdb.SPublish(background, "{b}ch", "sharded").Val(), 1)
		m, err := sharded.ReceiveMessage(background)
		x.same(err, nil)
		x.same(m, "Message<{b}ch: sharded>")
	})
}

// move informs the nodes that the slot of {b} moves to the third one, as an operator does with redis-cli.
func (x *shardsPlayer) move() (finish func()) {
	source, target := x.node(0), x.node(2)
	id := func(i int) string { return x.shards.members[i].id }
	target.want("+OK\r\n", "CLUSTER", "SETSLOT", "3300", "IMPORTING", id(0))
	source.want("+OK\r\n", "CLUSTER", "SETSLOT", "3300", "MIGRATING", id(2))
	return func() {
		source.want("+OK\r\n", "MIGRATE", "10.0.2.1", "6379", "{b}lock", "0", "5000")
		target.want("+OK\r\n", "CLUSTER", "SETSLOT", "3300", "NODE", id(2))
		source.want("+OK\r\n", "CLUSTER", "SETSLOT", "3300", "NODE", id(2))
	}
}

// TestGoRedisClusterMigration: the client follows ASK while a slot moves, and MOVED after that.
func TestGoRedisClusterMigration(t *testing.T) {
	x := playShards(t, ShardsOptions{Replicas: 1}, nil, func(x *shardsPlayer) {
		rdb := x.client()
		x.same(rdb.SetNX(background, "{b}lock", "first", time.Minute).Val(), true)
		finish := x.move()
		x.same(rdb.SetNX(background, "{b}lock", "second", time.Minute).Val(), false) // still there
		x.same(rdb.SetNX(background, "{b}other", "asked", time.Minute).Val(), true)  // by ASK
		x.same(rdb.Get(background, "{b}other").Val(), "asked")
		finish()
		x.same(rdb.Get(background, "{b}lock").Val(), "first") // by MOVED
		x.same(rdb.SetNX(background, "{b}lock", "third", time.Minute).Val(), false)
		ttl := rdb.PTTL(background, "{b}lock").Val()
		if ttl < 59*time.Second || ttl > time.Minute {
			x.t.Errorf("the TTL is %v after the migration", ttl)
		}
		x.same(x.shards.Owner("{b}lock").Name(), "redis3")
	})
	if got := x.requests("asking"); got["redis3"] == 0 {
		t.Errorf("ASKING was sent to %v", got)
	}
	if got := x.requests("get"); got["redis1"] == 0 || got["redis3"] == 0 {
		t.Errorf("GET was sent to %v: nothing was redirected", got)
	}
}

// TestTwoValues: while a slot moves, a client that asks the target gets the lock that the source has granted. What comes of that is up to
// the operator's MIGRATE.
func TestTwoValues(t *testing.T) {
	playShards(t, ShardsOptions{}, nil, func(x *shardsPlayer) {
		rdb := goRedisCluster(x.world, x.process, x.shards.Addresses()...)
		x.same(rdb.SetNX(background, "{b}lock", "first", time.Minute).Val(), true)
		target := x.node(1)
		id := func(i int) string { return x.shards.members[i].id }
		target.want("+OK\r\n", "CLUSTER", "SETSLOT", "3300", "IMPORTING", id(0))
		x.node(0).want("+OK\r\n", "CLUSTER", "SETSLOT", "3300", "MIGRATING", id(1))
		target.want("+OK\r\n", "ASKING")
		target.want("+OK\r\n", "SET", "{b}lock", "second", "NX")
		x.same(rdb.Get(background, "{b}lock").Val(), "first")
		x.same(x.shards.Owner("{b}lock").Name(), "redis1")
		x.node(0).want("-ERR Target instance replied with error: BUSYKEY Target key name already exists.\r\n", "MIGRATE", "10.0.2.1", "6379", "{b}lock", "0", "5000")
	})
}

// TestGoRedisClusterFailover: the client finds the replica that was elected.
func TestGoRedisClusterFailover(t *testing.T) {
	playShards(t, ShardsOptions{Replicas: 1, NodeTimeout: timeout}, nil, func(x *shardsPlayer) {
		rdb := x.client()
		x.same(rdb.Set(background, "{b}k", "v", 0).Err(), nil)
		x.settle()
		x.conduct(func(n []*Node) { n[0].Crash() })
		failed := 0
		for rdb.Set(background, "{b}k", "w", 0).Err() != nil {
			if failed++; failed > 1000 {
				x.t.Fatal("it does not find the new master")
			}
			x.pass(10 * time.Millisecond)
		}
		if failed == 0 {
			x.t.Error("nothing has failed")
		}
		x.same(rdb.Get(background, "{b}k").Val(), "w")
		x.same(x.shards.Owner("{b}k").Name(), "redis2")
	})
}

// turmoil crashes, stops and cuts off nodes of a cluster, as the tape decides.
type turmoil struct {
	world  *sim.World
	shards *Shards
	actor  *sim.Actor
	left   int
}

func (f *turmoil) Before(sim.Upcoming) bool {
	const calm = 20 * time.Second // from then on
	if f.left == 0 || f.world.Now() > calm {
		return false
	}
	nodes := f.shards.Nodes()
	option := f.world.Choose(sim.Decision{Kind: "fault:turmoil", Actor: f.actor.Name(), Options: 4, Odds: 60})
	if option == 0 {
		return false
	}
	n := nodes[f.world.Choose(sim.Decision{Kind: "which", Actor: f.actor.Name(), Options: len(nodes)})]
	long := time.Duration(1+f.world.Choose(sim.Decision{Kind: "long", Actor: f.actor.Name(), Options: 6})) * time.Second
	switch {
	case n.Down() || n.Hangs():
		return false
	case option == 1:
		n.Crash()
		f.world.At(f.actor, f.world.Now()+long, sim.EventFault, sim.EventOptions{Vital: true}, func() { _ = n.cluster.Restart(n, KeptAll) })
	case option == 2:
		n.Hang(long)
	default:
		p := sim.Partition{A: []*sim.Actor{n.Actor}}
		for _, o := range nodes {
			if o != n {
				p.B = append(p.B, o.Actor)
			}
		}
		f.world.Network().Part(p, long)
		f.world.At(f.actor, f.world.Now()+long, sim.EventFault, sim.EventOptions{Vital: true}, func() { f.world.Network().Unite(p) })
	}
	f.left--
	return true
}

// stormy is a run of two clients that lock while there is turmoil. Afterwards the cluster has time to heal.
func stormy(t tb, seed int64) sim.Report {
	var b *Shards
	r := sim.Run(sim.Config{Tape: drawn(seed), Record: true}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: 200 * time.Microsecond, Jitter: time.Millisecond})
		b = NewShards(w, ShardsOptions{Replicas: 1, NodeTimeout: time.Second}, func(model.Observation) {})
		f := &turmoil{world: w, shards: b, actor: w.NewActor("turmoil"), left: 3}
		w.Inject(f)
		for i := range 2 {
			p := w.NewProcess(fmt.Sprintf("c%d", i+1), sim.ProcessOptions{Host: fmt.Sprintf("10.9.0.%d", i+1)})
			rdb := goRedisCluster(w, p, b.Addresses()...)
			p.Go(func() { lockInCluster(p, rdb) })
		}
		w.OnEnd(func() { wantHealed(t, seed, b) })
	})
	return r
}

func lockInCluster(p *sim.Process, rdb *redis.ClusterClient) {
	release := redis.NewScript("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0")
	for round := range 12 {
		p.SetTask(&sim.Task{ID: round})
		key := []string{"{a}lock", "{b}lock", "{c}lock"}[round%3]
		ctx, cancel := context.WithTimeout(background, 2*time.Second)
		if rdb.SetNX(ctx, key, p.Name(), 2*time.Second).Val() {
			p.Step("hold", 20*time.Millisecond)
			release.Run(ctx, rdb, []string{key}, p.Name())
		}
		cancel()
		p.Step("pause", 200*time.Millisecond)
	}
	p.Step("let the cluster heal", 60*time.Second)
}

// wantHealed fails unless all nodes are up and agree: each slot has one master, and all others know it.
func wantHealed(t tb, seed int64, b *Shards) {
	for _, key := range []string{"{a}lock", "{b}lock", "{c}lock"} {
		owner := b.Owner(key)
		for _, n := range b.Nodes() {
			_, claims := b.Claims(n, key)
			if known := b.members[n.member.slots[Slot(key)]].node; known != owner || claims != (n == owner) || !n.member.healthy {
				t.Errorf("seed %d: %s belongs to %s; %s claims it: %v, believes in %s, healthy: %v",
					seed, key, owner.Name(), n.Name(), claims, known.Name(), n.member.healthy)
			}
		}
	}
	for _, m := range b.members {
		if !m.isMaster() && m.node.Source() != b.members[m.self().master].node {
			t.Errorf("seed %d: %s does not follow its master", seed, m.node.Name())
		}
	}
}

// TestClusterDeterminism: the same seed gives the same run, event for event, with an unmodified cluster client and nodes that fail, on one
// core and on two. Every cluster heals.
func TestClusterDeterminism(t *testing.T) {
	seeds := int64(60)
	if testing.Short() {
		seeds = 4
	}
	for seed := range seeds {
		var first sim.Report
		for i, cores := range []int{2, 1, 2} {
			before := runtime.GOMAXPROCS(cores)
			r := stormy(t, seed)
			runtime.GOMAXPROCS(before)
			if r.Failure != nil || r.Cut != "" {
				t.Fatalf("seed %d: %v %s", seed, r.Failure, r.Cut)
			}
			switch {
			case i == 0:
				first = r
			case r.Hash != first.Hash:
				t.Fatalf("seed %d differs with %d cores: %s", seed, cores, difference(first.Events, r.Events))
			}
		}
	}
}
