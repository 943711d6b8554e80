package flawed

import (
	"context"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
)

// SetNXTimestampDel is the SETNX scheme with a remedy for holders that crash: SETNX
// name end, where end is when the lease ends. A client that finds the lock taken,
// and that time passed by its own clock, deletes the key and sets its own. Articles
// on the SETNX scheme describe it as the mistake that GETSET corrects. It is
// flawed.
//
// Guarantee: a lock whose holder has crashed is free again when its lease has
// ended.
//
// What breaks it: two clients see the same lease ended; the second one's DEL
// removes the key that the first has just set, and both hold the lock, with no
// fault but the crash (scenario holder-crash with four clients or, much sooner,
// three and a delay: mutual-exclusion, owner-only-release). Clocks that differ
// (clock-skew, mutual-exclusion), since what has ended is decided by each
// client's own. A release by DEL, as with [SetNX] (lost-reply,
// owner-only-release).
//
// Options.TTL is how long the lease lasts by its client's clock. Defaults: those of
// [redislocks.SetPX].
type SetNXTimestampDel struct {
	client  timestampClient
	name    string
	options polling.Options
}

type timestampClient interface {
	polling.SetNXer
	polling.Getter
	deleter
}

// NewSetNXTimestampDel returns a locker for the lock of the given name, which is
// the key. It is safe for concurrent use if options.Rand is nil.
func NewSetNXTimestampDel(client timestampClient, name string, options redislocks.Options) *SetNXTimestampDel {
	return &SetNXTimestampDel{client: client, name: name, options: withDefaults(options)}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetNXTimestampDel) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.Spin(ctx, l.try)
}

func (l *SetNXTimestampDel) try(ctx context.Context, _ string, ttl time.Duration) (lock.Lease, error) {
	lease, err := l.set(ctx, ttl)
	if err != nil || lease != nil {
		return lease, err
	}
	end, taken, err := polling.Get(ctx, l.client, l.name)
	if err != nil || !taken {
		return nil, err // gone meanwhile: the next try has it, or not
	}
	if ended, err := passed(l.options.Clock, end); err != nil || !ended {
		return nil, err
	}
	// Here others may have done the same, and set the key anew.
	if err := l.client.Del(ctx, l.name).Err(); err != nil {
		return nil, err
	}
	return l.set(ctx, ttl)
}

// set takes the lock if there is no key.
func (l *SetNXTimestampDel) set(ctx context.Context, ttl time.Duration) (lock.Lease, error) {
	ok, err := l.client.SetNX(ctx, l.name, stamp(l.options.Clock, ttl), 0).Result()
	if err != nil || !ok {
		return nil, err
	}
	return delLease{l.client, l.name}, nil
}
