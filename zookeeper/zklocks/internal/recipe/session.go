package recipe

import (
	"sync"
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/jonboulle/clockwork"
)

// A Session is a client's session: a connection, the leader's last answer, and the claims that
// depend on it. Package zklocks documents it.
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
	askAgain time.Time // the earliest time of the next sync, after an unanswered one
}

// heard has the time at which the request that the leader answered last was sent, and
// its session.
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

// Clock returns the clock that measures the validity of claims and all pauses.
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

// changed ends the claims that an event ends. An event may be old by now, so it checks
// on the connection whether a session is over.
func (s *Session) changed(state zk.State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop(func(c *claim) bool {
		return s.over(c) || c.untimed && state != zk.StateHasSession
	})
	s.wind()
}

// led marks a request that only the leader answers: the answer confirms that the session
// was alive when the leader executed it.
func led[T any](s *Session, request Call[T]) Call[T] {
	return func(conn *zk.Conn) (T, error) {
		before, sent := conn.SessionID(), s.clock.Now()
		value, err := request(conn)
		// Before the first session the ID is 0; a session that exists now began after
		// the request was sent.
		if id := conn.SessionID(); err == nil && id != 0 && (id == before || before == 0) {
			s.confirm(heard{id, sent})
		}
		return value, err
	}
}

// sync returns a request after whose answer the server has the leader's state at that
// time.
func (s *Session) sync() Call[string] {
	return led(s, func(conn *zk.Conn) (string, error) { return conn.Sync("/") })
}
