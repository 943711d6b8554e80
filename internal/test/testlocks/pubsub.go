package testlocks

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
)

// subscribers are locks that wait for word of a release as go-redis's documentation
// has it: Subscribe, Channel, and a deferred Close.
var subscribers = []cell.Lock{
	{ID: "test-pubsub", Summary: "waits on a channel of go-redis's Pub/Sub", Subject: cell.Mutex(subscribing)},
}

func subscribing(c *cell.Client) lock.Locker {
	s := &subscriber{client: c, redis: connect(c)}
	return locker{acquire: s.acquire, release: s.release}
}

type subscriber struct {
	client *cell.Client
	redis  *redis.Client
}

func (s *subscriber) acquire(ctx context.Context) error {
	sub := s.redis.Subscribe(ctx, s.client.LockName()+":released")
	defer sub.Close()
	released := sub.Channel()
	for {
		ok, err := s.redis.SetNX(ctx, s.client.LockName(), s.client.Name(), s.client.TTL()).Result()
		if err != nil || ok {
			return err
		}
		select {
		case <-released:
		case <-time.After(s.client.TTL() / 10):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// release deletes the key if it is still this client's, and notifies the waiters.
func (s *subscriber) release(ctx context.Context) error {
	const script = `if redis.call("GET", KEYS[1]) ~= ARGV[1] then return 0 end
redis.call("DEL", KEYS[1])
redis.call("PUBLISH", KEYS[1] .. ":released", "")
return 1`
	return s.redis.Eval(ctx, script, []string{s.client.LockName()}, s.client.Name()).Err()
}
