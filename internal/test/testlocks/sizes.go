package testlocks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// The sized are right as long as a run has the usual size.
var sized = []cell.Lock{
	{ID: "test-third-round", Summary: "counts its acquisitions under a key that it never deletes, and takes the third for one within the first", Subject: cell.Mutex(thirdRound)},
	{ID: "test-short-lease", Summary: "overwrites a value that it has seen for three seconds, since no lease is that long, it thinks", Subject: cell.Mutex(shortLease)},
}

// thirdRound enters by its counter: one that shows more than two is that of a holder, it
// thinks, who takes the lock once more.
func thirdRound(c *cell.Client) lock.Locker {
	client := connect(c)
	count := c.LockName() + ":" + c.Name()
	return locker{
		acquire: func(ctx context.Context) error {
			n, err := client.Incr(ctx, count).Result()
			if err != nil || n > 2 {
				return err
			}
			return spin(ctx, c, client, c.TTL(), steady)
		},
		release: func(ctx context.Context) error {
			return deleteNamed.Run(ctx, client, []string{c.LockName()}, c.Name()).Err()
		},
	}
}

// deleteNamed deletes a key that has the caller's name.
var deleteNamed = redis.NewScript(`if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`)

// shortLease takes a value that has been there for three seconds for that of a dead holder in a
// store that has forgotten its expiry.
func shortLease(c *cell.Client) lock.Locker {
	client := connect(c)
	const tooLong = 3 * time.Second
	n, mine := 0, ""
	return locker{
		acquire: func(ctx context.Context) error {
			n++
			mine = fmt.Sprint(c.Name(), "#", n)
			seen, since := "", time.Time{}
			for ctx.Err() == nil {
				ok, err := client.SetNX(ctx, c.LockName(), mine, c.TTL()).Result()
				if err != nil || ok {
					return err
				}
				value, err := client.Get(ctx, c.LockName()).Result()
				switch {
				case err != nil && !errors.Is(err, redis.Nil):
					return err
				case value != seen:
					seen, since = value, c.Clock().Now()
				case c.Clock().Since(since) > tooLong:
					return client.Set(ctx, c.LockName(), mine, c.TTL()).Err()
				}
				c.Clock().Sleep(steady())
			}
			return ctx.Err()
		},
		release: func(ctx context.Context) error {
			return deleteNamed.Run(ctx, client, []string{c.LockName()}, mine).Err()
		},
	}
}
