// Package cache fills a cache that several servers share. A lock keeps most of them from computing what
// another computes already.
package cache

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"
)

// Cache is one entry.
type Cache struct {
	Redis   *redis.Client
	TTL     time.Duration // of the lock
	Sleep   func(time.Duration)
	Compute func() string
	// Again is called if the entry was there already when the value was stored: it was computed twice.
	Again func()
}

// Get is the entry's value, which it computes if it is not there.
func (c *Cache) Get(ctx context.Context) (string, error) {
	for ctx.Err() == nil {
		value, err := c.Redis.Get(ctx, "entry").Result()
		if err == nil {
			return value, nil
		}
		if errors.Is(err, redis.Nil) {
			if mine, err := c.Redis.SetNX(ctx, "entry:lock", "x", c.TTL).Result(); err == nil && mine {
				value := c.Compute()
				_, err := c.Redis.SetArgs(ctx, "entry", value, redis.SetArgs{Get: true}).Result()
				if err == nil {
					c.Again()
				}
				if err == nil || errors.Is(err, redis.Nil) {
					return value, nil
				}
			}
		}
		c.Sleep(50 * time.Millisecond)
	}
	return "", ctx.Err()
}
