package simredis

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/realredis"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
)

// tapped notes what a client writes: the node and the words of each command, but for those by which it gets to know the cluster, which it
// sends to nodes at random, and those by which a connection begins: whether one is idle when it is wanted depends on how fast the machine is.
type tapped struct {
	names names
	mu    sync.Mutex
	log   []string
}

// tap makes a connection noted.
func (p *tapped) tap(c net.Conn, addr string) net.Conn { return &tap{Conn: c, of: p, addr: addr} }

type tap struct {
	net.Conn
	of   *tapped
	addr string
}

func (c *tap) Write(b []byte) (int, error) {
	c.of.mu.Lock()
	for rest := b; len(rest) > 0; {
		words, after, err := parseCommand(rest)
		if err != nil || words == nil {
			break
		}
		rest = after
		if !slices.Contains([]string{"hello", "client", "command", "cluster"}, strings.ToLower(words[0])) {
			c.of.log = append(c.of.log, c.of.names.neutral(fmt.Sprint(c.addr, " ", words)))
		}
	}
	c.of.mu.Unlock()
	return c.Conn.Write(b)
}

// clientStory is what an unmodified client gets from a cluster of three shards while a slot moves. Do sends a command to a node, by its number.
func clientStory(rdb *redis.ClusterClient, n names, do func(node int, words ...string) string, settle func()) (story []string) {
	record := func(v any) { story = append(story, n.neutral(fmt.Sprint(v))) }
	admin := func(node int, words ...string) { record(do(node, n.real(words)...)) }
	release := redis.NewScript("if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('del', KEYS[1]) end return 0")
	for _, key := range []string{"{a}lock", "{b}lock", "{c}lock"} {
		record(rdb.SetNX(background, key, "token", time.Minute))
		record(rdb.SetNX(background, key, "other", time.Minute))
		record(release.Run(background, rdb, []string{key}, "other").Val())
	}
	record(release.Run(background, rdb, []string{"{b}lock", "{c}lock"}, "token").Err())
	admin(0, "CLUSTER", "SETSLOT", "3300", "MIGRATING", "ID2")
	admin(2, "CLUSTER", "SETSLOT", "3300", "IMPORTING", "ID0")
	record(rdb.SetNX(background, "{b}lock", "asked", time.Minute))
	record(rdb.SetNX(background, "{b}other", "asked", time.Minute))
	record(release.Run(background, rdb, []string{"{b}other"}, "asked").Val())
	_, err := rdb.Pipelined(background, func(p redis.Pipeliner) error {
		p.Get(background, "{b}lock") // of one node: those of several go in any order
		p.Get(background, "{b}none")
		return nil
	})
	record(err)
	_, err = rdb.TxPipelined(background, func(p redis.Pipeliner) error {
		p.Get(background, "{c}lock")
		return nil
	})
	record(err)
	settle() // the reloads of the slots that ASK has caused come before the slot moves
	admin(0, "MIGRATE", "HOST2", "PORT2", "{b}lock", "0", "5000")
	admin(2, "CLUSTER", "SETSLOT", "3300", "NODE", "ID2")
	settle()
	record(rdb.Get(background, "{b}lock"))
	settle() // it reloads the slots
	record(release.Run(background, rdb, []string{"{b}lock"}, "token").Val())
	record(rdb.Get(background, "{b}lock"))
	return story
}

// testClientFidelity runs an unmodified client against both: it gets the same answers, and sends the same to the same nodes in the same order.
func testClientFidelity(t *testing.T, real *realCluster) {
	options := func(p *tapped, dial func(context.Context, string, string) (net.Conn, error)) *redis.ClusterOptions {
		return &redis.ClusterOptions{Addrs: p.names.addresses, Dialer: func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := dial(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return p.tap(c, addr), nil
		}}
	}
	real.reset([]int{3300})
	defer real.reset([]int{3300})
	want := &tapped{names: real.names}
	rdb := redis.NewClusterClient(options(want, new(net.Dialer).DialContext))
	wantStory := clientStory(rdb, real.names, func(node int, words ...string) string {
		w := real.dial(real.nodes[node])
		defer w.c.Close()
		return w.do(words...)
	}, func() { real.settle(); time.Sleep(300 * time.Millisecond) })
	_ = rdb.Close()

	var got *tapped
	var gotStory []string
	playShards(t, ShardsOptions{Replicas: 1}, nil, func(x *shardsPlayer) {
		got = &tapped{names: x.names()}
		rdb := redis.NewClusterClient(options(got, func(ctx context.Context, network, addr string) (net.Conn, error) {
			return x.process.DialContext(ctx, network, addr, 5*time.Second)
		}))
		x.world.OnEnd(func() { _ = rdb.Close() })
		gotStory = clientStory(rdb, got.names, func(node int, words ...string) string { return x.node(node).do(words...) }, func() { x.pass(300 * time.Millisecond) })
	})
	for i, pair := range [][2][]string{{gotStory, wantStory}, {got.log, want.log}} {
		if !slices.Equal(pair[0], pair[1]) {
			t.Errorf("%s\n\t%s\nwant\n\t%s", []string{"it was told", "it sent"}[i], strings.Join(pair[0], "\n\t"), strings.Join(pair[1], "\n\t"))
		}
	}
	if len(want.log) < 20 {
		t.Errorf("it sent only %q", want.log)
	}
}

// TestClusterFailoverFidelity: a real cluster elects within the bounds that the simulated one keeps (TestClusterFailover), give or take what a busy machine
// adds.
func TestClusterFailoverFidelity(t *testing.T) {
	realredis.Need(t)
	slowtest.SkipIfShort(t)
	const slack = 500 * time.Millisecond
	c := realredis.StartCluster(t, 3, 1, "--cluster-node-timeout", fmt.Sprint(timeout.Milliseconds()))
	observer, replica := c.Nodes[2].Client(t, nil), c.Nodes[1].Client(t, nil)
	has := func(client *redis.Client, command, text string) time.Time {
		for range 2000 {
			if s, err := client.Do(t.Context(), "cluster", command).Text(); err == nil && strings.Contains(s, text) {
				return time.Now()
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Fatalf("CLUSTER %s does not have %s", command, text)
		return time.Time{}
	}
	began := time.Now()
	c.Nodes[0].Stop()
	down := has(observer, "info", "cluster_state:fail")
	elected := has(replica, "nodes", "myself,master")
	up := has(observer, "info", "cluster_state:ok")
	for _, b := range []struct {
		what              string
		took, least, most time.Duration
	}{
		{"CLUSTERDOWN", down.Sub(began), timeout, 2*timeout + slack},
		{"the election", elected.Sub(down), 500*time.Millisecond - slack, time.Second + slack},
		{"the end of CLUSTERDOWN", up.Sub(elected), 0, slack},
	} {
		t.Logf("%s after %v", b.what, b.took)
		if b.took < b.least || b.took > b.most {
			t.Errorf("%s after %v, want %v to %v", b.what, b.took, b.least, b.most)
		}
	}
	if err := replica.Set(t.Context(), "{b}k", "v", 0).Err(); err != nil {
		t.Error(err)
	}
}
