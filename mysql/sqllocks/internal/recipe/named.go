package recipe

import (
	"context"
	"database/sql"
	"math"
	"time"

	"github.com/lockpick-dev/lockpick/lock"
)

// Seconds returns a time in the unit of the server's time-outs, rounded up.
func Seconds(d time.Duration) int64 { return int64(math.Ceil(d.Seconds())) }

// GetLock asks for a named lock, and waits for it for some seconds. It reports whether the
// server has granted it.
func (o *Options) GetLock(ctx context.Context, on Runner, name string, wait int64) (held bool, err error) {
	var got sql.NullInt64
	err = o.Within(ctx, time.Duration(wait)*time.Second+o.Patience, func(ctx context.Context) error {
		return on.QueryRowContext(ctx, `SELECT GET_LOCK(?, ?)`, name, wait).Scan(&got)
	})
	return err == nil && got.Int64 == 1, err
}

// ReleaseLock releases a named lock. It returns [lock.ErrNotHeld] if the connection that ran
// the statement did not have it.
func (o *Options) ReleaseLock(ctx context.Context, on Runner, name string) error {
	var released sql.NullInt64
	err := o.Row(ctx, on, []any{&released}, `SELECT RELEASE_LOCK(?)`, name)
	switch {
	case err != nil:
		return LockError("release", err)
	case released.Int64 != 1:
		return lock.ErrNotHeld
	}
	return nil
}
