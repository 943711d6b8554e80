package redislocks_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

const name = "orders"

// server is a Redis in memory, and a client of it. WAIT, which miniredis
// answers with 0, it answers with 1: everybody's replica has everything.
func server(tb testing.TB) (*miniredis.Miniredis, *redis.Client) {
	tb.Helper()
	m := miniredis.NewMiniRedis()
	client := redis.NewClient(&redis.Options{
		Addr: "127.0.0.1:6379", Protocol: 2,
		Dialer: func(context.Context, string, string) (net.Conn, error) { return m.Dial() },
		// A busy machine is no lost reply: a request that is tried again would
		// find the lock taken, by itself.
		MaxRetries: -1, ReadTimeout: time.Minute, WriteTimeout: time.Minute, PoolTimeout: time.Minute,
	})
	tb.Cleanup(func() {
		_ = client.Close()
		m.Close()
	})
	if err := client.Ping(tb.Context()).Err(); err != nil { // starts it
		tb.Fatal(err)
	}
	answerWait(m, func() int { return 1 })
	return m, client
}

// lockers are the sound locks of the package that are one key, by name.
var lockers = map[string]func(*redis.Client, redislocks.Options) lock.Locker{
	"SetPX": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPX(c, name, o)
	},
	"SetPXTwoStep": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXTwoStep(c, name, o)
	},
	"SetPXFenced": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXFenced(c, name, o)
	},
	"SetPXCAD": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXCAD(c, name, o)
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

func everyLock(t *testing.T, f func(t *testing.T, m *miniredis.Miniredis, make func(redislocks.Options) lock.Locker)) {
	for id, build := range lockers {
		t.Run(id, func(t *testing.T) {
			m, client := server(t)
			f(t, m, func(o redislocks.Options) lock.Locker { return build(client, o) })
		})
	}
}

func acquire(ctx context.Context, t *testing.T, l lock.Locker) lock.Lease {
	t.Helper()
	lease, err := l.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// TestHold is the life of a lease: a key with a TTL, and gone when released.
func TestHold(t *testing.T) {
	everyLock(t, func(t *testing.T, m *miniredis.Miniredis, make func(redislocks.Options) lock.Locker) {
		l := make(redislocks.Options{TTL: 7 * time.Second})
		lease := acquire(t.Context(), t, l)
		if ttl := m.TTL(name); ttl != 7*time.Second {
			t.Errorf("the key lives for %v, want 7s", ttl)
		}
		if err := lease.Release(t.Context()); err != nil || m.Exists(name) {
			t.Errorf("after Release (%v) the key exists: %v", err, m.Exists(name))
		}
		acquire(lock.WithTTL(t.Context(), 3*time.Second), t, l)
		if ttl := m.TTL(name); ttl != 3*time.Second {
			t.Errorf("with WithTTL the key lives for %v, want 3s", ttl)
		}
	})
}

// TestDefaults are what zero options and odd ones mean.
func TestDefaults(t *testing.T) {
	everyLock(t, func(t *testing.T, m *miniredis.Miniredis, make func(redislocks.Options) lock.Locker) {
		acquire(t.Context(), t, make(redislocks.Options{}))
		if ttl := m.TTL(name); ttl != 30*time.Second {
			t.Errorf("the key lives for %v, want 30s", ttl)
		}
		m.FlushAll()
		acquire(t.Context(), t, make(redislocks.Options{TTL: time.Nanosecond}))
		if ttl := m.TTL(name); ttl != time.Millisecond {
			t.Errorf("the key lives for %v, want 1ms", ttl)
		}
		for _, ttl := range []time.Duration{0, -1, time.Microsecond} {
			m.FlushAll()
			acquire(lock.WithTTL(t.Context(), ttl), t, make(redislocks.Options{}))
			if got := m.TTL(name); got != time.Millisecond {
				t.Errorf("with WithTTL(%v) the key lives for %v, want 1ms", ttl, got)
			}
		}
	})
}

// TestWait shows that a second client waits, and gives up with its context.
func TestWait(t *testing.T) {
	everyLock(t, func(t *testing.T, m *miniredis.Miniredis, make func(redislocks.Options) lock.Locker) {
		clock := clockwork.NewFakeClock()
		l := make(redislocks.Options{Clock: clock, MinSleep: time.Second, RandomSleep: time.Nanosecond})
		held := acquire(t.Context(), t, l)
		ctx, cancel := context.WithCancel(t.Context())
		result := waiting(ctx, l)
		if err := clock.BlockUntilContext(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		cancel()
		if err := <-result; errors.Is(err, lock.ErrNotAcquired) || !errors.Is(err, context.Canceled) {
			t.Errorf("a cancelled Acquire says %v", err)
		}
		result = waiting(t.Context(), l)
		if err := clock.BlockUntilContext(t.Context(), 1); err != nil {
			t.Fatal(err)
		}
		if err := held.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		clock.Advance(time.Second)
		if err := <-result; err != nil {
			t.Errorf("the waiting client got %v", err)
		}
	})
}

// waiting acquires in a goroutine of its own.
func waiting(ctx context.Context, l lock.Locker) <-chan error {
	result := make(chan error, 1)
	go func() {
		_, err := l.Acquire(ctx)
		result <- err
	}()
	return result
}

// TestReleaseTooLate shows that a lease that has run out is told so, and
// leaves the next one alone.
func TestReleaseTooLate(t *testing.T) {
	everyLock(t, func(t *testing.T, m *miniredis.Miniredis, make func(redislocks.Options) lock.Locker) {
		l := make(redislocks.Options{TTL: time.Second})
		late := acquire(t.Context(), t, l)
		m.FastForward(time.Second)
		if err := late.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release of a lease that ran out says %v", err)
		}
		acquire(t.Context(), t, l)
		if err := late.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) || !m.Exists(name) {
			t.Errorf("Release of another's lock says %v; the key exists: %v", err, m.Exists(name))
		}
	})
}

// TestErrors shows that an error of the store is no answer.
func TestErrors(t *testing.T) {
	everyLock(t, func(t *testing.T, m *miniredis.Miniredis, make func(redislocks.Options) lock.Locker) {
		l := make(redislocks.Options{})
		lease := acquire(t.Context(), t, l)
		m.SetError("OOM no memory")
		if err := lease.Release(t.Context()); err == nil || errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release says %v", err)
		}
		if _, err := l.Acquire(t.Context()); err == nil || errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("Acquire says %v", err)
		}
	})
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

// TestThreads shares one locker among goroutines.
func TestThreads(t *testing.T) {
	everyLock(t, func(t *testing.T, _ *miniredis.Miniredis, make func(redislocks.Options) lock.Locker) {
		l := make(redislocks.Options{MinSleep: time.Microsecond, RandomSleep: time.Microsecond})
		inside := 0
		var done sync.WaitGroup
		for range 8 {
			done.Go(func() {
				for range 20 {
					lease, err := l.Acquire(t.Context())
					if err != nil {
						t.Error(err)
						return
					}
					inside++ // the race detector watches
					if err := lease.Release(t.Context()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		done.Wait()
		if inside != 8*20 {
			t.Errorf("%d critical sections, want %d", inside, 8*20)
		}
	})
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
