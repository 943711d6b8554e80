package executor

import (
	"time"

	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
)

// Session is the session that executes a statement, as far as statements know it. Notices go to the client of its
// backend.
type Session interface {
	// Backend returns the session's place in the database. It has a transaction while a statement is prepared or run.
	Backend() *storage.Backend
	// ClockTimestamp reads the server's clock. TransactionTimestamp and StatementTimestamp return the times at which the
	// transaction and the client's present message began.
	ClockTimestamp() types.Timestamp
	TransactionTimestamp() types.Timestamp
	StatementTimestamp() types.Timestamp
	// Random returns random bits.
	Random() uint64
	// User and Database return the names by which the client has connected.
	User() string
	Database() string
	// InRecovery reports whether the server is a standby.
	InRecovery() bool
	// InBlock reports whether the statement is part of a transaction of several: after BEGIN, or with others in one message.
	InBlock() bool
	// Setting returns a parameter of the session, as SHOW does. The result is false if there is none of the name.
	Setting(name string) (value string, ok bool)
	// Set sets a parameter, for the present transaction if local, and returns its new value.
	Set(name, value string, local bool) (string, error)
	// Notify is NOTIFY: the channel's listeners get the payload when the transaction has committed.
	Notify(channel, payload string) error
	// Listening returns the channels that the session listens on.
	Listening() []string
	// Terminate and Cancel are pg_terminate_backend and pg_cancel_backend: they report whether there is such a process.
	// A session that terminates or cancels itself gets the error.
	Terminate(pid int32) (bool, error)
	Cancel(pid int32) (bool, error)
	// BlockedBy is pg_blocking_pids: those that keep a process from a lock.
	BlockedBy(pid int32) []int32
	// Sleep suspends the statement.
	Sleep(d time.Duration) error
	// View returns a view of the server, such as pg_stat_activity, or nil if there is none of that name.
	View(name string) *View
}

// View is a table of the server's own that is made when it is read.
type View struct {
	Columns []Column
	Rows    func() ([][]types.Value, error)
}

// Column is a column of a result.
type Column struct {
	Name string
	Type types.OID
	// Mod is the type's modifier, -1 if it has none.
	Mod int32
	// TableOID and Number are the table and the number of its column that the result's column shows; 0 if it is none.
	TableOID uint32
	Number   int16
}
