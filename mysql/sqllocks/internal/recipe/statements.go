package recipe

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

// A Runner runs statements: a pool, or one connection.
type Runner interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// Exec runs a statement and returns the number of rows that it changed. It gives up
// after the patience, by the lock's clock.
func (o *Options) Exec(ctx context.Context, on Runner, query string, args ...any) (changed int64, err error) {
	changed, _, err = o.ExecID(ctx, on, query, args...)
	return changed, err
}

// ExecID is like [Options.Exec], and also returns the value of LAST_INSERT_ID.
func (o *Options) ExecID(ctx context.Context, on Runner, query string, args ...any) (changed, id int64, err error) {
	err = o.Within(ctx, o.Patience, func(ctx context.Context) error {
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

// Row reads the only row of a query. It gives up after the patience. It returns
// [sql.ErrNoRows] if there is none.
func (o *Options) Row(ctx context.Context, on Runner, into []any, query string, args ...any) error {
	return o.Within(ctx, o.Patience, func(ctx context.Context) error {
		return on.QueryRowContext(ctx, query, args...).Scan(into...)
	})
}

// Within makes a call with a context that ends after d by the lock's clock.
func (o *Options) Within(ctx context.Context, d time.Duration, call func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer o.Clock.AfterFunc(d, cancel).Stop()
	return call(ctx)
}

// The numbers of the errors that are expected (MySQL Reference Manual, "Server Error
// Message Reference").
const (
	DuplicateKey = 1062
	NoTable      = 1146
	waitTimeout  = 1205 // of a row lock: the statement is rolled back, its transaction is not
	Deadlock     = 1213 // the transaction is rolled back
	interrupted  = 1317
)

// Number returns the number of a server's error, 0 for other errors.
func Number(err error) uint16 {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return e.Number
	}
	return 0
}

// Unanswered reports whether an error leaves the outcome of a statement open: its
// connection has failed, or it was given up.
func Unanswered(err error) bool {
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

// Again reports whether a retry may help after an error.
func Again(err error) bool {
	switch Number(err) {
	case waitTimeout, Deadlock, interrupted:
		return true
	}
	return Unanswered(err)
}

// closed reports whether the pool is closed, as far as database/sql shows.
func closed(err error) bool { return err != nil && err.Error() == "sql: database is closed" }

// LockError returns the error of package lock for an error of the database.
func LockError(what string, err error) error {
	if closed(err) {
		err = lock.ErrClosed
	}
	return fmt.Errorf("sqllocks: %s: %w", what, err)
}

// Discard closes a connection, and with it the transaction and the locks that it has.
func Discard(conn *sql.Conn) {
	_ = conn.Raw(func(any) error { return driver.ErrBadConn }) // which is what it returns
}

// Persist tries until try is done, ctx is done, or an error occurs after which a retry
// cannot help. Try's open is set if the outcome of an earlier try is unknown. Persist
// returns whether the outcome of any try is.
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

// A GiveBack is a statement that gives a lock back. It changes one row if its holder had
// the lock, and can be repeated.
type GiveBack struct {
	Statement string
	Args      []any
}

// errOpen is the error of a lock that is gone for an unknown reason.
var errOpen = errors.New("the lock is gone: an earlier statement to release it, which was not answered, has ended it, or it had ended before")

// Release runs the statement until it is answered or ctx is done, and then in the
// background. It returns [lock.ErrNotHeld] if the lock was not held any more, and another
// error if it is open whether an earlier try has released it.
func (o *Options) Release(ctx context.Context, db *sql.DB, g GiveBack) error {
	_, err := o.Persist(ctx, func(open bool) (bool, error) {
		n, err := o.Exec(ctx, db, g.Statement, g.Args...)
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
	o.Afterwards(db, g)
	return LockError("release", err)
}

// Afterwards runs the statement in the background, until it is answered or the pool is
// closed.
func (o *Options) Afterwards(db *sql.DB, g GiveBack) {
	o.Clock.AfterFunc(0, func() {
		ctx := context.Background()
		_, _ = o.Persist(ctx, func(bool) (bool, error) { // nobody waits for the error
			_, err := o.Exec(ctx, db, g.Statement, g.Args...)
			return err == nil, err
		})
	})
}

// Connect returns a connection of the pool.
func Connect(ctx context.Context, db *sql.DB, o *Options) (conn *sql.Conn, err error) {
	err = o.Within(ctx, o.TTL, func(ctx context.Context) (err error) {
		conn, err = db.Conn(ctx)
		return err
	})
	return conn, err
}

// Begin returns a connection in a transaction. It uses a statement, because an [sql.Tx] ends
// with its context.
func Begin(ctx context.Context, db *sql.DB, o *Options) (*sql.Conn, error) {
	conn, err := Connect(ctx, db, o)
	if err != nil {
		return nil, err
	}
	if _, err := o.Exec(ctx, conn, `START TRANSACTION`); err != nil {
		Discard(conn)
		return nil, err
	}
	return conn, nil
}
