package scripts

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"time"
)

// Pooled is a place on a real server behind a real PgBouncer.
type Pooled struct {
	*Real
	pooler func() (net.Conn, error)
	admin  *client
}

// NewPooled returns a place behind a pooler to whose console its user postgres is admitted. The server has [Settings].
func NewPooled(server, pooler func() (net.Conn, error), database string) (*Pooled, error) {
	r, err := NewReal(server, database)
	if err != nil {
		return nil, err
	}
	p := &Pooled{Real: r, pooler: pooler}
	p.admin, err = (&Real{dial: pooler, database: "pgbouncer"}).client()
	return p, err
}

// Close closes the connections.
func (p *Pooled) Close() {
	p.admin.Close()
	p.Real.Close()
}

// Begin ends all connections of the pooler, and sets the tables back.
func (p *Pooled) Begin() error {
	for _, do := range []string{"KILL ", "RESUME "} {
		if _, err := p.admin.ask(do + p.database); err != nil && p.begun > 0 {
			return fmt.Errorf("%s: %w", do, err)
		}
	}
	for end := time.Now().Add(patience); time.Now().Before(end); {
		if len(p.pids(`SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`)) == 0 {
			break
		}
	}
	return p.Real.Begin()
}

// Connect opens a connection to the pooler.
func (p *Pooled) Connect(int) (Conn, uint32, []byte) {
	conn, err := p.pooler()
	if err != nil {
		panic(err)
	}
	k := &kept{conn: conn, signal: p.signal}
	go k.listen()
	return &only{k}, 0, nil
}

// only is a connection that is not kept.
type only struct{ *kept }

// Close closes the connection.
func (o *only) Close() { _ = o.conn.Close() }

// End closes the connection.
func (o *only) End() { _ = o.conn.Close() }

// Cancel sends the request to the pooler and waits until it has closed the connection.
func (p *Pooled) Cancel(request []byte) { cancel(p.pooler, request) }

// Settle waits until the sessions are answered, or wait for locks or for connections of the pooler.
func (p *Pooled) Settle(sessions []*Session) {
	for _, s := range sessions {
		if s.gone && !s.buried {
			s.buried = true
			time.Sleep(reaction) // nobody says when the pooler and the server have noticed
		}
	}
	steady := time.Time{}
	for end := time.Now().Add(patience); time.Now().Before(end); {
		for _, s := range sessions {
			if s.Receive() {
				steady = time.Time{}
			}
		}
		if p.settled(sessions) && !p.hasMore(sessions) {
			if steady.IsZero() {
				steady = time.Now()
			}
			if !slices.ContainsFunc(sessions, signalled) || time.Since(steady) > reaction {
				return
			}
		}
		select {
		case <-p.signal:
		case <-time.After(2 * time.Millisecond):
		}
	}
	for _, s := range sessions {
		s.say("not settled")
	}
}

// settled reports whether nothing more happens.
func (p *Pooled) settled(sessions []*Session) bool {
	waits, checked, gone := 0, 0, 0
	for _, s := range sessions {
		if s.gone {
			gone++ // the pooler does not notice while it is in the queue
		}
		if s.Waits() {
			if s.owed[0] == 'F' {
				return false // it logs in
			}
			waits++
			if s.Checked() {
				checked++
			}
		}
	}
	for range 2 { // PgBouncer opens a connection for a waiting client after the first answer
		if queued, busy := p.pool(); busy || queued+checked < waits || queued+checked > waits+gone {
			return false
		}
	}
	return checked == 0 || len(p.pids(`SELECT pid FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE NOT granted AND locktype <> 'object' AND datname = current_database()`)) >= checked
}

// pool returns the number of clients that wait for a connection of the pooler, and whether the pooler is making or resetting
// one.
func (p *Pooled) pool() (queued int, busy bool) {
	rows, err := p.admin.ask("SHOW POOLS")
	if err != nil {
		panic(err)
	}
	const waiting = 3
	working := []int{4, 5, 7, 8, 11, 12} // cancel requests, and connections that are tested or log in
	for _, row := range rows {
		if string(row[0]) != p.database {
			continue
		}
		n, _ := strconv.Atoi(string(row[waiting]))
		queued += n
		for _, i := range working {
			busy = busy || string(row[i]) != "0"
		}
	}
	return queued, busy
}
