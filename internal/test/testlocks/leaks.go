package testlocks

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// leaky are locks that leave something behind when the run is over, and would be
// fine otherwise, or not.
var leaky = []cell.Lock{
	{ID: "test-dials-on", Summary: "dials in the background until it succeeds, which it never does", Subject: cell.Mutex(dialsOn)},
	{ID: "test-unclosed", Summary: "does not close its client", Subject: cell.Mutex(unclosed)},
	{ID: "test-leaks", Summary: "leaves a goroutine behind for each acquisition, and deletes another's lock", Subject: cell.Mutex(leaks)},
	{ID: "test-leaks-unwoken", Summary: "leaves goroutines behind, and wakes nobody", Subject: cell.Mutex(leaksUnwoken)},
	{ID: "test-tidies", Summary: "is busy for six leases after its end, and wakes nobody", Subject: cell.Mutex(tidies)},
}

// simple returns the lock that is taken by SET NX and released by DEL, no matter who holds it.
func simple(c *cell.Client, client *redis.Client) locker {
	return locker{
		acquire: func(ctx context.Context) error { return spin(ctx, c, client, c.TTL(), steady) },
		release: func(ctx context.Context) error { return client.Del(ctx, c.LockName()).Err() },
	}
}

// dialsOn does what newer versions of go-redis do with a server that has been down
// for a while, whether or not anybody still uses the client.
func dialsOn(c *cell.Client) lock.Locker {
	go func() {
		for {
			conn, err := c.Dial(context.Background(), "tcp", "10.9.9.9:1")
			if err == nil {
				_ = conn.Close()
				return
			}
			time.Sleep(time.Second)
		}
	}()
	return simple(c, connect(c))
}

func unclosed(c *cell.Client) lock.Locker { return simple(c, redis.NewClient(redisstore.Options(c))) }

func leaks(c *cell.Client) lock.Locker { return leaving(simple(c, connect(c))) }

// leaving returns the lock with a goroutine that each release leaves behind.
func leaving(l locker) lock.Locker {
	release := l.release
	l.release = func(ctx context.Context) error {
		go func() { <-make(chan int) }()
		return release(ctx)
	}
	return l
}

func leaksUnwoken(c *cell.Client) lock.Locker { return leaving(neverWoken(c).(locker)) }

func tidies(c *cell.Client) lock.Locker {
	c.Cleanup(func() {
		for end := c.Clock().Now().Add(6 * c.TTL()); c.Clock().Now().Before(end); {
			c.Clock().Sleep(c.TTL() / 10)
		}
	})
	return neverWoken(c)
}
