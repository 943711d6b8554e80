package simmysql

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// open is a pool of connections from a process to an address, with the real client.
func open(t testing.TB, p *sim.Process, address string) *sql.DB {
	c := mysql.NewConfig()
	c.User, c.Net, c.Addr, c.DBName, c.ParseTime = "root", "tcp", address, "test", true
	c.Logger = &mysql.NopLogger{}
	c.DialFunc = dialer(p)
	connector, err := mysql.NewConnector(c)
	if err != nil {
		t.Fatal(err)
	}
	return sql.OpenDB(connector)
}

// dialer makes connections of a process.
func dialer(p *sim.Process) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return p.DialContext(ctx, network, address, time.Minute)
	}
}

// withClient runs a client against a new cluster, and returns what was observed.
func withClient(t testing.TB, o Options, client func(c *Cluster, p *sim.Process, db *sql.DB)) (seen []model.Observation) {
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		w.AnswerUnsupported()
		c := New(w, o, func(o model.Observation) { seen = append(seen, o) })
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() {
			db := open(t, p, c.Address())
			defer db.Close()
			client(c, p, db)
		})
	})
	if report.Failure != nil {
		t.Fatalf("the run failed: %v\n%s", report.Failure, report.Failure.Stack)
	}
	return seen
}

// TestDriver: the real client does with a table what locks do.
func TestDriver(t *testing.T) {
	seen := withClient(t, Options{}, func(_ *Cluster, _ *sim.Process, db *sql.DB) {
		ctx := context.Background()
		exec := func(query string, args ...any) int64 {
			t.Helper()
			r, err := db.ExecContext(ctx, query, args...)
			if err != nil {
				t.Fatalf("%s: %v", query, err)
			}
			n, _ := r.RowsAffected()
			return n
		}
		exec("CREATE TABLE locks (name VARCHAR(64) NOT NULL PRIMARY KEY, owner VARCHAR(64), expires DATETIME(6), version BIGINT NOT NULL DEFAULT 0)")
		exec("INSERT INTO locks (name, owner, expires) VALUES (?, ?, NOW(6) + INTERVAL 5 SECOND)", "a", "me")
		if n := exec("UPDATE locks SET owner = ?, version = version + 1 WHERE name = ? AND version = ?", "you", "a", 0); n != 1 {
			t.Errorf("%d rows are updated", n)
		}
		if n := exec("UPDATE locks SET version = version + 1 WHERE name = 'a' AND version = 0"); n != 0 {
			t.Errorf("%d rows are updated", n)
		}
		_, err := db.ExecContext(ctx, "INSERT INTO locks (name) VALUES ('a')")
		if e := new(mysql.MySQLError); !errors.As(err, &e) || e.Number != 1062 {
			t.Errorf("a duplicate: %v", err)
		}
		tx, err := db.BeginTx(ctx, nil)
		if err != nil {
			t.Fatal(err)
		}
		var owner string
		var expires time.Time
		var version int
		if err := tx.QueryRowContext(ctx, "SELECT owner, expires, version FROM locks WHERE name = ? FOR UPDATE", "a").Scan(&owner, &expires, &version); err != nil {
			t.Fatal(err)
		}
		if owner != "you" || version != 1 || expires.IsZero() {
			t.Errorf("%s %v %d", owner, expires, version)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		conn, err := db.Conn(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var got int
		if err := conn.QueryRowContext(ctx, "SELECT GET_LOCK(?, ?)", "x", 3).Scan(&got); err != nil || got != 1 {
			t.Errorf("GET_LOCK: %d, %v", got, err)
		}
		if err := conn.Close(); err != nil {
			t.Fatal(err)
		}
	})
	var observed []string
	for _, o := range seen {
		if o.Authority != "mysql1" {
			t.Errorf("%s %s is of the authority %q", o.Kind, o.Key, o.Authority)
		}
		if o.Kind.OfRecord() {
			observed = append(observed, fmt.Sprint(o.Kind, " ", o.Key, " at ", o.Revision, " of ", o.Owner.Client))
		}
	}
	want := []string{
		"created locks/a at 1 of c1", "changed locks/a at 1 of c1",
		"created lock of locks/a at 3 of c1", "deleted lock of locks/a at 3 of c1",
		"created named lock x at 4 of c1", "deleted named lock x at 4 of c1",
	}
	if !slices.Equal(observed, want) {
		t.Errorf("observed %q, want %q", observed, want)
	}
}

// TestBlocking: a statement waits for a lock on a row until its time is over, until the holder
// commits, or until the wait would close a circle.
func TestBlocking(t *testing.T) {
	run(t, Options{}, func(s *stage) {
		first, second := s.session(s.cluster.Address()), s.session(s.cluster.Address())
		s.must(first, "INSERT INTO t VALUES (2, 0)", "BEGIN", "SELECT * FROM t WHERE id = 1 FOR UPDATE")
		s.must(second, "SET innodb_lock_wait_timeout = 3", "BEGIN", "UPDATE t SET v = 7 WHERE id = 2")
		begin := time.Now()
		if n := attempt(second, "UPDATE t SET v = 1 WHERE id = 1"); n != 1205 {
			t.Errorf("error %d after the time-out", n)
		}
		if d := time.Since(begin); d < 3*time.Second || d > 3010*time.Millisecond {
			t.Errorf("a time-out of 3s comes after %v", d)
		}
		if n := attempt(second, "UPDATE t SET v = 1 WHERE id = 1 AND id = 1 LIMIT 1"); n != 1205 {
			t.Errorf("error %d: the transaction goes on after a time-out", n)
		}
		done := make(chan int, 1)
		go func() { done <- attempt(second, "UPDATE t SET v = 2 WHERE id = 1") }()
		s.process.Step("wait", time.Second)
		if n := attempt(first, "UPDATE t SET v = 3 WHERE id = 2"); n != 1213 {
			t.Errorf("error %d of the one that closes the circle", n)
		}
		if n := <-done; n != 0 {
			t.Errorf("error %d of the other", n)
		}
		s.must(second, "COMMIT")
		if v := s.value(first); v != 2 {
			t.Errorf("the row has %d", v)
		}
	})
}

// TestAcknowledges: what reports a commit is the answer to COMMIT, and to what commits changes by itself.
func TestAcknowledges(t *testing.T) {
	script := []struct {
		query string
		tells bool
	}{
		{`CREATE TABLE t (id INT PRIMARY KEY)`, false},
		{`COMMIT`, false}, // there is no transaction
		{`INSERT INTO t VALUES (1)`, true},
		{`INSERT IGNORE INTO t VALUES (1)`, false},
		{`INSERT INTO t VALUES (1)`, false}, // an error
		{`DO 1`, false},
		{`START TRANSACTION`, false},
		{`INSERT INTO t VALUES (2)`, false},
		{`START TRANSACTION`, true}, // it commits the one before
		{`SELECT id FROM t WHERE id = 1 FOR UPDATE`, false},
		{`COMMIT`, true},
		{`UPDATE t SET id = id WHERE id = 7`, false},
		{`START TRANSACTION`, false},
		{`DELETE FROM t`, false},
		{`ROLLBACK`, false},
		{`DELETE FROM t`, true},
	}
	withClient(t, Options{}, func(c *Cluster, p *sim.Process, db *sql.DB) {
		db.SetMaxOpenConns(1)
		for _, s := range script {
			_, _ = db.ExecContext(context.Background(), s.query) // two are errors
			n := c.Primary()
			if conns := n.world.Network().Conns(n.Actor); len(conns) != 1 || n.Acknowledges(conns[0]) != s.tells {
				t.Errorf("%s: %v, want %v", s.query, !s.tells, s.tells)
			}
		}
	})
}

// TestNotSupported: a statement that the parser does not know is refused, and the text says what it
// knows.
func TestNotSupported(t *testing.T) {
	run(t, Options{}, func(s *stage) {
		c := s.session(s.cluster.Address())
		for _, q := range []string{
			"SELECT * FROM t JOIN u", "SELECT v FROM t GROUP BY v", "ALTER TABLE t ADD x INT", "SELECT 1; SELECT 2",
			"UPDATE t SET v = GET_LOCK('a', 1)", "SELECT @x", "LOCK TABLES t AS x WRITE", "LOCK TABLES t READ LOCAL", "CREATE TABLE u (id INT) ENGINE=MyISAM",
		} {
			_, err := c.ExecContext(context.Background(), q)
			if e := new(mysql.MySQLError); !errors.As(err, &e) || e.Number != 1064 || !strings.Contains(e.Message, "It supports CREATE") {
				t.Errorf("%s: %v", q, err)
			}
		}
	})
}

// TestFailsTheRun: what a real server may know fails the run, with the statement; what no server takes is an error like any other.
func TestFailsTheRun(t *testing.T) {
	for query, want := range map[string]string{
		"SELECT COUNT(*) FROM information_schema.engines":  `"SELECT COUNT(*) FROM information_schema.engines" (the database information_schema)`,
		"REPLACE  INTO t VALUES (1)":                       `"REPLACE INTO t VALUES (1)" (near "REPLACE  INTO t VALUES (1)")`,
		"ALTER TABLE t ADD x INT":                          "(a change of a table)",
		"SELECT @@sort_buffer_size":                        `"SELECT @@sort_buffer_size" (the variable sort_buffer_size)`,
		"SET TRANSACTION ISOLATION LEVEL READ UNCOMMITTED": `(near "READ UNCOMMITTED")`,
		"USE mysql":          "(the database mysql)",
		"SELECT v FROM":      "",
		"SELECT 'a":          "",
		"SELECT x FROM t":    "",
		"USE other":          "",
		"SET autocommit = 2": "",
	} {
		report := sim.Run(sim.Config{}, func(w *sim.World) {
			c := New(w, Options{}, func(model.Observation) {})
			if err := c.Load("CREATE TABLE t (v INT)"); err != nil {
				t.Error(err)
			}
			p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() {
				db := open(t, p, c.Address())
				_, _ = db.ExecContext(context.Background(), query)
				_ = db.Close()
			})
		})
		switch f := report.Failure; {
		case want == "" && f == nil:
		case want == "" || f == nil || !f.Refused || !strings.HasPrefix(f.Reason, "the simulated MySQL does not support ") || !strings.Contains(f.Reason, want):
			t.Errorf("%s: %v, want %q", query, f, want)
		}
	}
}
