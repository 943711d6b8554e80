package sql

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// Client is the connection of a session.
type Client interface {
	Watcher
	// Answer is called when a statement has ended.
	Answer(x *Execution, r *Result, err error)
	// GiveUp is called when a statement fails. It ends waits that are not for locks on rows.
	GiveUp(x *Execution)
}

// Session is a client's connection as the database sees it: its transaction, and the statement being
// executed. A session whose statement waits is busy; the statement goes on when [Database.Settle] finds that
// its wait is over.
type Session struct {
	// Database is the name of the database that the session has chosen; empty if it has chosen none.
	Database    string
	Level       Isolation     // of its next transactions
	ReadOnly    bool          // its next transactions are read-only
	LockWait    time.Duration // how long its statements wait for a lock on a row
	TableWait   time.Duration // how long they wait for a table that another has locked
	CountsFound bool          // an UPDATE reports the rows found instead of those changed
	Privileged  bool          // it may write to a server that is read-only
	Doomed      bool          // its next request for a lock ends in a deadlock

	LastInsertID int64 // the last number that it got from a numbered column
	Warnings     int   // of the present statement, or the last one

	db         *Database
	client     Client
	autocommit bool
	explicit   bool             // a transaction was begun by a statement
	next       *Characteristics // of the next transaction alone; nil if there are none
	txn        *Txn
	current    *Execution // nil while the session waits for its client
	waiting    Timer      // ends the present wait; nil if the statement does not wait for a time

	claims      []*claim // the tables that it uses
	awaits      *claim   // the one that its statement waits for, or nil
	locksTables bool     // LOCK TABLES has locked some, and it can use no others
}

// Characteristics are the settings of a transaction.
type Characteristics struct {
	Level    Isolation
	ReadOnly bool
}

// NewSession returns a session that commits each statement.
func (db *Database) NewSession(c Client) *Session {
	return &Session{db: db, client: c, autocommit: true, Level: db.dialect.Isolations[0]}
}

// Client returns the session's connection.
func (s *Session) Client() Client { return s.client }

// Busy reports whether a statement is being executed.
func (s *Session) Busy() bool { return s.current != nil }

// WaitsForLock reports whether the statement waits for a lock on a row.
func (s *Session) WaitsForLock() bool {
	return s.current != nil && s.txn != nil && s.txn.waits != nil
}

// Autocommit reports whether each statement is a transaction.
func (s *Session) Autocommit() bool { return s.autocommit }

// InTransaction reports whether a transaction goes on when the present statement has ended.
func (s *Session) InTransaction() bool { return s.explicit || s.txn != nil && !s.autocommit }

// IsShipping reports whether a commit of the session waits for the host.
func (s *Session) IsShipping() bool { return s.txn != nil && s.txn.sent }

// HasOpen reports whether a transaction is open.
func (s *Session) HasOpen() bool { return s.txn != nil }

// Next returns the characteristics of only the next transaction, for the caller to set.
func (s *Session) Next() (*Characteristics, error) {
	if s.txn != nil && s.explicit {
		return nil, Fail(InTransaction)
	}
	if s.next == nil {
		s.next = &Characteristics{s.Level, s.ReadOnly}
	}
	return s.next, nil
}

// level returns the isolation level of the open transaction, or of the next one.
func (s *Session) level() Isolation {
	switch {
	case s.txn != nil:
		return s.txn.level
	case s.next != nil:
		return s.next.Level
	}
	return s.Level
}

// Tables returns the names of all tables, in order.
func (s *Session) Tables() (list []string) {
	for _, t := range s.db.tables { // unordered: they are sorted
		list = append(list, t.name)
	}
	slices.Sort(list)
	return list
}

// Layout returns the columns of a table of [Session.Tables], and its keys.
func (s *Session) Layout(name string) (columns []*Column, keys []Key) {
	t := s.db.tables[tableKey(name)]
	for _, ix := range t.indexes {
		k := Key{Name: ix.name, Unique: ix.unique}
		for _, place := range ix.columns {
			k.Columns = append(k.Columns, t.columns[place].Name)
		}
		keys = append(keys, k)
	}
	return t.columns, keys
}

// transaction returns the session's open transaction; if there is none, it begins one.
func (s *Session) transaction() *Txn {
	if s.txn == nil {
		s.txn = &Txn{db: s.db, owner: s, client: s.client, level: s.Level, readOnly: s.ReadOnly, view: -1, many: s.explicit || !s.autocommit}
		if s.next != nil {
			s.txn.level, s.txn.readOnly = s.next.Level, s.next.ReadOnly
			s.next = nil
		}
		s.db.open = append(s.db.open, s.txn)
		if s.txn.many {
			s.client.Began(s.txn)
		}
	}
	return s.txn
}

// forget forgets the transaction, which has ended, and gives up the tables that it has used.
func (s *Session) forget() {
	s.txn = nil
	s.endUses(0)
}

// Perform begins a statement. [Client.Answer] is called now, or later if it has to wait.
func (s *Session) Perform(st Statement, params []Value) {
	x := &Execution{session: s, statement: st, params: params, began: s.db.host.Now(), beganAt: s.db.host.Stamp()}
	s.current = x
	s.Warnings = 0
	if s.txn != nil {
		x.undo = len(s.txn.undo)
	}
	s.Resume()
}

// Resume continues the present statement, until it waits or is done.
func (s *Session) Resume() {
	x := s.current
	if x.result == nil {
		r, err := x.statement.(Runner).Run(x)
		if errors.Is(err, ErrWait) {
			return
		}
		if err != nil {
			s.abort(err)
			return
		}
		x.result = r
	}
	if s.txn != nil && s.autocommit && !s.explicit {
		if err := s.commit(); errors.Is(err, ErrWait) {
			return
		}
	}
	s.finish(x.result, nil)
}

// Abort ends the present statement with an error. Its changes are rolled back; after some errors
// ([Dialect].RollsBack) the whole transaction is.
func (s *Session) Abort(err error) { s.abort(err) }

func (s *Session) abort(err error) {
	s.StopWaiting()
	s.client.GiveUp(s.current)
	s.LeaveQueue()
	if t := s.txn; t != nil {
		if t.waits != nil {
			t.waits.cancel()
		}
		if errors.Is(err, ErrDeadlock) {
			s.client.Deadlocked()
		}
		all := s.db.dialect.RollsBack
		if all != nil && all(err) || s.autocommit && !s.explicit {
			s.Rollback(&Ending{By: s.client.Origin()})
		} else {
			t.rollbackTo(s.current.undo)
		}
	}
	s.finish(nil, err)
}

// clockRead returns when the open transaction last read the server's clock.
func (s *Session) clockRead() model.Stamp {
	if s.current != nil && s.current.read.Happened() {
		return s.current.read
	}
	return s.txn.read
}

// finish answers the present statement, and goes on to what has arrived meanwhile.
func (s *Session) finish(r *Result, err error) {
	x := s.current
	if s.txn != nil {
		s.txn.read = s.clockRead()
	} else {
		s.endUses(0)
	}
	s.current = nil
	s.Doomed = false
	if err == nil {
		r.InsertID = x.InsertID
	}
	s.client.Answer(x, r, err)
}

// Rollback rolls back the open transaction, if there is one.
func (s *Session) Rollback(end *Ending) {
	if s.txn != nil {
		s.txn.rollback(end)
	}
	s.explicit = false
}

// Drop drops the present statement without an answer.
func (s *Session) Drop() {
	s.StopWaiting()
	s.LeaveQueue()
	s.current = nil
}

// Reset resets the session to its initial state. Its transaction must be over.
func (s *Session) Reset() { *s = *s.db.NewSession(s.client) }

// commit makes the changes visible to all. The error is ErrWait while the host waits.
func (s *Session) commit() error {
	t := s.txn
	if t == nil {
		return nil
	}
	if !t.sent {
		t.sent, t.by = true, s.client.Origin()
		if s.db.host.Ship(t) {
			return ErrWait
		}
	}
	s.db.commit(t)
	if x := s.current; x != nil {
		_, asked := x.statement.(*Commit)
		x.committed = asked || len(t.changed) > 0
	}
	t.ends(true)
	t.end(&Ending{By: s.client.Origin()})
	return nil
}

// commitOpen commits the open transaction before a statement that implies it. If that waits, the statement is run again.
func (s *Session) commitOpen() error {
	if err := s.commit(); err != nil {
		return err
	}
	s.explicit = false
	return nil
}

// SetAutocommit sets whether each statement is a transaction. When turned on, it first commits the open
// transaction: the error is ErrWait if that waits.
func (s *Session) SetAutocommit(on bool) error {
	if on == s.autocommit {
		return nil
	}
	if on {
		if err := s.commitOpen(); err != nil {
			return err
		}
	}
	s.autocommit = on
	return nil
}

// WaitFor makes the session wait for at most d. Then over is called; what is the text of that event.
func (s *Session) WaitFor(d time.Duration, what string, over func()) {
	s.StopWaiting()
	s.waiting = s.db.host.After(d, what, func() {
		s.waiting = nil
		over()
	})
}

// StopWaiting ends the wait for a time.
func (s *Session) StopWaiting() {
	if s.waiting != nil {
		s.waiting.Stop()
	}
	s.waiting = nil
}

// Wake lets a statement that waits go on, when the event is settled.
func (s *Session) Wake() {
	s.StopWaiting()
	s.db.awakened = append(s.db.awakened, s)
}

func (s *Session) wake() { s.Wake() }

func (s *Session) waitFor(d time.Duration, what string, over func()) { s.WaitFor(d, what, over) }

func (s *Session) isDoomed() bool { return s.Doomed }

// lockTimeout returns how long a statement waits for the lock on a row.
func (s *Session) lockTimeout(p Patience) time.Duration {
	if p.Kind == WaitFor {
		return Seconds(float64(p.Seconds))
	}
	return s.LockWait
}

// resume carries the statement on if it was woken and does not wait again.
func (s *Session) resume() {
	if s.current != nil && s.waiting == nil {
		s.Resume()
	}
}

// Settle continues the statements whose waits are over, in the order in which they ended, and reports the
// locks taken in the event.
func (db *Database) Settle() {
	for db.resolveDeadlocks(); len(db.awakened) > 0; db.resolveDeadlocks() {
		s := db.awakened[0]
		db.awakened = db.awakened[1:]
		s.resume()
	}
	db.reportTaken()
}

// Unsettle discards everything left to settle, because all sessions have ended.
func (db *Database) Unsettle() { db.awakened, db.moved, db.taken = nil, nil, nil }

// savepoint returns the place of a savepoint in the open transaction, -1 if there is none.
func (s *Session) savepoint(name string) int {
	if s.txn == nil {
		return -1
	}
	return slices.IndexFunc(s.txn.points, func(p point) bool { return strings.EqualFold(p.name, name) })
}
