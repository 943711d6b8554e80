package redislocks_test

import (
	"bytes"
	"context"
	"errors"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	miniserver "github.com/alicebob/miniredis/v2/server"
	"github.com/jonboulle/clockwork"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// silence has a server never answer again.
func silence(m *miniredis.Miniredis) {
	hook(m, func(*miniserver.Peer, string, []string) bool { return true })
}

// losing is a client that loses the answers to so many scripts, by closing the
// connection when the server has executed them, and asks again by itself.
func losing(t *testing.T, m *miniredis.Miniredis, answers *atomic.Int32) *redis.Client {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:6379", Protocol: 2, MinRetryBackoff: time.Millisecond, MaxRetryBackoff: time.Millisecond,
		Dialer: func(context.Context, string, string) (net.Conn, error) {
			c, err := m.Dial()
			return &losingConn{Conn: c, answers: answers}, err
		}})
	t.Cleanup(func() { _ = client.Close() })
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	return client
}

type losingConn struct {
	net.Conn
	answers *atomic.Int32
	script  bool
}

func (c *losingConn) Write(b []byte) (int, error) {
	c.script = bytes.Contains(b[:min(len(b), 20)], []byte("eval"))
	return c.Conn.Write(b)
}

func (c *losingConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	if err == nil && c.script && b[0] != '-' && c.answers.Add(-1) >= 0 {
		_ = c.Close()
		return 0, net.ErrClosed
	}
	return n, err
}

// TestLostAnswers: a request that is executed twice, because its answer was
// lost, counts once.
func TestLostAnswers(t *testing.T) {
	m, _ := server(t)
	answers := new(atomic.Int32)
	client := losing(t, m, answers)
	for id, l := range map[string]lock.Locker{
		"reentrant":        closeAtEnd(t, redislocks.NewReentrant(client, "reentrant", redislocks.Options{})),
		"fair":             closeAtEnd(t, redislocks.NewFair(client, "fair", redislocks.FairOptions{})),
		"semaphore":        closeAtEnd(t, redislocks.NewSemaphore(client, "semaphore", 1, redislocks.Options{})),
		"permit-semaphore": closeAtEnd(t, redislocks.NewPermitSemaphore(client, "permits", 1, redislocks.Options{})),
		"writer":           closeAtEnd(t, redislocks.NewReadWrite(client, "rw", redislocks.Options{})).Writer(),
	} {
		t.Run(id, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(lock.WithOwner(t.Context(), "me"), 10*time.Second)
			defer cancel()
			warm := acquire(ctx, t, l) // the server knows the scripts
			if err := warm.Release(ctx); err != nil {
				t.Fatal(err)
			}
			answers.Store(1)
			lease := acquire(ctx, t, l)
			if answers.Load() >= 0 {
				t.Fatal("no answer was lost")
			}
			if err := lease.Release(ctx); err != nil {
				t.Error(err)
			}
			free := acquire(ctx, t, l)
			answers.Store(1)
			if err := free.Release(ctx); err != nil && !errors.Is(err, lock.ErrNotHeld) {
				t.Error(err)
			}
			_ = acquire(ctx, t, l).Release(ctx)
		})
	}
}

// TestLostReentry: taking the lock again is not counted twice either.
func TestLostReentry(t *testing.T) {
	m, _ := server(t)
	answers := new(atomic.Int32)
	l := closeAtEnd(t, redislocks.NewReentrant(losing(t, m, answers), name, redislocks.Options{}))
	ctx := lock.WithOwner(t.Context(), "me")
	outer := acquire(ctx, t, l)
	if err := outer.Release(ctx); err != nil { // the server knows the scripts
		t.Fatal(err)
	}
	outer = acquire(ctx, t, l)
	answers.Store(1)
	inner := acquire(ctx, t, l)
	answers.Store(1)
	for _, lease := range []lock.Lease{inner, outer} {
		if err := lease.Release(ctx); err != nil {
			t.Error(err)
		}
	}
	if m.Exists(name) {
		t.Error("after two releases the lock is taken")
	}
}

// TestTooLate: an Acquire whose lease has run out when the answer comes fails,
// and gives back what it got.
func TestTooLate(t *testing.T) {
	m, client := server(t)
	clock := clockwork.NewFakeClock()
	hook(m, func(_ *miniserver.Peer, cmd string, _ []string) bool {
		if cmd == "hset" || cmd == "zadd" { // from within a script
			clock.Advance(31 * time.Second)
		}
		return false
	})
	o := redislocks.Options{Clock: clock}
	for id, l := range map[string]lock.Locker{
		"reentrant": closeAtEnd(t, redislocks.NewReentrant(client, "reentrant", o)),
		"fair":      closeAtEnd(t, redislocks.NewFair(client, "fair", redislocks.FairOptions{Options: o})),
		"watchdog":  closeAtEnd(t, redislocks.NewWatchdog(client, "watchdog", redislocks.WatchdogOptions{Options: o})),
		"permits":   closeAtEnd(t, redislocks.NewPermitSemaphore(client, "permits", 1, o)),
	} {
		if _, err := l.Acquire(t.Context()); !errors.Is(err, lock.ErrNotAcquired) || m.Exists(id) {
			t.Errorf("%s: Acquire says %v; the key exists: %v", id, err, m.Exists(id))
		}
	}
}

// TestCleansUp: an Acquire that does not know whether it got the lock gives it
// back, though its own context is dead.
func TestCleansUp(t *testing.T) {
	m, client := server(t)
	ctx, cancel := context.WithCancel(t.Context())
	hook(m, func(peer *miniserver.Peer, cmd string, _ []string) bool {
		if cmd != "pexpire" || ctx.Err() != nil {
			return false
		}
		cancel()
		peer.WriteError("OOM in the middle of it")
		return true
	})
	l := closeAtEnd(t, redislocks.NewReentrant(client, name, redislocks.Options{}))
	if _, err := l.Acquire(ctx); err == nil || errors.Is(err, lock.ErrNotAcquired) {
		t.Errorf("Acquire says %v", err)
	}
	if m.Exists(name) {
		t.Error("the lock is taken")
	}
}

// TestLostHold: an owner whose hold is gone starts a new one, which the leases
// of the old one cannot release.
func TestLostHold(t *testing.T) {
	m, client := server(t)
	l := closeAtEnd(t, redislocks.NewReentrant(client, name, redislocks.Options{}))
	ctx := lock.WithOwner(t.Context(), "me")
	old := acquire(ctx, t, l)
	m.FastForward(time.Minute)
	fresh := acquire(ctx, t, l)
	if err := old.Release(ctx); !errors.Is(err, lock.ErrNotHeld) || !m.Exists(name) {
		t.Errorf("Release of a lost hold says %v; the key exists: %v", err, m.Exists(name))
	}
	if err := old.(lock.Extender).Extend(ctx, time.Minute); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("Extend of a lost hold says %v", err)
	}
	if err := fresh.Release(ctx); err != nil || m.Exists(name) {
		t.Errorf("Release says %v; the key exists: %v", err, m.Exists(name))
	}
}

// TestLapsedHold: what was acquired before the lease ran out is lost, whatever the store
// has in the hold's name: a request that was given up may have taken the lock anew.
func TestLapsedHold(t *testing.T) {
	for name, takeAgain := range map[string]bool{"extended": false, "taken again": true} {
		t.Run(name, func(t *testing.T) {
			m, client := server(t)
			clock := clockwork.NewFakeClock()
			l := closeAtEnd(t, redislocks.NewReentrant(client, name, redislocks.Options{Clock: clock}))
			ctx := lock.WithOwner(t.Context(), "me")
			old := acquire(ctx, t, l)
			end := old.(lock.Expirer).Until()
			clock.Advance(31 * time.Second) // the server has the lock still, or again
			if takeAgain {
				again := acquire(ctx, t, l)
				if err := again.Release(ctx); err != nil {
					t.Errorf("Release of what was acquired since says %v", err)
				}
			}
			if err := old.(lock.Extender).Extend(ctx, time.Minute); !errors.Is(err, lock.ErrNotHeld) {
				t.Errorf("Extend says %v", err)
			}
			if until := old.(lock.Expirer).Until(); !until.Equal(end) {
				t.Errorf("the lease goes on until %v, and has ended at %v", until, end)
			}
			if err := old.Release(ctx); !errors.Is(err, lock.ErrNotHeld) || m.Exists(name) {
				t.Errorf("Release says %v; the key exists: %v", err, m.Exists(name))
			}
		})
	}
}

// TestNeverShorter: taking the lock again with a shorter TTL leaves the lease as
// long as it is, with a longer one makes it longer.
func TestNeverShorter(t *testing.T) {
	m, client := server(t)
	l := closeAtEnd(t, redislocks.NewReentrant(client, name, redislocks.Options{}))
	ctx := lock.WithOwner(t.Context(), "me")
	outer := acquire(ctx, t, l)
	for _, test := range []struct{ ask, have time.Duration }{{time.Second, 30 * time.Second}, {time.Minute, time.Minute}} {
		inner := acquire(lock.WithTTL(ctx, test.ask), t, l)
		if ttl := m.TTL(name); ttl != test.have {
			t.Errorf("with %v for the second acquisition the key lives for %v", test.ask, ttl)
		}
		if left := time.Until(outer.(lock.Expirer).Until()); left < test.have-2*time.Second || left > test.have {
			t.Errorf("with %v for the second acquisition the first one is valid for %v", test.ask, left)
		}
		if err := inner.Release(ctx); err != nil || m.TTL(name) != test.have {
			t.Errorf("Release says %v, and the key lives for %v", err, m.TTL(name))
		}
	}
}

// TestReleaseOfALostHold: the outer release of a hold that was found lost removes
// what a request that was late has taken for it since.
func TestReleaseOfALostHold(t *testing.T) {
	m, client := server(t)
	l := closeAtEnd(t, redislocks.NewReentrant(client, name, redislocks.Options{}))
	ctx := lock.WithOwner(t.Context(), "me")
	outer, inner := acquire(ctx, t, l), acquire(ctx, t, l)
	fields, err := m.HKeys(name)
	if err != nil || len(fields) != 1 {
		t.Fatal(fields, err)
	}
	m.FlushAll()
	if err := inner.Release(ctx); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("the inner release says %v", err)
	}
	m.HSet(name, fields[0], "1") // by the late request
	if err := outer.Release(ctx); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("the outer release says %v", err)
	}
	if m.Exists(name) {
		t.Error("the lock is taken by nobody")
	}
}

// TestReleaseOfALostWrite: the release of a writer whose hold was lost leaves
// alone what its owner has by now: readers and writers of an owner go by one name.
func TestReleaseOfALostWrite(t *testing.T) {
	m, client := server(t)
	l := closeAtEnd(t, redislocks.NewReadWrite(client, name, redislocks.Options{}))
	ctx := lock.WithOwner(t.Context(), "me")
	lost := acquire(ctx, t, l.Writer())
	acquire(ctx, t, l.Reader())
	m.FlushAll()
	writer, err := l.Writer().Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if err := lost.Release(ctx); !errors.Is(err, lock.ErrNotHeld) {
		t.Errorf("the release of the lost one says %v", err)
	}
	if held, err := writer.(lock.Checker).Held(ctx); !held || err != nil {
		t.Errorf("the writer of now gets %v, %v", held, err)
	}
}

// TestReleaseOfALostWriteCleansUp: the release of a writer whose hold was lost removes
// what a request that was late, or a store that came back with an older record, has
// for it, unless its owner has another hold of that name.
func TestReleaseOfALostWriteCleansUp(t *testing.T) {
	m, client := server(t)
	l := closeAtEnd(t, redislocks.NewReadWrite(client, name, redislocks.Options{}))
	for _, owner := range []string{"", "me"} {
		ctx := t.Context()
		if owner != "" {
			ctx = lock.WithOwner(ctx, owner)
		}
		lease := acquire(ctx, t, l.Writer())
		ends := "{" + name + "}:ends"
		before, err := m.ZMembers(ends)
		if err != nil || len(before) != 1 {
			t.Fatal(before, err)
		}
		score, _ := m.ZScore(ends, before[0])
		m.FlushAll()
		if held, err := lease.(lock.Checker).Held(ctx); held || err != nil {
			t.Errorf("the lost one gets %v, %v", held, err)
		}
		m.HSet(name, "writer", before[0], before[0], "1") // the store comes back with it
		if _, err := m.ZAdd(ends, score, before[0]); err != nil {
			t.Fatal(err)
		}
		if err := lease.Release(ctx); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("the release says %v", err)
		}
		if m.Exists(name) || m.Exists(ends) {
			t.Errorf("the lock of owner %q is taken by nobody", owner)
		}
	}
}
