package simmysql

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql/sql"
)

func newSession(n *Node, id int64, c *conn) *session {
	s := &session{node: n, id: id, conn: c, idle: defaultIdle, rowCount: -1}
	s.Session = n.data.NewSession(s)
	s.LockWait, s.TableWait = defaultLockWait, defaultTableWait
	return s
}

// perform executes a statement of the client.
func (s *session) perform(st sql.Statement, params []sql.Value, r request) {
	s.request = r
	s.Perform(st, params)
}

// GiveUp gives up the statement's place in the queue for a named lock.
func (s *session) GiveUp(*sql.Execution) { s.request.leaveQueue() }

// session returns the session of the connection with that id, or nil if there is none.
func (n *Node) session(id int64) *session {
	for _, s := range n.sessions {
		if s.id == id {
			return s
		}
	}
	return nil
}

// idles begins the wait for the client's next statement.
func (s *session) idles() {
	s.busy()
	s.idling = s.node.after(s.idle, s.name()+" was idle for too long", func() { s.close(&sql.Ending{Kind: model.RecordExpired}) })
}

// busy ends the wait for the client's next statement.
func (s *session) busy() {
	s.idling.Stop()
	s.idling = nil
}

// reset makes the session what it was at first: COM_RESET_CONNECTION.
func (s *session) reset(by model.Origin) {
	s.release(&sql.Ending{By: by})
	database, found := s.Database, s.CountsFound
	s.Session.Reset()
	s.LockWait, s.TableWait, s.Database, s.CountsFound = defaultLockWait, defaultTableWait, database, found
	s.idle, s.rowCount = defaultIdle, -1
}

// release rolls the session's transaction back, and gives up its tables and its named locks.
func (s *session) release(end *sql.Ending) {
	s.Rollback(end)
	s.UnlockTables(end)
	for len(s.named) > 0 {
		s.named[len(s.named)-1].free(end)
	}
}

// close ends the session, and the connection if it is not over. A statement that waits is no
// longer answered.
func (s *session) close(end *sql.Ending) {
	if s.closed {
		return
	}
	s.closed = true
	s.busy()
	s.StopWaiting()
	if s.Busy() {
		s.request.looks.Stop()
		s.request.leaveQueue()
	}
	s.Drop()
	s.observeEnd(end)
	s.release(end)
	s.node.sessions = slices.DeleteFunc(s.node.sessions, func(o *session) bool { return o == s })
	if s.conn != nil {
		s.conn.close()
	}
}

// interrupt ends what the present statement waits for, as KILL does. GET_LOCK and SLEEP
// return then, a commit no longer waits for a replica, and the others fail.
func (s *session) interrupt(err error) {
	switch {
	case s.IsShipping():
		s.stopWaitingForAck()
		s.Resume()
	case s.request.looksAfter() > 0 && errors.Is(err, errInterrupted):
		s.request.interrupted = true
		s.Wake()
	default:
		s.Abort(err)
	}
}

// looksAfter returns how often a statement that waits checks whether its client is still connected,
// and 0 if it does not check.
func (r *request) looksAfter() time.Duration {
	switch {
	case r.named != nil:
		return time.Second / 2
	case r.slept:
		return 5 * time.Second
	}
	return 0
}

// leave ends the session and the connection.
func (c *conn) leave(end *sql.Ending) {
	if c.session != nil {
		c.session.close(end)
	}
	c.close()
}

// enter makes a database the session's current one.
func (s *session) enter(database string) error {
	if !strings.EqualFold(database, databaseName) {
		err := fail(1049, "42000", "Unknown database '%s'", database)
		if slices.Contains([]string{"information_schema", "mysql", "performance_schema", "sys"}, strings.ToLower(database)) {
			err = lack("the database "+database, err)
		}
		return err
	}
	s.Database = databaseName
	return nil
}

// status returns the flags of the session's status.
func (s *session) status() (flags uint16) {
	if s.Autocommit() {
		flags |= statusAutocommit
	}
	if s.InTransaction() {
		flags |= statusInTransaction
	}
	return flags
}

// loss returns how locks end with a connection that the client's side has ended.
func (c *conn) loss() *sql.Ending {
	return &sql.Ending{Kind: model.RecordExpired, Broken: c.sock.Broken()}
}

// close closes the connection after what was sent.
func (c *conn) close() {
	if c.closed {
		return
	}
	c.closed = true
	c.node.forget(c)
	if !c.gone {
		c.sock.Close()
	}
}

// send sends the packets that write encodes.
func (c *conn) send(write func(*encoder)) {
	e := &encoder{sequence: c.sequence}
	write(e)
	c.sequence = e.sequence
	c.reports = false
	if !c.gone && !c.closed {
		c.sock.Send(0, e.out, c.task)
	}
}

// ok answers that a request succeeded; x is the statement that has ended, nil if it was
// none.
func (c *conn) ok(x *sql.Execution, r *sql.Result) {
	c.send(func(e *encoder) { e.ok(r, infoText(x, r), c.session.status(), c.session.Warnings) })
}

// fail answers with an error. An error about something that the simulated server does not support
// fails the run.
func (c *conn) fail(err error) {
	if lacks := asClientsSee(err).lacks; lacks != "" {
		what := "the simulated MySQL does not support " + lacks
		if c.text != "" {
			what = fmt.Sprintf("the simulated MySQL does not support %q (%s)", wording.Fit(strings.Join(strings.Fields(c.text), " "), 200), lacks)
		}
		c.sock.Refuse(c.task, what)
	}
	c.send(func(e *encoder) { e.failure(err) })
}

// forget forgets a connection that is over.
func (n *Node) forget(c *conn) {
	n.conns = slices.DeleteFunc(n.conns, func(o *conn) bool { return o == c })
}
