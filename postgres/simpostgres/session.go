package simpostgres

import (
	"slices"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/internal/pgerror"
	"github.com/lockpick-dev/lockpick/postgres/internal/storage"
	"github.com/lockpick-dev/lockpick/postgres/internal/types"
	"github.com/lockpick-dev/lockpick/sim"
)

// session is a client's connection as the server sees it: its settings, its transaction, its prepared statements, and the
// statement that is executed.
type session struct {
	node   *Node
	conn   *conn // nil for the server's own
	back   *storage.Backend
	pid    int32
	secret uint32
	routine

	settings   *settings
	statements map[string]*prepared
	portals    map[string]*portal
	seen       [][]types.Value // pg_stat_activity, as the transaction has read it first

	block    blockState
	extended bool // the present message is one of the extended protocol
	skips    bool // it skips messages until the next Sync
	piped    bool // a statement was executed since the last Sync
	active   bool // it has begun a request whose Sync has not come

	// chained are the characteristics with which AND CHAIN has begun the transaction; nil if something else has.
	chained *storage.Characteristics

	// task and origin are those of the present request, text its statement.
	task   *sim.Task
	origin model.Origin
	text   string
	opener model.Origin // of the session

	listens   []string       // channels
	notifies  []notification // of the transaction that commits
	incoming  []notification
	committed bool // since the last answer

	began       types.Timestamp // of the session
	transaction moment          // when the present transaction began
	statement   moment          // when the present message arrived
	query       string          // the present statement, or the last one
	queried     types.Timestamp // when it began
	changed     types.Timestamp // when the session's state changed last
	read        model.Stamp     // when the transaction last read the clock

	timeout *timer // statement_timeout
	idling  *timer // ends the session; nil while it does something
	awaits  string // the key of the record that it waits for
	closed  bool
	ending  *storage.Ending // it ends when the present message has been handled; nil otherwise
	loads   bool            // it fills the server before the run
	outcome error           // of a statement without a client
}

// moment is a time by the server's clock, and its place in the run.
type moment struct {
	at    types.Timestamp
	stamp model.Stamp
}

// blockState is the state of a session's transaction, if it has one.
type blockState uint8

const (
	noBlock       blockState = iota // a statement's own, or that of a pipeline until Sync
	implicitBlock                   // that of several statements in one message
	openBlock                       // begun by BEGIN
	failedBlock
)

func newSession(n *Node, c *conn) *session {
	n.lastPID++
	s := &session{
		node: n, conn: c, pid: firstPID - 1 + n.lastPID,
		statements: map[string]*prepared{}, portals: map[string]*portal{}, loads: c == nil,
	}
	s.free = &n.cluster.workers
	s.secret = s.makeSecret()
	s.back = n.data.NewBackend(s, s.pid)
	s.settings = newSettings(s)
	s.began = n.moment()
	s.changed = s.began
	if c != nil {
		s.task, s.origin = c.task, c.origin
	}
	return s
}

// makeSecret returns the key for requests to cancel statements of the session.
func (s *session) makeSecret() uint32 {
	var d sim.Digest
	d.Uint(uint64(s.pid))
	for _, b := range []byte(s.node.Name()) {
		d.Uint(uint64(b))
	}
	return uint32(d.Sum())
}

// turn handles the messages that have arrived, in a coroutine of its own.
func (s *session) turn() {
	s.stopIdling()
	s.begin(func() {
		defer s.hurry()
		for s.ending == nil {
			kind, body, ok, err := s.conn.next()
			if err != nil {
				s.fail(err)
				return
			}
			if !ok {
				s.listen()
				return
			}
			s.task, s.origin = s.conn.task, s.conn.origin
			s.handle(kind, body)
		}
	}, s.rests)
}

// rests is called when the coroutine has ended.
func (s *session) rests() {
	switch {
	case s.ending != nil:
		if s.conn != nil {
			s.conn.leave(s.ending)
		}
	case s.conn != nil && s.conn.gone:
		s.conn.leave(s.conn.loss())
	}
}

// idle reports whether the session waits for its client outside of a transaction.
func (s *session) isIdle() bool { return !s.running() && s.back.Txn() == nil }

// ready says that the server waits for the next request.
func (s *session) ready() {
	if s.ending != nil {
		return
	}
	s.active = false
	status := byte('I')
	switch s.block {
	case openBlock:
		status = 'T'
	case failedBlock:
		status = 'E'
	default:
		s.deliver()
	}
	s.changed = s.node.moment()
	if s.conn == nil {
		return
	}
	s.conn.task = s.task
	s.settings.report()
	s.conn.send(&pgproto3.ReadyForQuery{TxStatus: status})
	s.conn.flush()
	s.conn.reports, s.committed = s.committed, false
	s.startIdling()
}

// startIdling begins the wait for the client's next request.
func (s *session) startIdling() {
	s.stopIdling()
	name, code, what := "idle_session_timeout", pgerror.IdleSessionTimeout, "idle-session"
	if s.block != noBlock {
		name, code, what = "idle_in_transaction_session_timeout", pgerror.IdleInTransactionTimeout, "idle-in-transaction"
	}
	if d := s.settings.duration(name); d > 0 {
		s.idling = s.node.after(d, s.name()+" was idle for too long", func() {
			s.expel(pgerror.Fatal(code, "terminating connection due to %s timeout", what), &storage.Ending{Kind: model.RecordExpired})
		})
	}
}

// stopIdling ends the wait for the client's next request.
func (s *session) stopIdling() {
	s.idling.Stop()
	s.idling = nil
}

// expel ends a session that waits for its client.
func (s *session) expel(e *pgerror.Error, end *storage.Ending) {
	s.conn.task = nil
	s.conn.report(e, "")
	s.conn.leave(end)
}

// close ends the session. A statement that waits is no longer carried on.
func (s *session) close(end *storage.Ending) {
	if s.closed {
		return
	}
	s.halt(end)
	s.back.Close(end)
	s.node.sessions = slices.DeleteFunc(s.node.sessions, func(o *session) bool { return o == s })
}

// session returns the session with that process id, or nil if there is none.
func (n *Node) session(pid int32) *session {
	for _, s := range n.sessions {
		if s.pid == pid {
			return s
		}
	}
	return nil
}

// fail answers a request with an error, and ends what the error ends: the transaction, or the session.
func (s *session) fail(err error) {
	s.timeout.Stop()
	e := pgerror.From(err)
	s.outcome = e
	s.back.Doomed = false
	if s.conn != nil {
		s.conn.task = s.task
		s.conn.report(e, s.text)
	}
	if e.Severity == pgerror.SeverityFatal && s.ending == nil {
		s.ending = &storage.Ending{Kind: model.RecordExpired}
	}
	s.rollBack()
	s.skips = s.extended
}

// rollBack rolls back what an error ends.
func (s *session) rollBack() {
	switch s.block {
	case openBlock:
		s.losePlans()
		s.back.Fail()
		s.block = failedBlock
	case failedBlock:
	default:
		s.abort()
	}
}

// losePlans notes that portals have no plans any more: those made since the last savepoint, which are what an error ends, other
// than that of a simple query, which is not of a prepared statement.
func (s *session) losePlans() {
	depth := s.depth()
	for _, o := range s.portals { // unordered: each is noted for itself
		if o.depth >= depth && !o.simple {
			o.lost = true
		}
	}
}

// depth is the number of savepoints around what is executed now.
func (s *session) depth() int {
	if t := s.back.Txn(); t != nil {
		return t.Depth()
	}
	return 0
}

// now reads the clock for a request.
func (s *session) present() moment {
	return moment{s.node.moment(), model.Stamp{Seq: s.node.world.Logged(), At: s.node.world.Now()}}
}

// statementTimeout begins the time that a statement may take, unless it runs already.
func (s *session) startTimeout() {
	d := s.settings.duration("statement_timeout")
	if d <= 0 || s.timeout != nil && !s.timeout.over {
		return
	}
	s.timeout = s.node.after(d, s.name()+"'s statement has taken too long", func() {
		s.interrupt(pgerror.New(pgerror.QueryCanceled, "canceling statement due to statement timeout"))
	})
}

// Sleep suspends the statement.
func (s *session) Sleep(d time.Duration) error {
	if d <= 0 {
		return nil
	}
	t := s.node.after(d, s.name()+" has slept", s.wakeUp)
	defer t.Stop()
	s.sleeps = true
	defer func() { s.sleeps = false }()
	return s.Park("Timeout")
}
