package redis_test

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces"
)

// ringed is a lock over a ring of independent servers.
func ringed(c *locktest.Client) lock.Locker {
	o, shards := &redis.RingOptions{Addrs: map[string]string{}}, map[string]*redis.Options{}
	for i, shard := range redisstore.AllOptions(c) {
		o.Addrs[strconv.Itoa(i)], shards[shard.Addr] = shard.Addr, shard
	}
	o.NewClient = func(n *redis.Options) *redis.Client { return redis.NewClient(shards[n.Addr]) }
	return redislocks.NewSetPX(redis.NewRing(o), c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock(), Rand: c.Rand()})
}

// TestRing: a lock over a ring is refused with the reason, and not by a difference of runs. The ring asks in a
// goroutine of its own, so that the refusal ends the process: another one than that of the test.
func TestRing(t *testing.T) {
	const inside = "LOCKPICK_TEST_RING"
	if os.Getenv(inside) == "" {
		test := exec.Command(os.Args[0], "-test.run=^TestRing$")
		test.Env = append(os.Environ(), inside+"=1")
		if out, err := test.CombinedOutput(); err == nil || !strings.Contains(string(out), "redis.NewRing is not supported here") {
			t.Errorf("it ends with %v, and says\n%s", err, out)
		}
		return
	}
	locks := []cell.Lock{{ID: "ring", Store: redisstore.Store, Subject: locktest.Mutex(ringed)}}
	c, err := scenarios.Registry(locks).Cell("contention", "ring", []traces.Parameter{{Name: "nodes", Value: "3"}})
	if err != nil {
		t.Fatal(err)
	}
	if out := c.Run(explore.Run{Tape: explore.Random(1, 1)}); out.Failure != nil {
		t.Fatal(out.Failure.Reason)
	}
}
