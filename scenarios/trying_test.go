package scenarios_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// trier is a lock that can be tried.
type trier struct {
	oddities
	client *redis.Client
	of     *cell.Client

	mu    sync.Mutex // never held while anything is waited for
	until time.Time
	tries int
}

// tried is a lease of it, with its value in the store.
type tried struct {
	*trier
	value string
}

// oddities are what is odd in a lock of this kind.
type oddities struct {
	// waits is set if its TryAcquire polls until the lock is free, and believes for how long its process
	// takes the lock to be held when it has asked for it, whatever happens meanwhile.
	waits    bool
	believes time.Duration
	// mute is set if its Release cannot say whether the lock was its own, and nothing if it does not say even that; idle
	// if it does not release either.
	mute, nothing, idle bool
}

func (l *trier) Acquire(ctx context.Context) (lock.Lease, error) {
	for ctx.Err() == nil {
		if lease, err := l.try(ctx); lease != nil || err != nil {
			return lease, err
		}
		l.of.Clock().Sleep(20 * time.Millisecond)
	}
	return nil, ctx.Err()
}

func (l *trier) TryAcquire(ctx context.Context) (lock.Lease, error) {
	if l.waits {
		return l.Acquire(ctx)
	}
	lease, err := l.try(ctx)
	if err == nil && lease == nil {
		err = lock.ErrNotAcquired
	}
	return lease, err
}

// try returns nothing if the lock is held, or is believed to be.
func (l *trier) try(ctx context.Context) (lock.Lease, error) {
	l.mu.Lock()
	believed := l.of.Clock().Now().Before(l.until)
	l.tries++
	lease := &tried{l, fmt.Sprintf("%s-%d", l.of.Name(), l.tries)}
	l.mu.Unlock()
	if believed {
		return nil, nil
	}
	ok, err := l.client.SetNX(ctx, l.of.LockName(), lease.value, l.of.TTL()).Result()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.until = l.of.Clock().Now().Add(l.believes)
	if err != nil || !ok {
		return nil, err
	}
	return lease, nil
}

func (l *tried) Release(ctx context.Context) error {
	if l.idle {
		return lock.ErrUnknown
	}
	held, err := l.client.Eval(ctx, `if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0`,
		[]string{l.of.LockName()}, l.value).Bool()
	switch {
	case l.nothing:
		return nil
	case l.mute:
		return lock.ErrUnknown
	case err == nil && !held:
		return lock.ErrNotHeld
	}
	return err
}

// TestTriers: what TryAcquire and Release say is judged by the properties that are about that, each on a sound lock and
// on one that differs in this alone.
func TestTriers(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, e := range []struct {
		name, scenario string
		lock           oddities
		violated       []string
	}{
		{"sound", "contention", oddities{}, nil},
		{"sound", "gc-pause", oddities{}, nil},
		{"waits", "contention", oddities{waits: true}, []string{checker.PromptTry}},
		{"believes what it knew", "contention", oddities{believes: 3 * time.Second}, []string{checker.NeedlessFailure}},
		{"believes it for an instant", "contention", oddities{believes: time.Millisecond}, nil},
		{"cannot say whether it has released", "gc-pause", oddities{mute: true}, nil},
		{"says nothing of its release", "gc-pause", oddities{nothing: true}, []string{checker.TruthfulRelease}},
		{"does not release, and cannot say so", "contention", oddities{idle: true}, []string{checker.NoOrphan}},
	} {
		t.Run(e.name+" in "+e.scenario, func(t *testing.T) {
			l := cell.Lock{ID: "trier", Store: redisstore.Store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker {
				made := &trier{oddities: e.lock, client: redis.NewClient(redisstore.Options(c)), of: c}
				c.Cleanup(func() { _ = made.client.Close() })
				return made
			})}
			c, err := scenarios.Registry([]cell.Lock{l}).Cell(e.scenario, "trier", nil)
			if err == nil && e.lock.believes > 0 {
				err = c.Set("clients", "1") // so that nobody else asks for it
			}
			if err != nil {
				t.Fatal(err)
			}
			judged := []string{checker.PromptTry, checker.NeedlessFailure, checker.TruthfulRelease, checker.NoOrphan}
			found := map[string]string{}
			for schedule := range 60 {
				out := c.Run(explore.Run{Tape: explore.Random(1, schedule), Record: true})
				if out.Failure != nil {
					t.Fatal(out.Failure.Reason, out.Failure.Stack)
				}
				for _, v := range checker.Check(&out.Recording.History, c.Judging(), judged...) {
					if v.Status == model.Violated {
						found[v.Property] = v.Sentence
					}
				}
			}
			for _, p := range e.violated {
				if found[p] == "" {
					t.Errorf("%s is not violated", p)
				}
				delete(found, p)
			}
			for p, sentence := range found { // unordered: each is an error
				t.Errorf("%s is violated: %s", p, sentence)
			}
		})
	}
}
