package flawed

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/lock/redislocks/internal/polling"
)

// The locks whose value is the time at which they end keep it as milliseconds of Unix
// time, by the holder's clock. The key itself has no expiry: every client decides by
// its own clock whether that time has come.

// stamp returns the value of a lease that is taken now.
func stamp(clock clockwork.Clock, ttl time.Duration) string {
	return strconv.FormatInt(clock.Now().Add(ttl).UnixMilli(), 10)
}

// passed reports whether a time of the store has passed by this clock.
func passed(clock clockwork.Clock, stamp string) (bool, error) {
	at, err := strconv.ParseInt(stamp, 10, 64)
	if err != nil {
		return false, fmt.Errorf("the value of the key is %q, want milliseconds of Unix time; is the key something else's?", stamp)
	}
	return at < clock.Now().UnixMilli(), nil
}

// stampLease is released if the key still has its time.
type stampLease struct {
	client interface {
		polling.Getter
		deleter
	}
	name, stamp string
}

// Release deletes the key if a GET just before showed this lease's time.
func (l *stampLease) Release(ctx context.Context) error {
	value, ok, err := polling.Get(ctx, l.client, l.name)
	switch {
	case err != nil:
		return fmt.Errorf("redislocks: release: %w", err)
	case !ok || value != l.stamp:
		return lock.ErrNotHeld
	}
	if err := l.client.Del(ctx, l.name).Err(); err != nil {
		return fmt.Errorf("redislocks: release: %w", err)
	}
	return nil
}
