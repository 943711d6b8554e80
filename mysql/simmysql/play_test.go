package simmysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// command is what a session sends.
type command struct {
	session int
	query   string
	args    []any // if there are any, the statement is prepared
	kills   bool  // interrupts the session's statement, if it waits
}

// place is where a script is played: on a real server, or in a simulated world.
type place interface {
	// connect opens a connection.
	connect(session int) *sql.Conn
	// settle waits until every statement that is carried out is answered or waits for a lock. Waiting
	// is how many are not answered.
	settle(waiting func() int)
	// weights are those of the open transactions, by the numbers of their connections.
	weights() map[int]weight
}

// weight is what a transaction has done: how many rows it has changed, and how many structures the server keeps
// of its locks.
type weight struct{ changes, structures int }

// player plays a script, and writes down the answers to the sessions.
type player struct {
	place
	sessions []*playing
	keeper   *playing
	lines    []string
	weighs   bool // writes down what open transactions weigh at the end
	locks    bool // the script locks tables
}

// playing is a session of a script.
type playing struct {
	conn   *sql.Conn
	ask    chan command
	answer chan string
	waits  bool // its statement is not answered
	id     int  // of the connection
}

// play plays a script. A session whose statement waits sends nothing until it is answered.
func (x *player) play(sessions int, setUp []string, script []command) []string {
	for i := range sessions {
		s := &playing{conn: x.connect(i), ask: make(chan command), answer: make(chan string, 1)}
		if err := s.conn.QueryRowContext(context.Background(), "SELECT CONNECTION_ID()").Scan(&s.id); err != nil {
			panic(err)
		}
		x.sessions = append(x.sessions, s)
		go func() {
			for c := range s.ask {
				s.answer <- s.run(c)
			}
		}()
	}
	for _, q := range setUp {
		x.sessions[0].must(q)
	}
	// A snapshot keeps deleted rows from being removed. A real server removes them when it comes to it,
	// which changes what gaps there are.
	x.keeper = &playing{conn: x.connect(sessions)}
	x.keeper.must("START TRANSACTION WITH CONSISTENT SNAPSHOT")
	defer x.keeper.conn.Close()
	for i, c := range script {
		s := x.sessions[c.session]
		x.locks = x.locks || strings.HasPrefix(c.query, "LOCK TABLES")
		if s.waits && c.kills {
			x.say("%d: session %d is interrupted", i, c.session)
			x.interrupt(s)
		}
		if s.waits || c.kills {
			continue
		}
		x.say("%d: session %d: %s %v", i, c.session, c.query, c.args)
		s.ask <- c
		s.waits = true
		x.listen()
	}
	x.end()
	return x.lines
}

// listen writes down the answers that come. That statements wait is written down, too.
func (x *player) listen() {
	answers := make([]string, len(x.sessions))
	x.settle(func() (waiting int) {
		for i, s := range x.sessions {
			select {
			case a := <-s.answer:
				answers[i], s.waits = a, false
			default:
			}
			if s.waits {
				waiting++
			}
		}
		return waiting
	})
	for i, s := range x.sessions {
		switch {
		case answers[i] != "":
			x.say("  session %d: %s", i, answers[i])
		case s.waits:
			x.say("  session %d: waits", i)
		}
	}
}

// end rolls everything back, one session after the other, and shows what is left. A
// statement that waits is interrupted.
func (x *player) end() {
	if x.weighs {
		x.weigh()
	}
	for i, s := range x.sessions {
		x.say("end: session %d", i)
		if s.waits {
			x.interrupt(s)
		}
		ends := []string{"ROLLBACK", "DO RELEASE_ALL_LOCKS()"}
		if x.locks {
			ends = append(ends, "UNLOCK TABLES")
		}
		for _, q := range ends {
			s.ask <- command{query: q}
			s.waits = true
			x.listen()
		}
	}
	for _, name := range tables {
		x.say("left: %s", x.sessions[0].run(command{query: "SELECT * FROM " + name}))
	}
	for _, s := range x.sessions {
		close(s.ask)
		_ = s.conn.Close()
	}
}

// weigh writes down how much the open transactions weigh: by that the victim of a deadlock is chosen.
func (x *player) weigh() {
	weights := x.weights()
	for i, s := range x.sessions {
		if w := weights[s.id]; w != (weight{}) {
			x.say("session %d has changed %d rows, and has %d structures of locks", i, w.changes, w.structures)
		}
	}
}

// interrupt ends the wait of a session's statement.
func (x *player) interrupt(s *playing) {
	x.keeper.must(fmt.Sprintf("KILL QUERY %d", s.id))
	x.listen()
}

func (x *player) say(format string, args ...any) {
	x.lines = append(x.lines, fmt.Sprintf(format, args...))
}

func (s *playing) must(query string) {
	if _, err := s.conn.ExecContext(context.Background(), query); err != nil {
		panic(query + ": " + err.Error())
	}
}

// run carries a statement out, and puts its answer into words.
func (s *playing) run(c command) string {
	ctx := context.Background()
	if !strings.HasPrefix(c.query, "SELECT") && !strings.HasPrefix(c.query, "SHOW") && !strings.Contains(c.query, " RETURNING ") {
		r, err := s.conn.ExecContext(ctx, c.query, c.args...)
		if err != nil {
			return failing(err)
		}
		n, _ := r.RowsAffected()
		id, _ := r.LastInsertId()
		return fmt.Sprintf("ok, %d rows, id %d", n, id)
	}
	rows, err := s.conn.QueryContext(ctx, c.query, c.args...)
	if err != nil {
		return failing(err)
	}
	defer rows.Close()
	names, _ := rows.Columns()
	var list []string
	for rows.Next() {
		values := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range values {
			into[i] = &values[i]
		}
		if err := rows.Scan(into...); err != nil {
			return failing(err)
		}
		var row []string
		for _, v := range values {
			if !v.Valid {
				v.String = "NULL"
			}
			row = append(row, v.String)
		}
		list = append(list, "("+strings.Join(row, " ")+")")
	}
	if err := rows.Err(); err != nil {
		return failing(err)
	}
	if !strings.Contains(c.query, "ORDER BY") {
		slices.Sort(list)
	}
	return strings.Join(list, " ") + fmt.Sprintf(" %d rows", len(list))
}

// failing is an error in words: servers word some texts differently.
func failing(err error) string {
	var e *mysql.MySQLError
	if errors.As(err, &e) {
		return fmt.Sprintf("error %d %s", e.Number, e.SQLState)
	}
	return "error " + err.Error()
}
