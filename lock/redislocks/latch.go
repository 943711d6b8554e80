package redislocks

import (
	"context"
	"crypto/rand"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// Latch is Redisson's RedissonCountDownLatch: a count in Redis, with a message on a
// channel at zero. A waiter subscribes, reads the count, and waits for the message.
//
// Redisson keeps the count alone. Here the hash also records the owners that set it
// and that have counted. So a request that is executed twice because its answer was
// lost counts once, and an owner named by [lock.WithOwner] counts once however
// often it asks.
//
// It guarantees that Wait returns only when the latch has been counted down, or was
// not set, as long as Redis keeps acknowledged writes. What breaks it: a failover
// or a restart that loses the latch opens it (failover-loss, node-restart), and one
// that loses a count leaves it closed. So does the crash of a client that should
// count, since a latch does not expire.
//
// Defaults: waiters look again after 30 s without a message (TTL).
type Latch struct {
	client  redis.Scripter
	name    string
	channel string
	often   time.Duration
	waits   *subscription
}

// NewLatch returns the latch of the given name, which is the key. It keeps a
// connection while a caller waits; Close ends that. It is safe for concurrent use.
func NewLatch(client scriptClient, name string, options Options) *Latch {
	o, channel := options.withDefaults(), scripts.Beside(name, "open")
	waits := newSubscription(client, channel, o.Clock, o.random())
	waits.broadcast = true
	return &Latch{client: client, name: name, channel: channel, often: o.TTL, waits: waits}
}

// TrySet closes the latch if it is open, and reports whether it did.
func (l *Latch) TrySet(ctx context.Context, count int) (bool, error) {
	if count < 1 {
		return false, fmt.Errorf("redislocks: latch: set to %d: want a count of at least 1", count)
	}
	n, err := scripts.LatchSet.Run(ctx, l.client, []string{l.name}, strconv.Itoa(count), rand.Text()).Int()
	if err != nil {
		return false, fmt.Errorf("redislocks: latch: set: %w", err)
	}
	return n == 1, nil
}

// CountDown lowers the count by one.
func (l *Latch) CountDown(ctx context.Context) error {
	who, ok := lock.Owner(ctx)
	if !ok {
		who = rand.Text()
	}
	if err := scripts.LatchCountDown.Run(ctx, l.client, []string{l.name}, who, l.channel).Err(); err != nil {
		return fmt.Errorf("redislocks: latch: count down: %w", err)
	}
	return nil
}

// Count returns the count a moment ago.
func (l *Latch) Count(ctx context.Context) (int, error) {
	n, err := scripts.LatchCount.Run(ctx, l.client, []string{l.name}).Int()
	if err != nil {
		return 0, fmt.Errorf("redislocks: latch: count: %w", err)
	}
	return n, nil
}

// Wait blocks until the latch is open, ctx is done, or the locker is closed.
func (l *Latch) Wait(ctx context.Context) error {
	err := l.waits.await(ctx, rand.Text(), l.often, false, func(ctx context.Context) (answer, error) {
		n, err := l.Count(ctx)
		return answer{held: n == 0, left: -1}, err
	})
	if err != nil {
		return fmt.Errorf("redislocks: latch: wait: %w", err)
	}
	return nil
}

// Close ends the subscription and makes waiters return [lock.ErrClosed].
func (l *Latch) Close() error { return l.waits.Close() }
