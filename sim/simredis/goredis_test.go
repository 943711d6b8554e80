package simredis

import (
	"context"
	"fmt"
	"math/rand"
	"net"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	_ "unsafe" // for go:linkname

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// go-redis's own random source, from which versions before 9.20 draw their
// retry back-off; nil in newer ones.
//
//go:linkname goRedisRand github.com/redis/go-redis/v9/internal/rand.pseudo
var goRedisRand *rand.Rand

// quiet is a logger for go-redis, which reports every reset.
type quiet struct{}

func (quiet) Printf(context.Context, string, ...any) {}

func init() {
	redis.SetLogger(quiet{})
	sim.Seeders = append(sim.Seeders, func(seed int64) {
		if goRedisRand != nil {
			goRedisRand.Seed(seed)
		}
	})
}

var background = context.Background() // a test's own context is of another bubble

// goRedis is a go-redis client of a process.
func goRedis(w *sim.World, p *sim.Process, address string) *redis.Client {
	rdb := redis.NewClient(&redis.Options{
		Addr: address, Protocol: 2, PoolSize: 10,
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

func (x *player) client(address string) *redis.Client { return goRedis(x.world, x.process, address) }

// same fails unless two things print alike.
func (x *player) same(got, want any) {
	x.t.Helper()
	if fmt.Sprint(got) != fmt.Sprint(want) {
		x.t.Errorf("got %v, want %v", got, want)
	}
}

func TestGoRedisCommands(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		rdb := x.client(x.cluster.Address())
		x.same(rdb.Ping(background), "ping: PONG")
		x.same(rdb.SetNX(background, "lock", "token", 10*time.Second).Val(), true)
		x.same(rdb.SetNX(background, "lock", "other", 10*time.Second).Val(), false)
		x.same(rdb.SetXX(background, "lock", "token", redis.KeepTTL).Val(), true)
		x.same(rdb.Get(background, "lock").Val(), "token")
		x.same(rdb.TTL(background, "lock").Val(), 10*time.Second)
		x.same(rdb.PExpire(background, "lock", 20*time.Second).Val(), true)
		x.same(rdb.Get(background, "nokey").Err(), redis.Nil)
		x.same(rdb.HSet(background, "h", "a", 1, "b", 2).Val(), 2)
		x.same(rdb.HGetAll(background, "h").Val(), map[string]string{"a": "1", "b": "2"})
		x.same(rdb.ZAdd(background, "z", redis.Z{Score: 1.5, Member: "m"}).Val(), 1)
		x.same(rdb.ZRangeWithScores(background, "z", 0, -1).Val(), []redis.Z{{Score: 1.5, Member: "m"}})
		x.same(rdb.LPush(background, "l", "a", "b").Val(), 2)
		x.same(rdb.LRange(background, "l", 0, -1).Val(), []string{"b", "a"})
		x.same(rdb.Set(background, "l", "v", time.Second).Err(), nil)
		x.same(rdb.LPush(background, "l", "x").Err(), "WRONGTYPE Operation against a key holding the wrong kind of value")
		x.same(rdb.Del(background, "lock", "nokey").Val(), 1)
	})
}

func TestGoRedisScripts(t *testing.T) {
	play(t, Options{}, func(x *player) {
		rdb := x.client(x.cluster.Address())
		release := redis.NewScript("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0")
		rdb.Set(background, "lock", "token", 0)
		x.same(release.Run(background, rdb, []string{"lock"}, "other").Val(), 0) // EVALSHA, and then EVAL
		x.same(release.Run(background, rdb, []string{"lock"}, "token").Val(), 1) // EVALSHA alone
		x.same(release.Exists(background, rdb).Val(), []bool{true})
		err := rdb.Eval(background, "return redis.call('incr', 'k', 'x')", nil).Err()
		x.same(err, "ERR Wrong number of args calling Redis command from script script: "+sha1Hex("return redis.call('incr', 'k', 'x')")+", on @user_script:1.")
		x.same(rdb.Eval(background, "return {1, 'a', {2, false}}", nil).Val(), []any{int64(1), "a", []any{int64(2), nil}})
	})
}

func TestGoRedisPipelines(t *testing.T) {
	play(t, Options{}, func(x *player) {
		rdb := x.client(x.cluster.Address())
		cmds, err := rdb.Pipelined(background, func(p redis.Pipeliner) error {
			p.Incr(background, "n")
			p.Get(background, "nokey")
			p.Incr(background, "n")
			return nil
		})
		x.same(err, redis.Nil)
		x.same(cmds, "[incr n: 1 get nokey: redis: nil incr n: 2]")
		cmds, err = rdb.TxPipelined(background, func(p redis.Pipeliner) error {
			p.Incr(background, "n")
			p.LPush(background, "n", "x")
			p.Incr(background, "n")
			return nil
		})
		x.same(err, "WRONGTYPE Operation against a key holding the wrong kind of value")
		x.same(cmds[2], "incr n: 4")
		increment := func(meanwhile func()) error {
			return rdb.Watch(background, func(tx *redis.Tx) error {
				n, _ := tx.Get(background, "n").Int()
				meanwhile()
				_, err := tx.TxPipelined(background, func(p redis.Pipeliner) error {
					p.Set(background, "n", n+1, 0)
					return nil
				})
				return err
			}, "n")
		}
		x.same(increment(func() {}), nil)
		x.same(increment(func() { rdb.Incr(background, "n") }), redis.TxFailedErr)
		x.same(rdb.Get(background, "n").Val(), 6)
	})
}

func TestGoRedisPubSub(t *testing.T) {
	play(t, Options{}, func(x *player) {
		rdb := x.client(x.cluster.Address())
		sub := rdb.Subscribe(background, "b", "a")
		defer sub.Close()
		for range 2 {
			m, err := sub.Receive(background)
			if s, ok := m.(*redis.Subscription); !ok || err != nil {
				x.t.Errorf("received %v, %v", s, err)
			}
		}
		x.same(rdb.Publish(background, "a", "1").Val(), 1)
		m, _ := sub.ReceiveMessage(background)
		x.same(m, "Message<a: 1>")
		patterns := rdb.PSubscribe(background, "a*")
		defer patterns.Close() // which ends the goroutines of its channel
		messages := patterns.Channel()
		x.settle()
		x.same(rdb.Publish(background, "ab", "2").Val(), 1)
		x.same(rdb.Eval(background, "return redis.call('publish', 'ac', '3')", nil).Val(), 1)
		x.same(<-messages, "Message<ab: 2>")
		x.same(<-messages, "Message<ac: 3>")
		x.same(sub.Ping(background), nil)
		pong, _ := sub.Receive(background)
		x.same(pong, "Pong")
	})
}

// TestGoRedisRetries: a reset in the middle makes go-redis try again; what the
// first attempt did stands, and its lease is not the client's for all it knows.
func TestGoRedisRetries(t *testing.T) {
	play(t, Options{}, func(x *player) {
		rdb := x.client(x.cluster.Address())
		rdb.Ping(background)
		x.as(1)
		done := make(chan bool)
		go func() { done <- rdb.SetNX(background, "lock", "token", time.Minute).Val() }()
		x.pass(300 * time.Microsecond) // executed, and the answer is under way
		x.conduct(func(n []*Node) {
			for _, c := range x.world.Network().Conns(n[0].Actor) {
				c.Reset(nil)
			}
		})
		x.same(<-done, false)
		x.same(rdb.Get(background, "lock").Val(), "token")
		x.wantObserved(1, "created lock=token of 1 by 1")
	})
}

// TestGoRedisFailover: clients of the stable address find the new primary,
// those of the old one's own address are told READONLY.
func TestGoRedisFailover(t *testing.T) {
	play(t, Options{Replicas: 1}, func(x *player) {
		rdb, direct := x.client(x.cluster.Address()), x.client(x.cluster.Nodes()[0].Address())
		x.same(rdb.Set(background, "k", "1", 0).Err(), nil)
		x.same(direct.Get(background, "k").Val(), "1")
		script := redis.NewScript("return redis.call('incr', KEYS[1])")
		x.same(script.Run(background, rdb, []string{"k"}).Val(), 2)
		x.settle()
		x.must(func(n []*Node) error { n[0].Crash(); return n[0].cluster.Promote(n[1]) })
		x.same(rdb.Set(background, "k", "10", 0).Err(), nil)
		x.same(script.Run(background, rdb, []string{"k"}).Val(), 11)
		x.must(func(n []*Node) error { return n[0].cluster.Rejoin(n[0]) })
		x.settle()
		x.same(direct.Get(background, "k").Val(), "11")
		x.same(direct.Set(background, "k", "12", 0).Err(), "READONLY You can't write against a read only replica.")
		x.same(direct.Eval(background, "return redis.call('set', 'k', '12')", nil).Err(), "READONLY You can't write against a read only replica. script: "+sha1Hex("return redis.call('set', 'k', '12')")+", on @user_script:1.")
	})
}

// chance is a tape that draws.
type chance struct{ *rand.Rand }

func (c chance) Choose(d sim.Decision) int {
	if d.Odds > 0 && c.Intn(d.Odds) > 0 {
		return 0
	}
	return c.Intn(d.Options)
}

// trouble resets connections, crashes the primary and lets it come back, all as the tape decides.
type trouble struct {
	world   *sim.World
	cluster *Cluster
	actor   *sim.Actor
	resets  int
	crashes int
}

func (f *trouble) Before(sim.Upcoming) bool {
	option := f.world.Choose(sim.Decision{Kind: "fault:trouble", Actor: f.actor.Name(), Options: 5, Odds: 25})
	p := f.cluster.Primary()
	switch {
	case 1 <= option && option <= 3:
		if conns := f.world.Network().Conns(p.Actor); len(conns) > 0 {
			f.resets++
			conns[f.world.Choose(sim.Decision{Kind: "which", Actor: f.actor.Name(), Options: len(conns)})].Reset(nil)
			return true
		}
	case option == 4 && !p.Down() && f.crashes < 4:
		f.crashes++
		p.Crash()
		for _, n := range f.cluster.Nodes() {
			if f.cluster.Promote(n) == nil {
				break
			}
		}
		f.world.At(f.actor, f.world.Now()+100*ms, sim.EventFault, sim.EventOptions{Vital: true}, func() {
			if p != f.cluster.Primary() && p.Down() {
				_ = f.cluster.Rejoin(p)
			}
		})
		return true
	}
	return false
}

// troubled is a run of three clients that lock, draw, publish and listen while
// there is trouble.
func troubled(seed int64) (r sim.Report, f *trouble, seen []model.Observation) {
	tape := chance{rand.New(rand.NewSource(seed))}
	r = sim.Run(sim.Config{Tape: tape, Record: true}, func(w *sim.World) {
		w.Network().SetLink(sim.Link{Base: 200 * time.Microsecond, Jitter: ms})
		c := New(w, Options{Replicas: 2}, func(o model.Observation) { seen = append(seen, o) })
		f = &trouble{world: w, cluster: c, actor: w.NewActor("trouble")}
		w.Inject(f)
		for i := range 3 {
			p := w.NewProcess(fmt.Sprintf("c%d", i+1), sim.ProcessOptions{Host: fmt.Sprintf("10.0.0.%d", i+1)})
			rdb := goRedis(w, p, c.Address())
			p.Go(func() { lockAndListen(w, p, rdb) })
		}
	})
	return r, f, seen
}

func lockAndListen(w *sim.World, p *sim.Process, rdb *redis.Client) {
	messages := rdb.Subscribe(background, "released", "other", "third", "fourth")
	w.OnEnd(func() { _ = messages.Close() })
	release := redis.NewScript("if redis.call('get', KEYS[1]) == ARGV[1] then redis.call('del', KEYS[1]) redis.call('publish', 'released', ARGV[1]) end return redis.call('incr', 'n')")
	for round := range 5 {
		p.SetTask(&sim.Task{ID: round})
		if rdb.SetNX(background, "lock", p.Name(), 20*ms).Val() {
			p.Step("hold", 2*ms)
			release.Run(background, rdb, []string{"lock"}, p.Name())
		} else {
			_, _ = messages.ReceiveTimeout(background, 10*ms)
		}
		_, _ = rdb.TxPipelined(background, func(tx redis.Pipeliner) error {
			tx.SAdd(background, "s", fmt.Sprint(p.Name(), round), "x", "y", "z")
			tx.SPop(background, "s")
			return nil
		})
	}
}

// TestDeterminism: the same seed gives the same run, event for event, with
// connections that are reset throughout, nodes that fail over and go-redis
// that tries again, on one core and on two.
func TestDeterminism(t *testing.T) {
	seeds := int64(60)
	if testing.Short() {
		seeds = 4
	}
	resets, crashes := 0, 0
	for seed := range seeds {
		var first sim.Report
		for i, cores := range []int{2, 1, 2} {
			before := runtime.GOMAXPROCS(cores)
			r, f, _ := troubled(seed)
			runtime.GOMAXPROCS(before)
			if r.Failure != nil || r.Cut != "" {
				t.Fatalf("seed %d: %v %s", seed, r.Failure, r.Cut)
			}
			resets, crashes = resets+f.resets, crashes+f.crashes
			switch {
			case i == 0:
				first = r
			case r.Hash != first.Hash:
				t.Fatalf("seed %d differs with %d cores: %s", seed, cores, difference(first.Events, r.Events))
			}
		}
	}
	if int64(resets) < 5*seeds || int64(crashes) < 3*seeds {
		t.Errorf("%d resets and %d crashes in %d runs: too calm", resets, crashes, 3*seeds)
	}
}

func difference(a, b []sim.Event) string {
	for i := range min(len(a), len(b)) {
		if x, y := fmt.Sprintf("%+v %q", a[i], a[i].Payload), fmt.Sprintf("%+v %q", b[i], b[i].Payload); x != y {
			return x + "\nand " + y
		}
	}
	return fmt.Sprintf("%d and %d events", len(a), len(b))
}

// TestOneResetEach: a connection learns of its reset once, for each cause.
func TestOneResetEach(t *testing.T) {
	for seed := range int64(5) {
		r, _, _ := troubled(seed)
		observed := map[string]int{}
		for _, e := range r.Events {
			if e.Kind == sim.EventReset && strings.HasPrefix(e.Actor, "c") {
				observed[fmt.Sprint(e.Actor, e.Conn)]++
			}
		}
		for conn, times := range observed {
			if times != 1 {
				t.Errorf("seed %d: %s reported its reset %d times", seed, conn, times)
			}
		}
	}
}

// TestSortChannels: only whole subscriptions are touched.
func TestSortChannels(t *testing.T) {
	for _, c := range []struct{ in, want []byte }{
		{encode("subscribe", "b", "a", "c"), encode("subscribe", "a", "b", "c")},
		{append(encode("PING"), encode("PSUBSCRIBE", "b", "a")...), append(encode("PING"), encode("PSUBSCRIBE", "a", "b")...)},
		{encode("subscribe", "b"), encode("subscribe", "b")},
		{encode("SET", "subscribe", "b"), encode("SET", "subscribe", "b")},
		{encode("subscribe", "b", "a")[:20], encode("subscribe", "b", "a")[:20]},
		{encode("MSET", "b", "a", "subscribe", "0"), encode("MSET", "b", "a", "subscribe", "0")},
		{[]byte("subscribe\r\n*"), []byte("subscribe\r\n*")},
	} {
		if got := sortChannels(slices.Clone(c.in)); string(got) != string(c.want) {
			t.Errorf("%q became %q, want %q", c.in, got, c.want)
		}
	}
}
