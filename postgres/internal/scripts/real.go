package scripts

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Settings are those of a real server for scripts: a process says when it has looked for a deadlock and still waits, and
// when it has got a lock.
var Settings = []string{"deadlock_timeout=1ms", "log_lock_waits=on", "client_min_messages=log", "autovacuum_naptime=5s"}

const (
	// patience is for how long a real server may work.
	patience = 20 * time.Second
	// truncates is the number of scripts after which tables are truncated.
	truncates = 5
	// reaction is for how long a signal may take that may not have been sent.
	reaction = 50 * time.Millisecond
)

// noVacuum keeps the server from removing old versions of rows, so that the order of rows repeats.
var noVacuum = []string{
	"ALTER TABLE t SET (autovacuum_enabled = off)", "ALTER TABLE c SET (autovacuum_enabled = off)",
	"ALTER TABLE q SET (autovacuum_enabled = off)", "ALTER TABLE l SET (autovacuum_enabled = off)",
}

// Real is a place on a real server. It keeps connections, and sets them back to their beginning between scripts.
type Real struct {
	dial     func() (net.Conn, error)
	database string
	monitor  *client
	free     []*kept
	begun    int      // scripts
	gone     []uint32 // processes whose sessions are gone
	signal   chan struct{}
}

// NewReal returns a place on a server with [Settings], with a new database of this name.
func NewReal(dial func() (net.Conn, error), database string) (*Real, error) {
	r := &Real{dial: dial, database: "postgres", signal: make(chan struct{}, 1)}
	first, err := r.client()
	if err != nil {
		return nil, err
	}
	defer first.Close()
	if _, err := first.ask("DROP DATABASE IF EXISTS " + database); err != nil {
		return nil, err
	}
	if _, err := first.ask("CREATE DATABASE " + database); err != nil {
		return nil, err
	}
	r.database = database
	if r.monitor, err = r.client(); err != nil {
		return nil, err
	}
	for _, q := range slices.Concat(Tables, noVacuum) {
		if _, err := r.monitor.ask(q); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// Close closes the connections.
func (r *Real) Close() {
	for _, k := range r.free {
		_ = k.conn.Close()
	}
	r.monitor.Close()
}

// Parameters name the database.
func (r *Real) Parameters() map[string]string { return map[string]string{"database": r.database} }

// Begin sets tables and connections back.
func (r *Real) Begin() error {
	end := time.Now().Add(patience)
	for len(r.gone) > 0 && time.Now().Before(end) {
		r.bury()
	}
	for i := 0; i < len(r.free); i++ {
		k := r.free[i]
		if _, err := k.ask("DISCARD ALL"); err != nil {
			_ = k.conn.Close()
			r.free = slices.Delete(r.free, i, i+1)
			i--
		}
	}
	slices.Reverse(r.free) // see the package's comment
	for i, q := range SetUp {
		if i == 1 && r.begun%truncates == 0 {
			q = truncate
		}
		if _, err := r.monitor.ask(q); err != nil {
			return fmt.Errorf("%s: %w", q, err)
		}
	}
	r.begun++
	return nil
}

// Connect takes a connection that is free, or makes one.
func (r *Real) Connect(session int) (Conn, uint32, []byte) {
	if len(r.free) > 0 {
		k := r.free[0]
		r.free = r.free[1:]
		return &lent{real: r, kept: k}, k.pid, k.secret
	}
	c, err := r.client()
	if err != nil {
		panic(err)
	}
	c.mu.Lock()
	c.signal = r.signal
	c.mu.Unlock()
	return &lent{real: r, kept: c.kept}, c.pid, c.secret
}

// Cancel sends the request and waits until the server has closed the connection, and so has sent the signal.
func (r *Real) Cancel(request []byte) { cancel(r.dial, request) }

func cancel(dial func() (net.Conn, error), request []byte) {
	c, err := dial()
	if err != nil {
		panic(err)
	}
	defer c.Close()
	if _, err := c.Write(request); err != nil {
		panic(err)
	}
	_ = c.SetReadDeadline(time.Now().Add(patience))
	_, _ = c.Read(make([]byte, 1)) // the end
}

// Settle waits until the sessions are answered or wait for locks.
func (r *Real) Settle(sessions []*Session) {
	r.fence(sessions)
	steady := time.Time{}
	for end := time.Now().Add(patience); time.Now().Before(end); {
		arrived := false
		for _, s := range sessions {
			arrived = s.Receive() || arrived
		}
		if arrived {
			steady = time.Time{}
		}
		waits, sure := unanswered(sessions)
		idle := len(waits) == 0 && len(r.gone) == 0 && !slices.ContainsFunc(sessions, failed)
		if idle || sure && r.quiet(waits, sessions) && !r.hasMore(sessions) {
			if steady.IsZero() {
				steady = time.Now()
			}
			if !slices.ContainsFunc(sessions, signalled) || time.Since(steady) > reaction {
				return
			}
		}
		select {
		case <-r.signal:
		case <-time.After(2 * time.Millisecond):
		}
	}
	for _, s := range sessions {
		s.say("not settled")
	}
}

// fence has notifications and signals delivered to the sessions that are not busy.
func (r *Real) fence(sessions []*Session) {
	if slices.ContainsFunc(sessions, func(s *Session) bool { return s.Listens || s.Signalled }) {
		r.answered(sessions)
	}
	for _, s := range sessions {
		if s.gone && !s.buried {
			s.buried = true
			r.gone = append(r.gone, s.PID)
		}
		if (s.Listens || s.Signalled) && !s.closed && !s.Waits() && !s.inPipeline() && !s.skips && s.unsent.Len() == 0 {
			s.Fence()
			s.Signalled = false
		}
	}
}

// answered waits until no statement is carried out, except those that wait for locks.
func (r *Real) answered(sessions []*Session) {
	for end := time.Now().Add(patience); time.Now().Before(end); {
		for _, s := range sessions {
			s.Receive()
		}
		waits, sure := unanswered(sessions)
		if len(waits) == 0 || sure && r.quiet(waits, sessions) && !r.hasMore(sessions) {
			return
		}
		select {
		case <-r.signal:
		case <-time.After(2 * time.Millisecond):
		}
	}
}

// unanswered returns the processes of the sessions that are not answered, and whether all of them have looked for
// deadlocks.
func unanswered(sessions []*Session) (pids []uint32, sure bool) {
	sure = true
	for _, s := range sessions {
		if s.Waits() {
			pids = append(pids, s.PID)
			sure = sure && s.Checked()
		}
	}
	return pids, sure
}

// hasMore reports whether anything has arrived.
func (r *Real) hasMore(sessions []*Session) bool {
	return slices.ContainsFunc(sessions, (*Session).Receive)
}

// quiet reports whether the processes that have not answered wait for locks, and all whose sessions are gone, and whether
// those that have failed in a pipeline have rolled back.
func (r *Real) quiet(waits []uint32, sessions []*Session) bool {
	if slices.ContainsFunc(sessions, failed) {
		idle := r.pids("SELECT pid FROM pg_stat_activity WHERE wait_event = 'ClientRead'")
		for _, s := range sessions {
			if failed(s) && !idle[s.PID] {
				return false
			}
		}
	}
	return r.allWait(waits)
}

// signalled reports whether the session's server may have got a signal, and has done nothing yet, or whether its wait may
// time out.
func signalled(s *Session) bool { return (s.Signalled || s.TimesOut && s.Waits()) && !s.closed }

// failed reports whether the session's server ignores what comes until a Sync.
func failed(s *Session) bool { return s.skips && !s.closed }

// pids are the processes that a query returns.
func (r *Real) pids(query string) map[uint32]bool {
	rows, err := r.monitor.ask(query)
	if err != nil {
		panic(err)
	}
	set := map[uint32]bool{}
	for _, row := range rows {
		pid, _ := strconv.Atoi(string(row[0]))
		set[uint32(pid)] = true
	}
	return set
}

// allWait reports whether processes wait for locks, and all whose sessions are gone.
func (r *Real) allWait(pids []uint32) bool {
	if len(r.gone) > 0 {
		r.bury()
	}
	waiting := r.pids("SELECT pid FROM pg_locks WHERE NOT granted AND locktype <> 'object'") // those are of commits with NOTIFY, one at a time
	for _, pid := range slices.Concat(pids, r.gone) {
		if !waiting[pid] {
			return false
		}
	}
	return true
}

// bury forgets the processes that have ended.
func (r *Real) bury() {
	live := r.pids("SELECT pid FROM pg_stat_activity")
	r.gone = slices.DeleteFunc(r.gone, func(pid uint32) bool { return !live[pid] })
}

// kept is a connection to a real server.
type kept struct {
	conn   net.Conn
	pid    uint32
	secret []byte

	mu      sync.Mutex
	arrived bytes.Buffer
	closed  bool
	signal  chan struct{}
}

// listen takes what arrives.
func (k *kept) listen() {
	buffer := make([]byte, 16<<10)
	for {
		n, err := k.conn.Read(buffer)
		k.mu.Lock()
		k.arrived.Write(buffer[:n])
		k.closed = err != nil
		signal := k.signal
		k.mu.Unlock()
		select {
		case signal <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// Arrived takes what has arrived.
func (k *kept) Arrived() (data []byte, closed bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	data = bytes.Clone(k.arrived.Bytes())
	k.arrived.Reset()
	return data, k.closed
}

// Send sends data.
func (k *kept) Send(data []byte) { _, _ = k.conn.Write(data) } // what is lost is not answered

// lent is a connection that a session uses.
type lent struct {
	real *Real
	*kept
}

// Close gives the connection back, unless it has ended.
func (l *lent) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || slices.Contains(l.real.free, l.kept) {
		return
	}
	l.real.free = append(l.real.free, l.kept)
}

// End closes the connection.
func (l *lent) End() { _ = l.conn.Close() }

// client is a connection by which statements are executed one by one.
type client struct{ *kept }

// client opens a connection.
func (r *Real) client() (*client, error) {
	conn, err := r.dial()
	if err != nil {
		return nil, err
	}
	k := &kept{conn: conn, signal: make(chan struct{}, 1)}
	go k.listen()
	start, err := (&pgproto3.StartupMessage{ProtocolVersion: pgproto3.ProtocolVersion30, Parameters: map[string]string{"user": "postgres", "database": r.database}}).Encode(nil)
	if err != nil {
		return nil, err
	}
	k.Send(start)
	_, err = k.answer()
	return &client{k}, err
}

// Close closes the connection.
func (c *client) Close() { _ = c.conn.Close() }

// ask executes a statement.
func (k *kept) ask(query string) ([][][]byte, error) {
	text, err := (&pgproto3.Query{String: query}).Encode(nil)
	if err != nil {
		return nil, err
	}
	k.Send(text)
	return k.answer()
}

// answer waits for the answer to a statement, and returns the rows.
func (k *kept) answer() (rows [][][]byte, err error) {
	var s stream
	var failed error
	for end := time.Now().Add(patience); time.Now().Before(end); {
		data, closed := k.Arrived()
		s.rest = append(s.rest, data...)
		for frame := s.next(); frame != nil; frame = s.next() {
			m, err := pgproto3.NewFrontend(bytes.NewReader(frame), nil).Receive()
			if err != nil {
				return nil, err
			}
			switch m := m.(type) {
			case *pgproto3.BackendKeyData:
				k.pid, k.secret = m.ProcessID, bytes.Clone(m.SecretKey)
			case *pgproto3.DataRow:
				row := make([][]byte, len(m.Values))
				for i, v := range m.Values {
					row[i] = bytes.Clone(v)
				}
				rows = append(rows, row)
			case *pgproto3.ErrorResponse:
				failed = fmt.Errorf("%s: %s", m.Code, m.Message)
			case *pgproto3.ReadyForQuery:
				return rows, failed
			}
		}
		if closed {
			return nil, fmt.Errorf("the server has closed the connection: %w", failed)
		}
		select {
		case <-k.signal:
		case <-time.After(2 * time.Millisecond):
		}
	}
	return nil, fmt.Errorf("no answer within %v", patience)
}
