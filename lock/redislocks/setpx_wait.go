package redislocks

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/scripts"
)

// SetPXWait is [SetPX] that succeeds only when replicas have the lock, too: SET NX
// PX, and WAIT for their acknowledgements. If too few come in time, it deletes its
// key and tries again. Redis's documentation of WAIT describes its use, and says
// that it is no consensus.
//
// It guarantees what SetPX does, and survives a failover to a replica that has
// acknowledged the lock. With one replica that is every failover; with more
// replicas than requested acknowledgements it is not: a replica without the lock
// may be promoted (setpx-wait-one-of-two in failover-loss, mutual-exclusion), and a
// primary that has been replaced may still be followed by others. WAIT makes no
// consensus of Redis.
//
// What breaks it is otherwise what breaks SetPX: a pause beyond the TTL (scenario
// gc-pause, property mutual-exclusion), late answers (late-reply), a restart
// (node-restart), and a clock that jumps (server-clock-jump). A primary that hangs for
// longer than WAIT waits counts no replica when it goes on, so that Acquire tries again.
//
// While too few replicas are up no client gets the lock. Others see the key before the
// replicas have acknowledged it, and until it is deleted. A release does not wait for
// replicas: a failover that loses it leaves the lock taken until its TTL.
//
// A primary with min-replicas-to-write that has lost its replicas answers NOREPLICAS,
// which is a refusal: it has not taken the lock, and Acquire tries again. One that
// answers so to a release keeps the lock until its TTL, or until it has its
// replicas again (setpx-wait-min-replicas).
//
// Commands: acquire 2 a try, in one pipeline, and 1 more if too few acknowledge;
// release 1. Defaults: those of SetPX and of [WaitOptions].
type SetPXWait struct {
	client  setPXWaitClient
	name    string
	options WaitOptions
}

// WaitOptions are the options of [SetPXWait].
type WaitOptions struct {
	Options
	// Replicas is the number of replicas that must have the lock (default 1).
	Replicas int
	// Timeout is how long a try waits for them (default 1 s). It is at most half
	// the TTL, so that some of the lease is left, and at most half the client's
	// ReadTimeout if the client's Options have it: go-redis would take a longer
	// wait for a lost reply, send the request again, and find the lock taken by
	// itself. For other clients the ReadTimeout must be well above it.
	Timeout time.Duration
}

type setPXWaitClient interface {
	redis.Scripter
	Pipelined(ctx context.Context, f func(redis.Pipeliner) error) ([]redis.Cmder, error)
}

// NewSetPXWait returns a locker for the lock of the given name, which is the
// key. It is safe for concurrent use if options.Rand is nil.
func NewSetPXWait(client setPXWaitClient, name string, options WaitOptions) *SetPXWait {
	options.Options = options.withDefaults()
	if options.Replicas == 0 {
		options.Replicas = 1
	}
	if options.Timeout == 0 {
		options.Timeout = time.Second
	}
	if c, ok := client.(interface{ Options() *redis.Options }); ok {
		if patience := c.Options().ReadTimeout; patience > 0 {
			options.Timeout = min(options.Timeout, patience/2)
		}
	}
	return &SetPXWait{client: client, name: name, options: options}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetPXWait) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.spin(ctx, l.try)
}

// noReplicas begins the error of a primary that refuses writes because it has not heard of enough replicas lately.
const noReplicas = "NOREPLICAS "

// try sends one pipeline, because WAIT counts for the writes of its own connection: two
// commands of a pool may use two connections, and on a connection of its own (Conn) a
// WAIT that go-redis repeats after a reconnect would have no write. A pipeline is
// repeated as a whole. It must not be a MULTI, in which WAIT does not wait.
func (l *SetPXWait) try(ctx context.Context, value string, ttl time.Duration) (lock.Lease, error) {
	// Not zero, which means for ever.
	patience := max(min(l.options.Timeout, ttl/2), time.Millisecond)
	var set *redis.BoolCmd
	var wait *redis.Cmd
	_, err := l.client.Pipelined(ctx, func(p redis.Pipeliner) error {
		set = p.SetNX(ctx, l.name, value, ttl)
		wait = p.Do(ctx, "wait", l.options.Replicas, patience.Milliseconds()) // Pipeliner has no Wait
		return nil
	})
	if set.Err() != nil && strings.HasPrefix(set.Err().Error(), noReplicas) {
		return nil, nil
	}
	if !set.Val() {
		return nil, err
	}
	if err == nil {
		var have int
		if have, err = wait.Int(); err == nil && have >= l.options.Replicas {
			return &scripts.Lease{Client: l.client, Name: l.name, Value: value}, nil
		}
	}
	// The key is ours and may not stay, even if ctx is done meanwhile.
	undo := scripts.Delete(context.WithoutCancel(ctx), l.client, l.name, value)
	if err == nil && !errors.Is(undo, lock.ErrNotHeld) {
		err = undo
	}
	return nil, err
}
