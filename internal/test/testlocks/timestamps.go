package testlocks

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	mrand "math/rand"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// timestamps are locks that differ in what the value is made of by which a holder
// knows its lock. Those that are made of the time alone are not unique where two
// processes see the same; in a simulation no two ever do.
var timestamps = []cell.Lock{
	{ID: "test-token-nanoseconds", Summary: "its value is the time in nanoseconds", Subject: cell.Mutex(token(func(*cell.Client) func() string {
		return func() string { return fmt.Sprint(time.Now().UnixNano()) }
	}))},
	{ID: "test-token-seeded", Summary: "its value is a random number that is seeded with the time", Subject: cell.Mutex(token(func(*cell.Client) func() string {
		source := mrand.New(mrand.NewSource(time.Now().UnixNano()))
		return func() string { return fmt.Sprintf("%x", source.Int63()) }
	}))},
	{ID: "test-token-named", Summary: "its value is the time in nanoseconds and the name of the process", Subject: cell.Mutex(token(func(c *cell.Client) func() string {
		return func() string { return fmt.Sprint(c.Name(), "-", time.Now().UnixNano()) }
	}))},
	{ID: "test-token-random", Summary: "its value is a random number", Subject: cell.Mutex(token(func(*cell.Client) func() string {
		return rand.Text
	}))},
	{ID: "test-end-by-package-time", Summary: "sends the end of its lease, by package time", Subject: cell.Mutex(endsAt(func(*cell.Client) time.Time { return time.Now() }))},
	{ID: "test-end-by-clock", Summary: "sends the end of its lease, by the clock of its process", Subject: cell.Mutex(endsAt(func(c *cell.Client) time.Time { return c.Clock().Now() }))},
}

// endsAt returns a lock by SET NX PXAT.
func endsAt(now func(*cell.Client) time.Time) func(*cell.Client) lock.Locker {
	return func(c *cell.Client) lock.Locker {
		client, value := connect(c), ""
		return locker{
			acquire: func(ctx context.Context) error {
				for ctx.Err() == nil {
					mine := rand.Text()
					err := client.Do(ctx, "SET", c.LockName(), mine, "NX", "PXAT", now(c).Add(c.TTL()).UnixMilli()).Err()
					if err == nil {
						value = mine
					}
					if !errors.Is(err, redis.Nil) {
						return err
					}
					c.Clock().Sleep(steady())
				}
				return ctx.Err()
			},
			release: func(ctx context.Context) error {
				return client.Eval(ctx, compareAndDelete, []string{c.LockName()}, value).Err()
			},
		}
	}
}

// token returns a lock by SET NX and a script that compares and deletes.
func token(source func(*cell.Client) func() string) func(*cell.Client) lock.Locker {
	return func(c *cell.Client) lock.Locker {
		client, draw := connect(c), source(c)
		value := "" // of the thread that holds it
		return locker{
			acquire: func(ctx context.Context) error {
				for ctx.Err() == nil {
					mine := draw()
					ok, err := client.SetNX(ctx, c.LockName(), mine, c.TTL()).Result()
					if ok {
						value = mine
					}
					if ok || err != nil {
						return err
					}
					c.Clock().Sleep(steady())
				}
				return ctx.Err()
			},
			release: func(ctx context.Context) error {
				gone, err := client.Eval(ctx, compareAndDelete, []string{c.LockName()}, value).Bool()
				if err == nil && !gone {
					err = lock.ErrNotHeld
				}
				return err
			},
		}
	}
}
