package flawed

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// CheckSubscribe is a lock whose waiters sleep until a Pub/Sub message announces a release. A
// waiter checks whether the lock is free, and then subscribes. It is flawed.
//
// Guarantee: that of [redislocks.SetPX]. A waiter that has missed a message sleeps until the
// lease was to end that it has seen. It looks again when its subscription was made anew, since
// messages may have been lost with the connection.
//
// What breaks it: it does not look again when it is subscribed for the first time. A release
// between its check and its subscription publishes a message that it does not get, and it
// sleeps for a whole lease beside a free lock (lost-wakeup: bounded-wakeup). And all that
// breaks SetPX.
//
// Commands: acquire 1, and one and a subscription for each wait; release 1. Defaults: those of
// SetPX.
type CheckSubscribe struct {
	client        subscribing
	name, channel string
	options       polling.Options
}

// subscribing is what locks need whose waiters are woken by messages.
type subscribing interface {
	redis.Scripter
	Subscribe(ctx context.Context, channels ...string) *redis.PubSub
}

// NewCheckSubscribe returns a locker for the lock of the given name, which is the key. It is
// safe for concurrent use if options.Rand is nil.
func NewCheckSubscribe(client subscribing, name string, options redislocks.Options) *CheckSubscribe {
	return &CheckSubscribe{client: client, name: name, channel: scripts.Beside(name, "free"), options: withDefaults(options)}
}

// Acquire waits until the lock is held or ctx is done. Any error leaves open whether the lock
// was taken.
func (l *CheckSubscribe) Acquire(ctx context.Context) (lock.Lease, error) {
	lease := &checkSubscribeLease{lock: l, holder: rand.Text(), ttl: scripts.Millis(lock.TTL(ctx, l.options.TTL))}
	for {
		left, err := scripts.ReentrantAcquire.Run(ctx, l.client, []string{l.name}, lease.ttl, lease.holder, 1).Int64()
		if err == nil && left != scripts.Had {
			err = l.await(ctx, time.Duration(left+1)*time.Millisecond)
		}
		if err != nil {
			return nil, fmt.Errorf("redislocks: acquire: %w", err)
		}
		if left == scripts.Had {
			return lease, nil
		}
	}
}

// await waits for a message, but no longer than the lease is to last.
func (l *CheckSubscribe) await(ctx context.Context, most time.Duration) error {
	messages := l.client.Subscribe(ctx, l.channel)
	defer func() { _ = messages.Close() }()
	const glance = 250 * time.Millisecond // and then look at the context
	end, subscribed := l.options.Clock.Now().Add(most), false
	for ctx.Err() == nil && l.options.Clock.Now().Before(end) {
		message, err := messages.ReceiveTimeout(ctx, min(glance, end.Sub(l.options.Clock.Now())))
		_, confirmed := message.(*redis.Subscription)
		var timeout net.Error
		switch {
		case err == nil && confirmed && !subscribed:
			subscribed = true // the flaw: it does not look again
		case err == nil:
			return nil
		case !errors.As(err, &timeout) || !timeout.Timeout():
			return l.options.Rest(ctx) // and look again
		}
	}
	return ctx.Err()
}

type checkSubscribeLease struct {
	lock   *CheckSubscribe
	holder string
	ttl    int64 // in milliseconds
}

// Release deletes the key if it is still this acquisition's, and publishes that.
func (l *checkSubscribeLease) Release(ctx context.Context) error {
	err := scripts.ReentrantRelease.Run(ctx, l.lock.client, []string{l.lock.name}, l.ttl, l.holder, 0, l.lock.channel).Err()
	switch {
	case errors.Is(err, redis.Nil):
		return lock.ErrNotHeld
	case err != nil:
		return fmt.Errorf("redislocks: release: %w", err)
	}
	return nil
}
