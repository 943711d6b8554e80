package redislocks_test

import (
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/internal/test/redislocktest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/pull"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// checkers are the locks whose leases can be asked whether they still stand.
var checkers = map[string]func(*redis.Client, redislocks.Options) lock.Locker{
	"setpx":        func(c *redis.Client, o redislocks.Options) lock.Locker { return redislocks.NewSetPX(c, name, o) },
	"setpx-cad":    func(c *redis.Client, o redislocks.Options) lock.Locker { return redislocks.NewSetPXCAD(c, name, o) },
	"setpx-delex":  func(c *redis.Client, o redislocks.Options) lock.Locker { return redislocks.NewSetPXDelEx(c, name, o) },
	"setpx-fenced": func(c *redis.Client, o redislocks.Options) lock.Locker { return redislocks.NewSetPXFenced(c, name, o) },
	"setpx-fenced-elsewhere": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewSetPXFencedElsewhere(c, redislocks.NewRedisCounter(c, "counter", 0), name, o)
	},
	"pull": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewPull(c, name, pull.Options{TTL: o.TTL})
	},
	"reentrant": func(c *redis.Client, o redislocks.Options) lock.Locker { return redislocks.NewReentrant(c, name, o) },
	"watchdog": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewWatchdog(c, name, redislocks.WatchdogOptions{Options: o})
	},
	"fair": func(c *redis.Client, o redislocks.Options) lock.Locker {
		return redislocks.NewFair(c, name, redislocks.FairOptions{Options: o})
	},
	"readwrite, writer": func(c *redis.Client, o redislocks.Options) lock.Locker {
		l := redislocks.NewReadWrite(c, name, o)
		return redislocktest.Closing{Locker: l.Writer(), Closer: l}
	},
	"readwrite, reader": func(c *redis.Client, o redislocks.Options) lock.Locker {
		l := redislocks.NewReadWrite(c, name, o)
		return redislocktest.Closing{Locker: l.Reader(), Closer: l}
	},
}

// TestHeld: a lease reports whether the store still has the lock for it.
func TestHeld(t *testing.T) {
	for id, build := range checkers {
		t.Run(id, func(t *testing.T) {
			m, client := server(t)
			l := build(client, redislocks.Options{TTL: time.Minute})
			if c, can := l.(interface{ Close() error }); can {
				t.Cleanup(func() { _ = c.Close() })
			}
			held := func(lease lock.Lease, want bool) {
				t.Helper()
				if got, err := lease.(lock.Checker).Held(t.Context()); got != want || err != nil {
					t.Errorf("Held says %v, %v; want %v", got, err, want)
				}
			}
			lease := acquire(t.Context(), t, l)
			held(lease, true)
			if err := lease.Release(t.Context()); err != nil {
				t.Error(err)
			}
			held(lease, false)
			lease = acquire(t.Context(), t, l)
			m.FlushAll()
			held(lease, false)
			next := acquire(t.Context(), t, l)
			held(lease, false)
			held(next, true)
			m.SetError("LOADING for good")
			if got, err := next.(lock.Checker).Held(t.Context()); got || err == nil {
				t.Errorf("when the server does not know Held says %v, %v", got, err)
			}
		})
	}
}
