package simmysql

import (
	"slices"
	"strconv"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// session is a client's connection as the server sees it: its variables, its transaction, its locks,
// and the statement that is carried out.
type session struct {
	node *Node
	id   int64 // of the connection
	conn *conn // nil for the server's own
	user string

	database   string
	autocommit bool
	explicit   bool // a transaction was begun by a statement
	level      isolation
	readOnly   bool
	next       *characteristics // of the next transaction alone; nil if there are none
	lockWait   time.Duration    // innodb_lock_wait_timeout
	idle       time.Duration    // wait_timeout
	foundRows  bool             // an UPDATE counts the rows that it has found
	replicates bool             // it may write to a server that is read-only

	txn          *txn
	named        []*namedLock // that it has, in the order in which it got them
	lastInsertID int64
	rowCount     int64
	warnings     int

	current *execution // nil while the session waits for its client
	waiting *timer     // ends the present wait; nil if the statement does not wait for a time
	idling  *timer     // ends the session; nil while it does something
	waited  bool       // the statement was not answered at once
	killed  *ending    // by itself: it ends when that is answered
	awaits  string     // the key of the record that it waits for
	doomed  bool       // the next lock that the statement asks for ends in a deadlock
	closed  bool
	loads   bool  // it fills the server before the run
	outcome error // of the last statement, without a client
}

// characteristics are those of a transaction.
type characteristics struct {
	level    isolation
	readOnly bool
}

// ending is how locks come to their end.
type ending struct {
	kind   model.ObservationKind // RecordDeleted if it is not set
	by     model.Origin
	broken bool // by the network
}

func newSession(n *Node, id int64, c *conn) *session {
	return &session{node: n, id: id, conn: c, autocommit: true, lockWait: defaultLockWait, idle: defaultIdle, rowCount: -1}
}

// origin is the origin of what the session does now.
func (s *session) origin() model.Origin {
	if s.conn == nil {
		return model.Origin{}
	}
	var t *sim.Task
	if s.current != nil {
		t = s.current.task
	}
	return s.conn.by(t)
}

// name is the session's name in observations.
func (s *session) name() string { return "connection " + strconv.FormatInt(s.id, 10) }

// lockTimeout is how long a statement waits for the lock on a row.
func (s *session) lockTimeout(p patience) time.Duration {
	if p.kind == waitFor {
		return seconds(float64(p.seconds))
	}
	return s.lockWait
}

// session is the one with that connection, nil if there is none.
func (n *Node) session(id int64) *session {
	for _, s := range n.sessions {
		if s.id == id {
			return s
		}
	}
	return nil
}

// idles begins to wait for the client's next statement.
func (s *session) idles() {
	s.busy()
	s.idling = s.node.after(s.idle, s.name()+" was idle for too long", func() { s.close(&ending{kind: model.RecordExpired}) })
}

// busy ends the wait for the client's next statement.
func (s *session) busy() {
	s.idling.stop()
	s.idling = nil
}

// reset makes the session what it was at first: COM_RESET_CONNECTION.
func (s *session) reset(by model.Origin) {
	s.release(&ending{by: by})
	fresh := newSession(s.node, s.id, s.conn)
	fresh.user, fresh.database, fresh.foundRows = s.user, s.database, s.foundRows
	*s = *fresh
}

// release rolls the session's transaction back and gives up its named locks.
func (s *session) release(end *ending) {
	if s.txn != nil {
		s.txn.rollback(end)
	}
	for len(s.named) > 0 {
		s.named[len(s.named)-1].free(end)
	}
}

// close ends the session, and the connection if it is not over. A statement that waits is not
// answered any more.
func (s *session) close(end *ending) {
	if s.closed {
		return
	}
	s.closed = true
	s.busy()
	s.stopWaiting()
	if x := s.current; x != nil {
		x.looks.stop()
		x.leaveQueue()
	}
	s.current = nil
	s.observeEnd(end)
	s.release(end)
	s.node.sessions = slices.DeleteFunc(s.node.sessions, func(o *session) bool { return o == s })
	if s.conn != nil {
		s.conn.close()
	}
}
