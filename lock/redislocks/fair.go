package redislocks

import (
	"context"
	"crypto/rand"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// Fair is [Reentrant] that is granted to waiters in the order in which they came,
// like Redisson's RedissonFairLock: an owner that finds the lock taken joins a
// queue, and only the first may take a free lock. A release wakes the first one by
// name, and no other.
//
// A waiter asks again from time to time: the first of the queue is skipped when it
// has not asked for Patience. Redisson instead adds up the patience of all waiters
// ahead, by the clients' clocks, and drops a waiter after that time; here the
// server's clock counts, and a live waiter keeps its place.
//
// It guarantees what Reentrant does, and fair-order: of the owners that have asked,
// the first gets it, unless it did not ask again in time. What breaks it: a
// failover or a restart that loses the lock gives it two holders (failover-loss,
// node-restart: mutual-exclusion), and one that loses the queue loses the order
// (failover-loss: fair-order); a waiter that pauses for longer than Patience loses
// its place. What breaks Reentrant breaks it as well. If the first waiter crashes,
// the others wait for up to Patience and a third of it; so they do if it gives up
// and its clean-up does not reach the server. TryAcquire takes the lock only if the
// queue is empty, and does not queue.
//
// Commands: acquire 1 or, after waiting, 2 and 1 for each time that it asks again;
// release 1. Without contention the server executes 7 for both, including those of
// their scripts.
//
// Defaults: a lease of 30 s, Patience as long as that.
type Fair struct{ *reentry }

// FairOptions are the options of [Fair].
type FairOptions struct {
	Options
	// Patience is how long a silent waiter keeps its place (default: the TTL).
	// Waiters ask again every third of it.
	Patience time.Duration
}

// NewFair returns a locker for the lock of the given name, which is the key; the
// queue is "{name}:queue", and "{name}:patience" its times. It keeps a connection
// while a caller waits; Close ends that. It is safe for concurrent use.
func NewFair(client scriptClient, name string, options FairOptions) *Fair {
	o := options.withDefaults()
	if options.Patience == 0 {
		options.Patience = o.TTL
	}
	channel, id := scripts.Beside(name, "released"), rand.Text()
	l := newReentry(&fairStore{
		reentrantStore: reentrantStore{
			client: client, channel: channel,
			keys: []string{name, scripts.Beside(name, "queue"), scripts.Beside(name, "patience")},
		},
		patience: scripts.Millis(max(options.Patience, 3*time.Millisecond)),
	}, newSubscription(client, channel+":"+id, o.Clock, o.random()), id, o)
	l.named, l.often = true, options.Patience/3
	return &Fair{l}
}

// fairStore is a reentrantStore with a queue. Its renewal is the same, of the
// first of the keys.
type fairStore struct {
	reentrantStore
	patience any // milliseconds, made an argument once
}

func (s *fairStore) take(ctx context.Context, holder string, count int, ttl time.Duration) (answer, error) {
	return taken(s.run(ctx, scripts.FairAcquire, ttl, holder, count, s.patience))
}

func (s *fairStore) try(ctx context.Context, holder string, count int, ttl time.Duration) (answer, error) {
	return taken(s.run(ctx, scripts.FairAcquire, ttl, holder, count, "0"))
}

func (s *fairStore) give(ctx context.Context, holder string, count int, ttl time.Duration) (bool, error) {
	return given(s.run(ctx, scripts.FairRelease, ttl, holder, count, s.channel))
}

func (s *fairStore) abandon(ctx context.Context, holder string) error {
	_, err := s.give(ctx, holder, 0, time.Millisecond)
	return err
}

func (s *fairStore) run(ctx context.Context, script *redis.Script, ttl time.Duration, holder string, count int, last any) *redis.Cmd {
	return script.Run(ctx, s.client, s.keys, scripts.Millis(ttl), holder, count, last)
}
