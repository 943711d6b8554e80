package redislocks_test

import (
	"errors"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

func isLost(l lock.Lease) bool {
	select {
	case <-l.(lock.Notifier).Lost():
		return true
	default:
		return false
	}
}

func newWatchdog(t *testing.T, client *redis.Client, o redislocks.WatchdogOptions) *redislocks.Watchdog {
	l := redislocks.NewWatchdog(client, name, o)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// TestWatchdogRenews: every third of the TTL the lease is as long as at first,
// until the release and not after it.
func TestWatchdogRenews(t *testing.T) {
	inBubble(t, func(t *testing.T, m *miniredis.Miniredis, client *redis.Client) {
		l := newWatchdog(t, client, redislocks.WatchdogOptions{})
		lease := acquire(t.Context(), t, l)
		for i := range 7 {
			m.FastForward(10 * time.Second)
			if ttl := m.TTL(name); ttl != 20*time.Second {
				t.Errorf("before renewal %d the key lives for %v", i, ttl)
			}
			time.Sleep(10*time.Second + time.Millisecond)
			if ttl := m.TTL(name); ttl != 30*time.Second {
				t.Errorf("after renewal %d the key lives for %v", i, ttl)
			}
			if left := time.Until(lease.(lock.Expirer).Until()); left < 29*time.Second || left > 30*time.Second {
				t.Errorf("after renewal %d the lease claims %v", i, left)
			}
		}
		if err := lease.Release(t.Context()); err != nil {
			t.Error(err)
		}
		renewals := counting(m, "pexpire")
		time.Sleep(time.Minute)
		if renewals.Load() != 0 || m.Exists(name) || isLost(lease) {
			t.Errorf("after the release: %d renewals, key %v, lost %v", renewals.Load(), m.Exists(name), isLost(lease))
		}
	})
}

// TestWatchdogLoses: a lease is lost when the store says so, or has run out while
// the store did not answer, and not for one error.
func TestWatchdogLoses(t *testing.T) {
	inBubble(t, func(t *testing.T, m *miniredis.Miniredis, client *redis.Client) {
		l := newWatchdog(t, client, redislocks.WatchdogOptions{})
		gone := acquire(t.Context(), t, l)
		m.Del(name)
		time.Sleep(10*time.Second + time.Millisecond)
		if !isLost(gone) {
			t.Error("a lease whose key is gone is not lost when it was to be renewed")
		}
		if err := gone.Release(t.Context()); !errors.Is(err, lock.ErrNotHeld) {
			t.Errorf("Release of a lost lease says %v", err)
		}
		lease := acquire(t.Context(), t, l)
		m.SetError("LOADING for a while")
		time.Sleep(15 * time.Second)
		m.SetError("")
		time.Sleep(5 * time.Second)
		if isLost(lease) {
			t.Error("a lease is lost though it was renewed in time")
		}
		m.SetError("LOADING for good")
		until := lease.(lock.Expirer).Until()
		time.Sleep(time.Until(until) - time.Millisecond)
		if isLost(lease) {
			t.Error("a lease is lost before it has run out")
		}
		time.Sleep(3 * time.Millisecond)
		if !isLost(lease) {
			t.Error("a lease that has run out is not lost")
		}
	})
}

// TestWatchdogSilence: a renewal without an answer does not keep a lease from
// being lost when it has run out.
func TestWatchdogSilence(t *testing.T) {
	inBubble(t, func(t *testing.T, m *miniredis.Miniredis, client *redis.Client) {
		l := newWatchdog(t, client, redislocks.WatchdogOptions{})
		lease := acquire(t.Context(), t, l)
		silence(m)
		time.Sleep(time.Until(lease.(lock.Expirer).Until()) + time.Millisecond)
		if !isLost(lease) {
			t.Error("a lease that has run out is not lost")
		}
	})
}

// TestWatchdogEnds: MaxHold ends the renewal, WithTTL has none, and Close tells
// those who rely on it.
func TestWatchdogEnds(t *testing.T) {
	inBubble(t, func(t *testing.T, m *miniredis.Miniredis, client *redis.Client) {
		l := newWatchdog(t, client, redislocks.WatchdogOptions{MaxHold: time.Minute})
		capped := acquire(t.Context(), t, l)
		time.Sleep(79 * time.Second) // renewed last after 50
		if isLost(capped) {
			t.Error("a lease is lost when it is not renewed any more")
		}
		time.Sleep(time.Second)
		if !isLost(capped) {
			t.Error("a lease that was renewed for a minute is not lost after 80 s")
		}
		m.FlushAll()
		brief := acquire(lock.WithTTL(t.Context(), time.Minute), t, l)
		if _, notifies := brief.(lock.Notifier); notifies || m.TTL(name) != time.Minute {
			t.Errorf("with a TTL of its own a lease is %T, for %v", brief, m.TTL(name))
		}
		m.FlushAll()
		lease := acquire(t.Context(), t, l)
		if err := l.Close(); err != nil || !isLost(lease) {
			t.Errorf("after Close (%v) the lease is lost: %v", err, isLost(lease))
		}
	})
}
