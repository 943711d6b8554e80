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

// TestFairTry: who will not wait takes the lock if it is free and nobody waits for
// it, and does not stand in the queue, where he would be in the way if nobody heard
// of his leaving.
func TestFairTry(t *testing.T) {
	inBubble(t, func(t *testing.T, m *miniredis.Miniredis, client *redis.Client) {
		l := redislocks.NewFair(client, name, redislocks.FairOptions{})
		t.Cleanup(func() { _ = l.Close() })
		held, err := l.TryAcquire(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		evals := counting(m, "evalsha")
		if _, err := l.TryAcquire(t.Context()); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("a try of what is taken says %v", err)
		}
		if keys := m.Keys(); len(keys) != 1 || evals.Load() != 1 {
			t.Errorf("after it there are the keys %q, and it took %d scripts", keys, evals.Load())
		}
		got, tried := make(chan error), make(chan struct{})
		go func() {
			lease, err := l.Acquire(t.Context())
			if err == nil {
				<-tried // or the lock may be free again before it is tried
				err = lease.Release(t.Context())
			}
			got <- err
		}()
		time.Sleep(time.Second)
		if err := held.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
		if _, err := l.TryAcquire(t.Context()); !errors.Is(err, lock.ErrNotAcquired) {
			t.Errorf("a try of what another waits for says %v", err)
		}
		close(tried)
		if err := <-got; err != nil {
			t.Error(err)
		}
	})
}
