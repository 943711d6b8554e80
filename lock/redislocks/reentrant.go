package redislocks

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// Reentrant is Redisson's lock as the Chinese literature describes it: a hash with
// one field, the holder's, whose value is its number of entries, a script to take
// the lock, and one to give it up, which publishes on a channel when the lock is
// free.
//
// A client that finds it taken subscribes to the channel, tries again, and waits
// for a message or for the end of the present lease, whichever is first. A locker
// has one subscription for all waiters; a message wakes one of them. While it
// cannot subscribe it tries again after a pause, as [SetPX] does.
//
// The owner that [lock.WithOwner] names may take the lock again while it holds it:
// the hash counts entries, each acquisition has a lease of its own, and the last
// release frees the lock. Leases and calls of one owner are used one at a time.
// Taking it again never shortens the lease; in Redisson it does.
//
// Two things differ from Redisson. The holder's field is new for each hold, so that
// a lease that was lost and taken again by the same owner is not mistaken for the
// old one. And the scripts set the count to a given value, where Redisson's count
// up and down: there a request that the client sends twice because the answer was
// lost counts twice.
//
// It guarantees mutual exclusion as long as holders respect Until, Redis keeps
// acknowledged writes, and its clock does not jump. What breaks it: a pause after
// the check of Until (scenario gc-pause, property overrun), a failover that loses
// the acquisition (failover-loss, mutual-exclusion), a restart without the data
// (node-restart), a clock of the server's that jumps ahead (server-clock-jump). A
// request to take the lock that arrives after the clean-up leaves it taken until
// its TTL (hung-node, late-orphan).
//
// Commands: acquire 1 a try, release 1. Without contention the server executes 7
// for both, including those of their scripts. A release wakes one waiter of each
// process.
//
// Defaults: a lease of 30 s.
type Reentrant struct{ *reentry }

type scriptClient interface {
	redis.Scripter
	subscriber
}

// NewReentrant returns a locker for the lock of the given name, which is the key;
// the channel is "{name}:released". It keeps a connection while a caller waits;
// Close ends that. It is safe for concurrent use.
func NewReentrant(client scriptClient, name string, options Options) *Reentrant {
	options = options.withDefaults()
	channel := scripts.Beside(name, "released")
	return &Reentrant{newReentry(
		&reentrantStore{client: client, keys: []string{name}, channel: channel},
		newSubscription(client, channel, options.Clock, options.random()),
		rand.Text(), options,
	)}
}

// reentrantStore is a hash with the holder's count.
type reentrantStore struct {
	client  redis.Scripter
	keys    []string // the lock is the first; a store that embeds this may have others
	channel any      // a string, made an argument once
}

func (s *reentrantStore) take(ctx context.Context, holder string, count int, ttl time.Duration) (answer, error) {
	return taken(scripts.ReentrantAcquire.Run(ctx, s.client, s.keys, scripts.Millis(ttl), holder, count))
}

func (s *reentrantStore) give(ctx context.Context, holder string, count int, ttl time.Duration) (bool, error) {
	return given(scripts.ReentrantRelease.Run(ctx, s.client, s.keys, scripts.Millis(ttl), holder, count, s.channel))
}

func (s *reentrantStore) renew(ctx context.Context, holder string, ttl time.Duration) (bool, error) {
	n, err := scripts.ReentrantRenew.Run(ctx, s.client, s.keys[:1], scripts.Millis(ttl), holder).Int()
	return n == 1, err
}

func (s *reentrantStore) has(ctx context.Context, holder string) (bool, error) {
	return scripts.ReentrantHas.Run(ctx, s.client, s.keys[:1], holder).Bool()
}

func (s *reentrantStore) abandon(ctx context.Context, holder string) error {
	_, err := s.give(ctx, holder, 0, time.Millisecond)
	return err
}

// taken returns the answer of a script that takes the lock: [scripts.Had], or for how many
// milliseconds another has it.
func taken(reply *redis.Cmd) (answer, error) {
	left, err := reply.Int64()
	switch {
	case err != nil:
		return answer{}, err
	case left == scripts.Had:
		return answer{held: true}, nil
	}
	return answer{left: time.Duration(left) * time.Millisecond}, nil
}

// given returns the answer of a script that gives the lock up: a nil reply means that
// the holder had nothing.
func given(reply *redis.Cmd) (bool, error) {
	_, err := reply.Int64()
	if errors.Is(err, redis.Nil) {
		return false, nil
	}
	return err == nil, err
}
