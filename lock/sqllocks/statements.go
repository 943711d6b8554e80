package sqllocks

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/lock"
)

// A runner runs statements: a pool, or one connection.
type runner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// exec runs a statement and returns how many rows it has changed. It gives up after the
// patience, by the lock's clock.
func (o *Options) exec(ctx context.Context, on runner, query string, args ...any) (changed int64, err error) {
	changed, _, err = o.execID(ctx, on, query, args...)
	return changed, err
}

// execID is exec that returns also what LAST_INSERT_ID was set to.
func (o *Options) execID(ctx context.Context, on runner, query string, args ...any) (changed, id int64, err error) {
	err = o.within(ctx, o.Patience, func(ctx context.Context) error {
		result, err := on.ExecContext(ctx, query, args...)
		if err != nil {
			return err
		}
		changed, _ = result.RowsAffected() // the driver has them from the answer
		id, _ = result.LastInsertId()
		return nil
	})
	return changed, id, err
}

// row reads the only row of a query. It gives up after the patience. There is an
// [sql.ErrNoRows] if there is none.
func (o *Options) row(ctx context.Context, on runner, into []any, query string, args ...any) error {
	return o.within(ctx, o.Patience, func(ctx context.Context) error {
		return on.QueryRowContext(ctx, query, args...).Scan(into...)
	})
}

// within calls something with a context that ends after a while by the lock's clock.
func (o *Options) within(ctx context.Context, d time.Duration, call func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer o.Clock.AfterFunc(d, cancel).Stop()
	return call(ctx)
}

// The numbers of the errors that are expected (MySQL Reference Manual, "Server Error
// Message Reference").
const (
	duplicateKey = 1062
	waitTimeout  = 1205 // of a row lock: the statement is undone, its transaction is not
	deadlock     = 1213 // the transaction is undone
	interrupted  = 1317
)

// number is that of the server's error, 0 if it is none of the server's.
func number(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// unanswered reports whether it is open what became of a statement: its connection has
// failed, or it was given up.
func unanswered(err error) bool {
	var refused errRefused
	if errors.As(err, &refused) {
		return false
	}
	for _, failure := range []error{driver.ErrBadConn, mysql.ErrInvalidConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, failure) {
			return true
		}
	}
	var network net.Error
	return errors.As(err, &network)
}

// again reports whether something that failed may be tried again.
func again(err error) bool {
	switch number(err) {
	case waitTimeout, deadlock, interrupted:
		return true
	}
	return unanswered(err)
}

// closed reports whether the pool is closed, as far as database/sql tells.
func closed(err error) bool { return err != nil && err.Error() == "sql: database is closed" }

// told is an error in the words of package lock.
func told(what string, err error) error {
	if closed(err) {
		err = lock.ErrClosed
	}
	return fmt.Errorf("sqllocks: %s: %w", what, err)
}

// discard closes a connection, and with it the transaction and the locks that it has.
func discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // which is what it returns
}

// persist tries until try is done, ctx is done, or an error comes that another try cannot
// mend. It tells try whether the outcome of an earlier one is open, and returns whether
// that of any is.
func (o *Options) persist(ctx context.Context, try func(open bool) (done bool, err error)) (open bool, err error) {
	for {
		done, err := try(open)
		if err == nil && done {
			return open, nil
		}
		open = open || unanswered(err)
		if err == nil || again(err) && ctx.Err() == nil {
			err = o.rest(ctx)
		}
		if err != nil {
			return open, err
		}
	}
}

// A giveBack is a statement that gives a lock back. It changes one row if its holder had
// the lock, and can be repeated.
type giveBack struct {
	statement string
	args      []any
}

// errOpen says that a lock is gone, and not why.
var errOpen = errors.New("the lock is gone: an earlier statement to release it, which was not answered, has ended it, or it had ended before")

// release runs the statement until it is answered or ctx is done, and then in the
// background. It returns [lock.ErrNotHeld] if the lock was not held any more, and another
// error if that leaves open whether an earlier try has released it.
func (o *Options) release(ctx context.Context, db *sql.DB, g giveBack) error {
	_, err := o.persist(ctx, func(open bool) (bool, error) {
		n, err := o.exec(ctx, db, g.statement, g.args...)
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
		return told("release", err)
	}
	o.afterwards(db, g)
	return told("release", err)
}

// afterwards runs the statement in the background, until it is answered or the pool is
// closed.
func (o *Options) afterwards(db *sql.DB, g giveBack) {
	o.Clock.AfterFunc(0, func() {
		ctx := context.Background()
		_, _ = o.persist(ctx, func(bool) (bool, error) { // nobody is left to tell
			_, err := o.exec(ctx, db, g.statement, g.args...)
			return err == nil, err
		})
	})
}
