package recipe

import (
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/jonboulle/clockwork"
)

// A Session is a client's session: a connection, what has been heard of it, and the claims that rest
// on it. Package zklocks explains it.
type Session struct {
	conn     *zk.Conn
	timeout  time.Duration
	clock    clockwork.Clock
	requests requests
	closed   chan struct{} // closed when the connection has been closed

	mu       sync.Mutex // never held while anything is waited for
	heard    heard
	claims   []*claim // in the order in which they were made
	alarm    clockwork.Timer
	asking   bool      // a sync is under way
	askAgain time.Time // not before, after one was not answered
}

// heard is when the request was sent which the leader answered last, and in which
// session.
type heard struct {
	id int64
	at time.Time
}

// Open returns the session of a connection. It follows the events until the connection is closed.
func Open(conn *zk.Conn, events <-chan zk.Event, timeout time.Duration, clock clockwork.Clock) *Session {
	s := &Session{conn: conn, timeout: timeout, clock: clock, closed: make(chan struct{})}
	go s.listen(events)
	return s
}

// Clock measures the validity of claims and all pauses.
func (s *Session) Clock() clockwork.Clock { return s.clock }

// Conn returns the connection.
func (s *Session) Conn() *zk.Conn { return s.conn }

// listen follows the session until its connection is closed.
func (s *Session) listen(events <-chan zk.Event) {
	for event := range events {
		if event.Type == zk.EventSession {
			s.changed(event.State)
		}
	}
	close(s.closed)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(func(*claim) bool { return true })
	s.wind()
}

// changed ends the claims that an event ends. An event may be old by now: whether a
// session is over is read off the connection.
func (s *Session) changed(state zk.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(func(c *claim) bool {
		return s.over(c) || c.untimed && state != zk.StateHasSession
	})
	s.wind()
}

// led returns a request that only the leader answers; its answer says that the session was
// alive when the leader executed it.
func led[T any](s *Session, request Call[T]) Call[T] {
	return func(conn *zk.Conn) (T, error) {
		before, sent := conn.SessionID(), s.clock.Now()
		value, err := request(conn)
		// Before the first session there is none; the one that began since has
		// begun after the request was sent.
		if id := conn.SessionID(); err == nil && id != 0 && (id == before || before == 0) {
			s.confirm(heard{id, sent})
		}
		return value, err
	}
}

// sync asks the leader for its latest state, which the server has before it answers.
func (s *Session) sync() Call[string] {
	return led(s, func(conn *zk.Conn) (string, error) { return conn.Sync("/") })
}
