package redislocks_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
)

// scripted is a locker that writes down what is asked of it.
type scripted struct {
	name string
	log  *[]string
	fail error // of the next Acquire
}

func (l *scripted) Acquire(ctx context.Context) (lock.Lease, error) {
	*l.log = append(*l.log, "take "+l.name)
	if err := l.fail; err != nil {
		l.fail = nil
		return nil, err
	}
	return l, nil
}

func (l *scripted) Release(context.Context) error {
	*l.log = append(*l.log, "give "+l.name)
	return nil
}

// TestMultiOrder: the locks are taken in their order and given back in the
// other one; if one is not to be had all are given back and it begins again.
func TestMultiOrder(t *testing.T) {
	for _, test := range []struct {
		name string
		fail error
		want []string
		err  error
	}{
		{"free", nil, []string{"take a", "take b", "take c", "give c", "give b", "give a"}, nil},
		{"taken", lock.ErrNotAcquired, []string{"take a", "take b", "give a", "take a", "take b", "take c", "give c", "give b", "give a"}, nil},
		{"in vain", context.DeadlineExceeded, []string{"take a", "take b", "give a", "take a", "take b", "take c", "give c", "give b", "give a"}, nil},
		{"broken", errBroken, []string{"take a", "take b", "give a"}, errBroken},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log []string
			a, b, c := &scripted{"a", &log, nil}, &scripted{"b", &log, test.fail}, &scripted{"c", &log, nil}
			l := redislocks.NewMulti(redislocks.MultiOptions{Options: redislocks.Options{MinSleep: 1, RandomSleep: 1}}, a, b, c)
			lease, err := l.Acquire(t.Context())
			if !errors.Is(err, test.err) {
				t.Fatalf("Acquire says %v", err)
			}
			if err == nil {
				if err := lease.Release(t.Context()); err != nil {
					t.Error(err)
				}
			}
			if !slices.Equal(log, test.want) {
				t.Errorf("it did %q, want %q", log, test.want)
			}
		})
	}
}

var errBroken = errors.New("broken")

// TestMultiValidity: it is as valid as the shortest of its leases, and begins
// again if one has run out while the others were waited for.
func TestMultiValidity(t *testing.T) {
	inBubble(t, func(t *testing.T, m *miniredis.Miniredis, client *redis.Client) {
		brief := redislocks.NewReentrant(client, "a", redislocks.Options{TTL: time.Second})
		long := redislocks.NewReentrant(client, "b", redislocks.Options{TTL: time.Minute})
		defer brief.Close()
		defer long.Close()
		held := acquire(t.Context(), t, long)
		result := make(chan lock.Lease, 1)
		go func() {
			l := redislocks.NewMulti(redislocks.MultiOptions{Patience: 10 * time.Second}, brief, long)
			result <- acquire(t.Context(), t, l)
		}()
		time.Sleep(2 * time.Second)
		if err := held.Release(t.Context()); err != nil {
			t.Error(err)
		}
		lease := <-result
		left := time.Until(lease.(lock.Expirer).Until())
		if left <= 0 || left > time.Second {
			t.Errorf("the lease is valid for %v", left)
		}
		if err := lease.(lock.Extender).Extend(t.Context(), time.Hour); err != nil || m.TTL("a") != time.Hour || m.TTL("b") != time.Hour {
			t.Errorf("Extend says %v, and the keys live for %v and %v", err, m.TTL("a"), m.TTL("b"))
		}
	})
}

// TestBeside: what is beside a key is in the same slot of a cluster.
func TestBeside(t *testing.T) {
	for key, want := range map[string]string{
		"orders":      "{orders}:released",
		"{orders}:1":  "{orders}:1:released",
		"a{orders}":   "a{orders}:released",
		"{orders":     "{{orders}:released",
		"or}der{s}":   "or}der{s}:released",
		"shop:orders": "{shop:orders}:released",
	} {
		m, client := server(t)
		l := redislocks.NewReentrant(client, key, neverPolls())
		acquire(t.Context(), t, l)
		result := waiting(t.Context(), l)
		subscribed(t, m, "*")
		if got := m.PubSubChannels("*"); got[0] != want {
			t.Errorf("the channel of %q is %q, want %q", key, got[0], want)
		}
		_ = l.Close()
		if err := <-result; !errors.Is(err, lock.ErrClosed) {
			t.Errorf("a waiter gets %v", err)
		}
	}
}

// TestMultiOfNone: no locks at all are had at once.
func TestMultiOfNone(t *testing.T) {
	lease := acquire(t.Context(), t, redislocks.NewMulti(redislocks.MultiOptions{}))
	if err := lease.Release(t.Context()); err != nil {
		t.Error(err)
	}
}
