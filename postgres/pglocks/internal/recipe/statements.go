package recipe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/lock"
)

// A Runner runs statements: a pool, or one connection.
type Runner interface {
	Exec(ctx context.Context, query string, args ...any) (pgconn.CommandTag, error)
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// Exec runs a statement and returns the number of rows that it changed. It gives up after the patience, by
// the lock's clock.
func (o *Options) Exec(ctx context.Context, on Runner, query string, args ...any) (changed int64, err error) {
	err = o.Within(ctx, o.Patience, func(ctx context.Context) error {
		tag, err := on.Exec(ctx, query, args...)
		changed = tag.RowsAffected()
		return err
	})
	return changed, err
}

// Row reads the only row of a query. It gives up after the patience. [NoRows] says of its error whether
// there is none.
func (o *Options) Row(ctx context.Context, on Runner, into []any, query string, args ...any) error {
	return o.Within(ctx, o.Patience, func(ctx context.Context) error {
		return on.QueryRow(ctx, query, args...).Scan(into...)
	})
}

// Within makes a call with a context that ends after d by the lock's clock.
func (o *Options) Within(ctx context.Context, d time.Duration, call func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer o.Clock.AfterFunc(d, cancel).Stop()
	return call(ctx)
}

// Persist tries until try is done, ctx is done, or an error occurs after which a retry cannot help. Try's
// open is set if the outcome of an earlier try is unknown. Persist returns whether the outcome of any try is.
func (o *Options) Persist(ctx context.Context, try func(open bool) (done bool, err error)) (open bool, err error) {
	for {
		done, err := try(open)
		if err == nil && done {
			return open, nil
		}
		open = open || Unanswered(err)
		if err == nil || Again(err) && ctx.Err() == nil {
			err = o.Rest(ctx)
		}
		if err != nil {
			return open, err
		}
	}
}

// A GiveBack is a statement that gives a lock back. It has one row, or changes one, if its holder had the
// lock, and can be repeated.
type GiveBack struct {
	Statement string
	Args      []any
}

// errOpen is the error of a lock that is gone for an unknown reason.
var errOpen = errors.New("the lock is gone: an earlier statement to release it, which was not answered, has ended it, or it had ended before")

// Release runs the statement until it is answered or ctx is done, and then in the background. It returns
// [lock.ErrNotHeld] if the lock was not held any more, and another error if it is open whether an earlier
// try has released it.
func (o *Options) Release(ctx context.Context, on Runner, g GiveBack) error {
	_, err := o.Persist(ctx, func(open bool) (bool, error) {
		n, err := o.Exec(ctx, on, g.Statement, g.Args...)
		switch {
		case err != nil || n > 0:
		case !open:
			err = lock.ErrNotHeld
		default:
			err = errOpen
		}
		return err == nil, err
	})
	switch {
	case err == nil || errors.Is(err, lock.ErrNotHeld):
		return err
	case errors.Is(err, errOpen):
		return LockError("release", err)
	}
	o.Afterwards(on, g)
	return LockError("release", err)
}

// Afterwards runs the statement in the background, until it is answered or the pool is closed.
func (o *Options) Afterwards(on Runner, g GiveBack) {
	o.Clock.AfterFunc(0, func() {
		ctx := context.Background()
		_, _ = o.Persist(ctx, func(bool) (bool, error) { // nobody waits for the error
			_, err := o.Exec(ctx, on, g.Statement, g.Args...)
			return err == nil, err
		})
	})
}

// Connect returns a connection of the pool, which the caller gives back.
func Connect(ctx context.Context, pool *pgxpool.Pool, o *Options) (conn *pgxpool.Conn, err error) {
	err = o.Within(ctx, o.TTL, func(ctx context.Context) (err error) {
		conn, err = pool.Acquire(ctx)
		return err
	})
	return conn, err
}

// Discard closes a connection of the pool, and with it the transaction and the locks that it has.
func Discard(conn *pgxpool.Conn) {
	Close(conn.Conn())
	conn.Release() // the pool notices that it is closed
}

// Dial makes a connection beside those of the pool.
func (o *Options) Dial(ctx context.Context, pool *pgxpool.Pool) (conn *pgx.Conn, err error) {
	err = o.Within(ctx, o.TTL, func(ctx context.Context) (err error) {
		conn, err = pgx.ConnectConfig(ctx, pool.Config().ConnConfig)
		return err
	})
	return conn, err
}

// Close closes a connection.
func Close(conn *pgx.Conn) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_ = conn.Close(ctx) // it is closed whatever the error
}

// milliseconds returns a time in the unit of the server's time-outs, rounded up.
func milliseconds(d time.Duration) int64 {
	return int64((d + time.Millisecond - 1) / time.Millisecond)
}

// limits returns statements that set time-outs of the session, or of the transaction if local is set.
func limits(local bool, idle string, ttl time.Duration) string {
	scope := map[bool]string{true: "LOCAL", false: "SESSION"}[local]
	return fmt.Sprintf(`SET %s %s = %d; SET %s lock_timeout = %d`, scope, idle, milliseconds(ttl), scope, milliseconds(ttl))
}
