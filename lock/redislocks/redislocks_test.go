package redislocks_test

import (
	"context"
	"fmt"
	"net"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/redislocktest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// What the tests say often.
const (
	name                       = redislocktest.Name
	short, lasting, soon, busy = redislocktest.Short, redislocktest.Lasting, redislocktest.Soon, redislocktest.Busy
)

var (
	server, connected = redislocktest.InMemory, redislocktest.Connected
	acquire, waiting  = redislocktest.Acquire, redislocktest.Waiting
)

// lockers are the sound locks of the package that are one key, by name.
var lockers = map[string]func(*redis.Client, redislocks.Options) lock.Locker{
	"SetPX": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPX(c, name, o)
	},
	"SetPXFenced": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXFenced(c, name, o)
	},
	"SetPXCAD": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXCAD(c, name, o)
	},
	"SetPXDelEx": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXDelEx(c, name, o)
	},
	"SetPXWatch": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXWatch(c, name, o)
	},
	"SetPXFencedElsewhere": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXFencedElsewhere(c, redislocks.NewRedisCounter(c, "counter", 1), name, o)
	},
	"SetPXWait": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXWait(c, name, redislocks.WaitOptions{Options: o})
	},
}

// TestTokens shows that tokens grow, also over leases that ran out.
func TestTokens(t *testing.T) {
	m, client := server(t)
	l := redislocks.NewSetPXFenced(client, name, redislocks.Options{TTL: time.Second})
	for want := int64(1); want <= 5; want++ {
		lease := acquire(t.Context(), t, l)
		if token := lease.(lock.Fenced).Token(); token != want {
			t.Errorf("token %d, want %d", token, want)
		}
		m.FastForward(time.Second)
	}
}

func Example() {
	m := miniredis.NewMiniRedis() // your Redis
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:6379", Protocol: 2, Dialer: func(context.Context, string, string) (net.Conn, error) {
		return m.Dial()
	}})
	defer m.Close()
	defer client.Close()
	ctx := context.Background()

	locker := redislocks.NewSetPXFenced(client, "orders", redislocks.Options{TTL: 10 * time.Second})
	lease, err := locker.Acquire(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("token", lease.(lock.Fenced).Token())
	fmt.Println("release:", lease.Release(ctx))
	fmt.Println("again:", lease.Release(ctx))
	// Output:
	// token 1
	// release: <nil>
	// again: lock: not held
}
