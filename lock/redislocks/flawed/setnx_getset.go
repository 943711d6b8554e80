package flawed

import (
	"context"
	"errors"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
)

// SetNXGetSet is the SETNX scheme with GETSET, as Redis's own documentation had it
// before SET could do NX and PX at once, and as articles still describe it: SETNX
// name end. A client that finds the lock taken, and its end passed by its own
// clock, writes its own end with GETSET and has the lock if GETSET returns the
// value that GET had shown. If GET finds nothing it starts over with SETNX; if
// GETSET finds nothing, it has the lock. Release is GET, compare, DEL. It is
// flawed.
//
// Guarantee: of several clients that see the same lease ended, one gets the lock,
// as long as their clocks agree.
//
// What breaks it: clocks that differ (scenario clock-skew, property
// mutual-exclusion). The release in two steps may delete what another took over in
// between (two-step-release, owner-only-release); so may one of a lease whose end
// is of the same millisecond as another's (hung-node, owner-only-release). The
// loser's GETSET overwrites the winner's end, so that the winner does not recognize
// its own lock and cannot release it: the lock stays taken until that end (gc-pause
// with six clients; no property forbids it). The tests of scenarios search for the
// last two, and those of this package set them up.
//
// Options.TTL is how long the lease lasts by its client's clock. Defaults: those of
// [redislocks.SetPX].
type SetNXGetSet struct {
	client  getSetClient
	name    string
	options polling.Options
	// nilFails takes a GETSET that finds nothing for a failure.
	nilFails bool
}

type getSetClient interface {
	timestampClient
	GetSet(ctx context.Context, key string, value any) *redis.StringCmd
}

// NewSetNXGetSet returns a locker for the lock of the given name, which is the
// key. It is safe for concurrent use if options.Rand is nil.
func NewSetNXGetSet(client getSetClient, name string, options redislocks.Options) *SetNXGetSet {
	return &SetNXGetSet{client: client, name: name, options: withDefaults(options)}
}

// NewSetNXGetSetNil is [NewSetNXGetSet] with the mistake that articles on the
// scheme warn of: it takes the lock only if GETSET returns the value that GET had
// shown. If the lease was released in between, GETSET finds no value, and the
// client takes that for a failure. But its GETSET has set the key: the client has
// locked itself, and everybody else, out until the end that it wrote there. The
// window for that is one round trip, which is hit where leases end about when they
// are released (contention with a lease of 430 ms; no property forbids it). What
// else breaks it is as with SetNXGetSet.
func NewSetNXGetSetNil(client getSetClient, name string, options redislocks.Options) *SetNXGetSet {
	l := NewSetNXGetSet(client, name, options)
	l.nilFails = true
	return l
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetNXGetSet) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.Spin(ctx, l.try)
}

func (l *SetNXGetSet) try(ctx context.Context, _ string, ttl time.Duration) (lock.Lease, error) {
	own := stamp(l.options.Clock, ttl)
	mine := &stampLease{l.client, l.name, own}
	switch ok, err := l.client.SetNX(ctx, l.name, own, 0).Result(); {
	case err != nil:
		return nil, err
	case ok:
		return mine, nil
	}
	end, taken, err := polling.Get(ctx, l.client, l.name)
	if err != nil || !taken {
		return nil, err // released meanwhile: start over
	}
	if ended, err := passed(l.options.Clock, end); err != nil || !ended {
		return nil, err
	}
	before, err := l.client.GetSet(ctx, l.name, own).Result()
	switch {
	case errors.Is(err, redis.Nil) && !l.nilFails:
		return mine, nil
	case errors.Is(err, redis.Nil):
		return nil, nil
	case err != nil || before != end:
		return nil, err
	}
	return mine, nil
}
