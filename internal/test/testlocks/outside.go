package testlocks

import (
	"cmp"
	"context"
	"errors"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// deadly are locks that their worker process dies of, or is ended for.
var deadly = []cell.Lock{
	{ID: "test-localhost", Summary: "talks to a real server, by its name", Subject: cell.Mutex(astray("localhost"))},
	{ID: "test-loopback", Summary: "talks to a real server, by its address", Subject: cell.Mutex(astray("127.0.0.1"))},
	{ID: "test-overflows", Summary: "calls itself for ever", Subject: cell.Mutex(deadlyRelease(recurse))},
	{ID: "test-busy", Summary: "asks Redis without a pause, for ever", Subject: cell.Mutex(busy)},
	{ID: "test-exhausts", Summary: "takes memory without end", Subject: cell.Mutex(deadlyRelease(exhaust))},
}

// Port is the environment variable that has the real port that some locks talk to.
// The default is 63790.
const Port = "LOCKPICK_TEST_PORT"

// astray talks to a real host.
func astray(host string) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		client := redis.NewClient(&redis.Options{Addr: net.JoinHostPort(host, cmp.Or(os.Getenv(Port), "63790"))})
		c.Cleanup(func() { _ = client.Close() })
		return simple(c, client)
	}
}

func deadlyRelease(do func()) cell.NewLock {
	return func(c *cell.Client) lock.Locker {
		l := simple(c, connect(c))
		l.release = func(context.Context) error { do(); return nil }
		return l
	}
}

func recurse() { again() }

// again is a variable, so that nobody takes the recursion for a mistake.
var again func()

func init() { again = recurse }

// exhausted is the last that exhaust took.
var exhausted []byte

// exhaust takes memory, and more, and has no use for it.
func exhaust() {
	for {
		exhausted = make([]byte, 1<<20)
		runtime.KeepAlive(exhausted)
	}
}

// busy asks again and again, without a pause: its runs are cut for their size.
func busy(c *cell.Client) lock.Locker {
	client := connect(c)
	l := simple(c, client)
	l.acquire = func(ctx context.Context) error {
		return spin(ctx, c, client, c.TTL(), func() time.Duration { return 0 })
	}
	l.release = func(context.Context) error {
		for {
			if err := client.Get(context.Background(), c.LockName()).Err(); err != nil && !errors.Is(err, redis.Nil) {
				return err
			}
		}
	}
	return l
}
