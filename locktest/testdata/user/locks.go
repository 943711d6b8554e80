// Package user is what somebody else's module may hold: locks of its own, some
// of which misbehave. The tests of package locktest copy it to where it is a
// module of its own.
package user

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"log/slog"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// Lock is SET NX PX with the client's name, released by DEL whoever holds it,
// with places to misbehave at.
type Lock struct {
	rdb   *redis.Client
	key   string
	value func() string
	ttl   time.Duration
	wait  func() time.Duration
	// before and after are called in Acquire, and release in place of DEL.
	before, after func(context.Context) error
	release       func(context.Context) error
}

// New makes the lock.
func New(c *locktest.Client) *Lock {
	rdb := redis.NewClient(redisstore.Options(c))
	c.Cleanup(func() { _ = rdb.Close() })
	nothing := func(context.Context) error { return nil }
	l := &Lock{rdb: rdb, key: c.LockName(), value: c.Name, ttl: c.TTL(), before: nothing, after: nothing}
	l.wait = func() time.Duration { return 50 * time.Millisecond }
	l.release = func(ctx context.Context) error { return rdb.Del(ctx, l.key).Err() }
	return l
}

// Acquire waits for the lock.
func (l *Lock) Acquire(ctx context.Context) (lock.Lease, error) {
	if err := l.before(ctx); err != nil {
		return nil, err
	}
	for {
		ok, err := l.rdb.SetNX(ctx, l.key, l.value(), l.ttl).Result()
		switch {
		case err != nil:
			return nil, err
		case ok:
			return l, l.after(ctx)
		}
		select {
		case <-time.After(l.wait()):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// Release gives the lock up.
func (l *Lock) Release(ctx context.Context) error { return l.release(ctx) }

// Naive is the lock as it is.
func Naive(c *locktest.Client) lock.Locker { return New(c) }

// Timestamp has the time for a value.
func Timestamp(c *locktest.Client) lock.Locker {
	l := New(c)
	l.value = func() string { return fmt.Sprint(time.Now().UnixNano()) }
	return l
}

// Panics panics in the caller's goroutine.
func Panics(c *locktest.Client) lock.Locker {
	l := New(c)
	l.release = func(context.Context) error { panic("user: a panic on purpose") }
	return l
}

// Refused asks for what the simulated server does not support, and takes no notice of the answer.
func Refused(c *locktest.Client) lock.Locker {
	l := New(c)
	release := l.release
	l.release = func(ctx context.Context) error {
		l.rdb.Do(ctx, "OBJECT", "FREQ", c.LockName())
		return release(ctx)
	}
	return l
}

// PanicsAside panics in a goroutine of its own.
func PanicsAside(c *locktest.Client) lock.Locker {
	l := New(c)
	l.release = func(context.Context) error {
		go panic("user: a panic aside")
		select {}
	}
	return l
}

var spinning atomic.Int64

// Spins waits without waiting.
func Spins(c *locktest.Client) lock.Locker {
	l := New(c)
	l.release = func(context.Context) error {
		for {
			spinning.Add(1)
		}
	}
	return l
}

// NeverReturns waits for a word that nobody says, whatever the context does.
func NeverReturns(c *locktest.Client) lock.Locker {
	l := New(c)
	l.after = func(context.Context) error { <-make(chan int); return nil }
	return l
}

// Nil forgets to return the lock.
func Nil(*locktest.Client) lock.Locker { return nil }

// Otherwise does something before it asks, but not in a worker process.
func Otherwise(do func(context.Context, *Lock)) func(*locktest.Client) lock.Locker {
	return func(c *locktest.Client) lock.Locker {
		l := New(c)
		l.before = func(ctx context.Context) error {
			if os.Getenv(locktest.WorkerVariable) == "" {
				do(ctx, l)
			}
			return nil
		}
		return l
	}
}

// NoLease forgets to return the lease.
func NoLease(c *locktest.Client) lock.Locker { return noLease{New(c)} }

type noLease struct{ *Lock }

func (l noLease) Acquire(ctx context.Context) (lock.Lease, error) {
	_, err := l.Lock.Acquire(ctx)
	return nil, err
}

// Leaks leaves a goroutine behind for each acquisition, and locks nobody out.
func Leaks(c *locktest.Client) lock.Locker {
	l := New(c)
	l.key += "-" + c.Name()
	l.after = func(context.Context) error {
		go func() { <-make(chan int) }()
		return nil
	}
	return l
}

// Stalls holds a mutex across I/O.
func Stalls(c *locktest.Client) lock.Locker {
	l := New(c)
	var mu sync.Mutex
	l.before = func(ctx context.Context) error {
		go func() {
			mu.Lock()
			defer mu.Unlock()
			l.rdb.Ping(ctx)
		}()
		time.Sleep(time.Millisecond / 4)
		mu.Lock()
		defer mu.Unlock()
		return nil
	}
	return l
}

// own is a source of the process's.
var own = rand.New(rand.NewPCG(uint64(os.Getpid()), 0))

// Random waits for times from a source that cannot be seeded.
func Random(c *locktest.Client) lock.Locker {
	l := New(c)
	l.wait = func() time.Duration {
		return 50*time.Millisecond + time.Duration(own.Int64N(int64(50*time.Millisecond)))
	}
	return l
}

// Nowhere does not know whom to talk to.
func Nowhere(c *locktest.Client) lock.Locker {
	l := New(c)
	l.before = func(context.Context) error { return errors.New("no server is known") }
	return l
}

// Outside talks to a real address.
func Outside(c *locktest.Client) lock.Locker {
	l := New(c)
	var dialer net.Dialer
	l.before = func(ctx context.Context) error {
		conn, err := dialer.DialContext(ctx, "tcp", "127.0.0.1:1")
		if err != nil {
			return err
		}
		return conn.Close()
	}
	return l
}

// clock is the machine's, kept by a goroutine that belongs to no run.
var clock atomic.Int64

var startClock = sync.OnceFunc(func() {
	clock.Store(time.Now().UnixNano())
	go func() {
		for {
			clock.Store(time.Now().UnixNano())
			time.Sleep(20 * time.Microsecond)
		}
	}()
})

// RealClock writes the machine's time into its value.
func RealClock(c *locktest.Client) lock.Locker {
	l := New(c)
	l.value = func() string { return fmt.Sprint(c.Name(), clock.Load()) }
	return l
}

// WaitsOutside waits for a real pipe to which nobody writes.
func WaitsOutside(c *locktest.Client) lock.Locker {
	l := New(c)
	l.release = func(context.Context) error {
		r, w, err := os.Pipe()
		if err != nil {
			return err
		}
		defer w.Close()
		_, err = r.Read(make([]byte, 1))
		return err
	}
	return l
}

// ByName talks to a real server by its name.
func ByName(c *locktest.Client) lock.Locker {
	l := New(c)
	l.rdb = redis.NewClient(&redis.Options{Addr: "localhost:6379"})
	c.Cleanup(func() { _ = l.rdb.Close() })
	return l
}

// NeverAsks waits for a word that nobody says, before it talks to anybody.
func NeverAsks(c *locktest.Client) lock.Locker {
	l := New(c)
	l.before = func(context.Context) error { <-make(chan int); return nil }
	return l
}

// Once can be released once: another Release closes its channel again.
func Once(c *locktest.Client) lock.Locker {
	l := New(c)
	var done chan int
	l.after = func(context.Context) error { done = make(chan int); return nil }
	l.release = func(ctx context.Context) error { close(done); return l.rdb.Del(ctx, l.key).Err() }
	return l
}

// Exits ends the process.
func Exits(c *locktest.Client) lock.Locker {
	l := New(c)
	l.release = func(context.Context) error { os.Exit(3); return nil }
	return l
}

// Stops stops the process, as a debugger does.
func Stops(c *locktest.Client) lock.Locker {
	l := New(c)
	l.after = func(context.Context) error { return syscall.Kill(os.Getpid(), syscall.SIGSTOP) }
	return l
}

// Crowds has 100,000 goroutines for each Acquire.
func Crowds(c *locktest.Client) lock.Locker {
	l := New(c)
	l.after = func(context.Context) error {
		var all sync.WaitGroup
		for range 100_000 {
			all.Go(func() { time.Sleep(time.Millisecond) })
		}
		all.Wait()
		return nil
	}
	return l
}

// Prints prints 100 MB for each Acquire.
func Prints(c *locktest.Client) lock.Locker {
	l := New(c)
	line := bytes.Repeat([]byte("got the lock\n"), 1<<10)
	l.after = func(context.Context) error {
		for range 100 << 20 / len(line) {
			_, _ = os.Stdout.Write(line)
		}
		return nil
	}
	return l
}

// Talks prints by several ways, with hostile bytes, and a goroutine of its own prints later.
func Talks(t *testing.T) func(*locktest.Client) lock.Locker {
	kept := os.Stderr
	return func(c *locktest.Client) lock.Locker {
		l := New(c)
		l.before = func(context.Context) error {
			fmt.Println(c.Name(), "asks by fmt \x1b[2J</script>")
			slog.Info("asks by slog")
			return nil
		}
		l.after = func(context.Context) error {
			t.Log("has it, by T")
			fmt.Fprintln(kept, "has it, by a kept file")
			go func() {
				time.Sleep(time.Millisecond)
				log.Print("a millisecond later")
			}()
			return nil
		}
		return l
	}
}

// Demands fails its test if a Release fails.
func Demands(t *testing.T) func(*locktest.Client) lock.Locker {
	return func(c *locktest.Client) lock.Locker {
		l := New(c)
		del := l.release
		l.release = func(ctx context.Context) error {
			if err := errors.Join(del(ctx), errors.New("on purpose")); err != nil {
				t.Errorf("release: %v", err)
			}
			return nil
		}
		return l
	}
}

// DemandsAside ends a goroutine of its own with its test.
func DemandsAside(t *testing.T) func(*locktest.Client) lock.Locker {
	return func(c *locktest.Client) lock.Locker {
		l := New(c)
		del := l.release
		l.release = func(ctx context.Context) error {
			done := make(chan int)
			go func() {
				defer close(done)
				t.Fatal("no more of this")
			}()
			<-done
			return del(ctx)
		}
		return l
	}
}
