package recipe

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/puddle/v2"

	"github.com/lockpick-dev/lockpick/lock"
)

// The codes of the errors after which a statement, or its transaction, can be tried again (PostgreSQL 15,
// Appendix A).
var passing = map[string]bool{
	"25006": true, // read_only_sql_transaction: the server is a standby
	"40001": true, // serialization_failure
	"40P01": true, // deadlock_detected
	"55P03": true, // lock_not_available: lock_timeout
	"57014": true, // query_canceled
	"57P01": true, // admin_shutdown: also pg_terminate_backend
	"57P02": true, // crash_shutdown
	"57P03": true, // cannot_connect_now
	"57P05": true, // idle_session_timeout
	"25P03": true, // idle_in_transaction_session_timeout
	"08P01": true, // protocol_violation: also PgBouncer's own errors
	"53300": true, // too_many_connections
}

// Code returns the code of a server's error, "" for other errors. Both pgx and lib/pq have it.
func Code(err error) string {
	var e interface{ SQLState() string }
	if errors.As(err, &e) {
		return e.SQLState()
	}
	return ""
}

// Unanswered reports whether an error leaves the outcome of a statement open: its connection has failed
// or was ended by the server, or the statement was given up.
func Unanswered(err error) bool {
	var refused errRefused
	var server *pgconn.PgError
	var dial *pgconn.ConnectError
	var sent interface{ SafeToRetry() bool } // of pgx: false if something may have been sent, as of ErrConnClosed after a failed read
	switch {
	case err == nil || errors.As(err, &refused) || errors.As(err, &dial) || pgconn.SafeToRetry(err):
		return false // nothing was sent
	case errors.As(err, &server):
		// A statement may be done, and the connection ended before the client has read the answer.
		return server.SeverityUnlocalized == "FATAL" || server.SeverityUnlocalized == "PANIC"
	case errors.As(err, &sent):
		return true
	}
	for _, failure := range []error{driver.ErrBadConn, sql.ErrConnDone, io.EOF, io.ErrUnexpectedEOF, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, failure) {
			return true
		}
	}
	var network net.Error
	return errors.As(err, &network)
}

// Again reports whether a retry may help after an error.
func Again(err error) bool {
	var dial *pgconn.ConnectError
	return passing[Code(err)] || Unanswered(err) || errors.As(err, &dial) || pgconn.SafeToRetry(err)
}

// NoRows reports whether a query had no row.
func NoRows(err error) bool { return errors.Is(err, pgx.ErrNoRows) || errors.Is(err, sql.ErrNoRows) }

// closed reports whether the pool is closed, as far as database/sql shows.
func closed(err error) bool {
	return errors.Is(err, puddle.ErrClosedPool) || err != nil && err.Error() == "sql: database is closed"
}

// LockError returns the error of package lock for an error of the database.
func LockError(what string, err error) error {
	if closed(err) {
		err = lock.ErrClosed
	}
	return fmt.Errorf("pglocks: %s: %w", what, err)
}

// errRefused is an error that ends a call, and that the caller gets as it is.
type errRefused struct{ error }

func (e errRefused) Unwrap() error { return e.error }
