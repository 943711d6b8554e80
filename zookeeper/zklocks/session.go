package zklocks

import (
	"time"

	"github.com/go-zookeeper/zk"
	"github.com/jonboulle/clockwork"

	"github.com/lockpick-dev/lockpick/zookeeper/zklocks/internal/recipe"
)

// A Session is a client's session with ZooKeeper as the locks of this package use it:
// a connection, what has been heard of it, and the claims that rest on it. All
// lockers of a process may share one; it is safe for concurrent use.
//
// It makes one request at a time, in the order in which they come. So what an
// abandoned acquisition leaves behind is removed before the client's next request. For
// more requests side by side, open more connections. Other requests may use the
// connection as well.
//
// # How long a claim is valid
//
// ZooKeeper's leader ends a session when it has not heard of it for the session's
// time-out, and the client learns that when it reconnects, which may be much later. So
// a client that is cut off has to give up by its own clock. Only what the leader itself
// has answered counts: creations, deletions and sync. Reads and pings are answered by
// the server that the client is connected to, which may be cut off from the leader.
//
// A claim is valid for half of the time-out from when the last such request was sent.
// While there is a claim the session asks for a sync every quarter of the time-out.
// Why this is sound: the leader has answered, so the client's server was connected to
// it. That server reports the sessions it has heard of whenever the leader pings it,
// every half tick, and the client library sends a ping when it has sent nothing for a
// third of the time-out. So the leader had heard of the session at most a third of the
// time-out and half a tick before the request, and does not end it until two thirds
// of the time-out, less half a tick, after it. With a tick of a third of the
// time-out or less, that is half of the time-out. (ZooKeeper allows
// a tick of half of it.)
//
// Assumed are clocks that run at nearly the same rate, and reports that are not late. A
// server that was cut off from the leader for most of the time-out may pass a sync on
// before its reports, and the leader may then end a session whose sync it has just
// answered; no request of ZooKeeper's makes the leader count the session anew. Where the
// assumptions fail, the fence ([Zookeeper]) keeps a resource from harm.
type Session recipe.Session

// SessionOptions are the options of [Open].
type SessionOptions struct {
	// Clock measures the validity of claims and all pauses; nil means the real one.
	Clock clockwork.Clock
}

// Open returns the session of a connection. It reads the events that zk.Connect
// returned together with the connection, to the end; other code that needs them can
// pass zk.WithEventCallback to zk.Connect. Open does not depend on events that the
// library drops.
//
// The timeout is the session's. It is the one given to zk.Connect if that is within the
// server's bounds (by default 2 to 20 ticks); the server raises or lowers others, and
// the library does not report that. With a timeout longer than the session's, claims
// would outlive the session.
//
// A session ends with zk.Conn.Close: every claim on it is lost then, and every
// acquisition returns [lock.ErrClosed]. It has one goroutine, which ends with it.
func Open(conn *zk.Conn, events <-chan zk.Event, timeout time.Duration, options SessionOptions) *Session {
	if options.Clock == nil {
		options.Clock = clockwork.NewRealClock()
	}
	return (*Session)(recipe.Open(conn, events, timeout, options.Clock))
}

// Conn returns the connection.
func (s *Session) Conn() *zk.Conn { return s.recipe().Conn() }

func (s *Session) recipe() *recipe.Session { return (*recipe.Session)(s) }
