package simmysql

import (
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/sim"
)

// execution is a statement that is carried out, with what it has done so far.
type execution struct {
	session   *session
	statement statement
	params    []value
	binary    bool // the client has prepared it, and wants rows in binary
	task      *sim.Task
	began     time.Time // by the server's clock

	undo        int             // how many changes the transaction had before it
	viewed      bool            // it has made its snapshot
	called      map[*call]value // what functions with effects have returned
	insertID    int64           // that its answer tells
	progress    any             // of the statement
	result      *result         // once it has run: what remains is to commit
	committed   bool            // it has committed changes, or is a COMMIT that has ended a transaction
	named       *namedWait      // its place in the queue for a named lock
	slept       bool            // it has begun to sleep
	looks       *timer          // when it finds that its client is gone; nil as long as the client is there
	interrupted bool            // by KILL QUERY
}

// result is the answer to a statement: rows, or how many it has changed.
type result struct {
	columns  []resultColumn
	rows     [][]value
	affected int64
	insertID int64
	info     string
}

// resultColumn is a column of a result.
type resultColumn struct {
	name, table string
	kind        columnType
	notNull     bool
}

// perform begins a statement.
func (s *session) perform(x *execution) {
	x.session, x.began = s, s.node.now()
	s.current = x
	s.warnings = 0
	if s.txn != nil {
		x.undo = len(s.txn.undo)
	}
	s.advance()
}

// advance carries the present statement on, until it waits or is done.
func (s *session) advance() {
	x := s.current
	if x.result == nil {
		r, err := x.statement.run(x)
		if errors.Is(err, errWait) {
			return
		}
		if err != nil {
			s.abort(err)
			return
		}
		x.result = r
	}
	if s.txn != nil && s.autocommit && !s.explicit {
		if err := s.commit(); errors.Is(err, errWait) {
			return
		}
	}
	s.finish(x.result, nil)
}

// abort ends the present statement with an error. Its changes are taken back, and after
// a deadlock all of the transaction.
func (s *session) abort(err error) {
	s.stopWaiting()
	x := s.current
	x.leaveQueue()
	if t := s.txn; t != nil {
		if t.waits != nil {
			t.waits.cancel()
		}
		if errors.Is(err, errDeadlock) {
			s.observeDeadlock()
		}
		if errors.Is(err, errDeadlock) || s.autocommit && !s.explicit {
			t.rollback(&ending{by: s.origin()})
			s.explicit = false
		} else {
			t.rollbackTo(x.undo)
		}
	}
	s.finish(nil, err)
}

// interrupt ends what the present statement waits for, as KILL does. GET_LOCK and SLEEP
// return then, a commit does not wait for a replica any more, and the others fail.
func (s *session) interrupt(err error) {
	x := s.current
	switch {
	case s.txn != nil && s.txn.sent:
		s.txn.stopWaitingForAck()
		s.advance()
	case x.looksAfter() > 0 && errors.Is(err, errInterrupted):
		x.interrupted = true
		s.wake()
	default:
		s.abort(err)
	}
}

// finish answers the present statement, and goes on to what has come meanwhile.
func (s *session) finish(r *result, err error) {
	x := s.current
	x.looks.stop()
	s.current = nil
	s.doomed = false
	s.rowCount = -1
	if err == nil {
		if r.columns == nil {
			s.rowCount = r.affected
		}
		r.insertID = x.insertID
	}
	s.answer(x, r, err)
}

// wake lets a statement that waits go on, at the end of the event.
func (s *session) wake() {
	s.stopWaiting()
	s.node.awakened = append(s.node.awakened, s)
}

// wakeAll carries on the statements whose waits are over, in the order in which that happened.
func (n *Node) wakeAll() {
	for n.resolveDeadlocks(); len(n.awakened) > 0; n.resolveDeadlocks() {
		s := n.awakened[0]
		n.awakened = n.awakened[1:]
		if s.current != nil && !s.waitsStill() {
			s.advance()
		}
	}
	n.observeTaken()
}

// waitsStill reports whether the statement was woken and waits again.
func (s *session) waitsStill() bool { return s.waiting != nil }

// table is a table by its name.
func (x *execution) table(name string) (*table, error) {
	n := x.session.node
	if x.session.database == "" {
		return nil, errNoDatabase
	}
	if t := n.tables[tableKey(name)]; t != nil {
		return t, nil
	}
	return nil, errNoTable(x.session.database + "." + name)
}

// writes begins a transaction that changes rows, if the server and the transaction allow it.
func (x *execution) writes() error {
	if x.session.node.readOnly() && !x.session.replicates {
		return errReadOnlyServer
	}
	t := x.session.transaction()
	if t.readOnly {
		return errReadOnlyTxn
	}
	t.used = true
	return nil
}

// whole evaluates an expression without a row.
func (x *execution) whole(e expr) (value, error) { return e.eval(&scope{x: x}) }

// check refuses aggregates, and what checkNames refuses.
func (x *execution) check(t *table, where string, exprs ...expr) error {
	if slices.ContainsFunc(exprs, func(e expr) bool { return anyPart(e, isAggregate) }) {
		return errGroup
	}
	return x.checkNames(t, where, exprs...)
}

// checkNames refuses columns that a table does not have, and functions that wait in a statement on a table.
func (x *execution) checkNames(t *table, where string, exprs ...expr) (err error) {
	for _, e := range exprs {
		anyPart(e, func(e expr) bool {
			switch e := e.(type) {
			case *columnRef:
				if t == nil || t.column(e.name) < 0 || e.table != "" && !strings.EqualFold(e.table, t.name) {
					err = errNoColumn(e.name, where)
				}
			case *call:
				if t != nil && functions[e.name].waits {
					err = errUnsupported(e.name + " in a statement on a table")
				}
			}
			return err != nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// count is the number of a LIMIT.
func (x *execution) count(e expr) (int, error) {
	if e == nil {
		return 0, nil
	}
	v, err := x.whole(e)
	if err != nil {
		return 0, err
	}
	if v.kind != integer && v.kind != text || v.integer() < 0 {
		return 0, errUnsupported("LIMIT " + v.String())
	}
	return int(min(v.integer(), 1<<31-1)), nil
}
