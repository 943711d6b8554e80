package flawed

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
)

// SetNX is the SETNX scheme that articles on Redis locks begin with: SETNX name
// now, and DEL name. It is flawed.
//
// Guarantee: two clients never hold it at once as long as every holder lives,
// releases once, and every answer arrives; the key has no expiry.
//
// What breaks it: a holder that crashes leaves it locked for ever (scenario
// holder-crash, property progress); so does an Acquire whose answer is lost,
// because go-redis sends it again and finds the lock taken by itself (lost-reply,
// progress). The DEL does not check the value: a Release whose answer is lost is
// sent again and removes a lock that is another's by then (lost-reply,
// owner-only-release).
//
// Commands: acquire 1 a try, release 1. Defaults: pauses of 100 to 200 ms.
// Options.TTL is not used. The value is the time of the acquisition, for the
// reader.
type SetNX struct {
	client  setNXClient
	name    string
	options polling.Options
}

type setNXClient interface {
	polling.SetNXer
	deleter
}

type deleter interface {
	Del(ctx context.Context, keys ...string) *redis.IntCmd
}

// NewSetNX returns a locker for the lock of the given name, which is the key.
// It is safe for concurrent use if options.Rand is nil.
func NewSetNX(client setNXClient, name string, options redislocks.Options) *SetNX {
	return &SetNX{client: client, name: name, options: withDefaults(options)}
}

// Acquire tries until the lock is held or ctx is done. Any error leaves open
// whether the lock was taken.
func (l *SetNX) Acquire(ctx context.Context) (lock.Lease, error) {
	return l.options.Spin(ctx, func(ctx context.Context, _ string, _ time.Duration) (lock.Lease, error) {
		now := strconv.FormatInt(l.options.Clock.Now().Unix(), 10)
		ok, err := l.client.SetNX(ctx, l.name, now, 0).Result()
		if err != nil || !ok {
			return nil, err
		}
		return delLease{l.client, l.name}, nil
	})
}

// delLease is released by DEL, without a check of the key's value.
type delLease struct {
	client deleter
	name   string
}

// Release deletes the key without checking its value. It returns ErrNotHeld if
// there is none.
func (l delLease) Release(ctx context.Context) error {
	n, err := l.client.Del(ctx, l.name).Result()
	switch {
	case err != nil:
		return fmt.Errorf("redislocks: release: %w", err)
	case n == 0:
		return lock.ErrNotHeld
	}
	return nil
}
