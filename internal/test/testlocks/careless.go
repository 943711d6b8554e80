package testlocks

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	redisstore "github.com/lockpick-dev/lockpick/stores/redis"
)

// The careless underestimate errors. Each lock is right unless two rare events of a certain kind coincide: a search needs
// long to find them.
var careless = []cell.Lock{
	{ID: "test-late-clean-up", Summary: "has one token for all tries of an acquisition, and cleans up behind each that failed while it tries again", Subject: cell.Mutex(lateCleanUp)},
	{ID: "test-expiry-ignored", Summary: "sets the expiry in a second request, and ignores its error", Subject: cell.Mutex(expiryIgnored)},
	{ID: "test-nil-rebuilt", Summary: "goes on without the lock if it cannot read who has it, and takes a key that is not there for that", Subject: cell.Mutex(nilRebuilt)},
}

// lateCleanUp deletes its own key of a later try if its clean-up request is late.
func lateCleanUp(c *cell.Client) lock.Locker {
	o := redisstore.Options(c)
	o.MaxRetries, o.ReadTimeout = -1, 300*time.Millisecond
	client := redis.NewClient(o)
	c.Cleanup(func() { _ = client.Close() })
	return anew{func() locker {
		token := rand.Text()
		release := func(ctx context.Context) error {
			return client.Eval(ctx, compareAndDelete, []string{c.LockName()}, token).Err()
		}
		return locker{
			acquire: func(ctx context.Context) error {
				for ctx.Err() == nil {
					ok, err := client.SetNX(ctx, c.LockName(), token, c.TTL()).Result()
					if ok {
						return nil
					}
					if err != nil {
						go func() { _ = release(context.WithoutCancel(ctx)) }()
					}
					c.Clock().Sleep(steady())
				}
				return ctx.Err()
			},
			release: release,
		}
	}}
}

// anew makes a locker for each acquisition.
type anew struct{ make func() locker }

func (l anew) Acquire(ctx context.Context) (lock.Lease, error) { return l.make().Acquire(ctx) }

// expiryIgnored leaves a key without an expiry if its second request fails, and its holder then dies or does not release
// it.
func expiryIgnored(c *cell.Client) lock.Locker {
	client := connect(c)
	return locker{
		acquire: func(ctx context.Context) error {
			err := spin(ctx, c, client, 0, steady)
			if err == nil {
				client.PExpire(ctx, c.LockName(), c.TTL())
			}
			return err
		},
		release: func(ctx context.Context) error {
			return client.Eval(ctx, compareAndDelete, []string{c.LockName()}, c.Name()).Err()
		},
	}
}

// nilRebuilt looks up the holder before it waits. If there is none any more, it gets an error that it does not recognize
// as redis.Nil.
func nilRebuilt(c *cell.Client) lock.Locker {
	client := connect(c)
	holder := func(ctx context.Context) error {
		if err := client.Get(ctx, c.LockName()).Err(); err != nil {
			return errors.New(err.Error())
		}
		return nil
	}
	return locker{
		acquire: func(ctx context.Context) error {
			for ctx.Err() == nil {
				ok, err := client.SetNX(ctx, c.LockName(), c.Name(), c.TTL()).Result()
				if err != nil || ok {
					return err
				}
				if err := holder(ctx); err != nil && !errors.Is(err, redis.Nil) && ctx.Err() == nil {
					return nil // the store is down: better without the lock than not at all
				}
				c.Clock().Sleep(100 * time.Millisecond)
			}
			return ctx.Err()
		},
		release: func(ctx context.Context) error {
			return client.Eval(ctx, compareAndDelete, []string{c.LockName()}, c.Name()).Err()
		},
	}
}
