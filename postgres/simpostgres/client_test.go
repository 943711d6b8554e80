package simpostgres

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

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/lib/pq"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// dialer makes connections of a process.
func dialer(p *sim.Process) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		return p.DialContext(ctx, network, address, time.Minute)
	}
}

// configURL is a configuration of pgx for connections of a process.
func configURL(p *sim.Process, url string) (*pgx.ConnConfig, error) {
	c, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, err
	}
	c.DialFunc = dialer(p)
	c.LookupFunc = func(_ context.Context, host string) ([]string, error) { return []string{host}, nil }
	return c, nil
}

// config is the usual one.
func config(t testing.TB, p *sim.Process, address string) *pgx.ConnConfig {
	c, err := configURL(p, "postgres://postgres@"+address+"/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// dialURL makes a connection of a process by pgx.
func dialURL(p *sim.Process, url string) (*pgx.Conn, error) {
	c, err := configURL(p, url)
	if err != nil {
		return nil, err
	}
	return pgx.ConnectConfig(context.Background(), c)
}

// connect makes a connection of a process by pgx.
func connect(t testing.TB, p *sim.Process, address string) *pgx.Conn {
	c, err := pgx.ConnectConfig(context.Background(), config(t, p, address))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// pqDialer makes connections of a process for lib/pq.
type pqDialer struct{ process *sim.Process }

func (d pqDialer) Dial(network, address string) (net.Conn, error) {
	return d.process.DialContext(context.Background(), network, address, time.Minute)
}

func (d pqDialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	return d.process.DialContext(context.Background(), network, address, timeout)
}

// openPQ is a pool of connections from a process by lib/pq.
func openPQ(t testing.TB, p *sim.Process, address string) *sql.DB {
	c, err := pq.NewConnector("postgres://postgres@" + address + "/postgres?sslmode=disable")
	if err != nil {
		t.Fatal(err)
	}
	c.Dialer(pqDialer{p})
	return sql.OpenDB(c)
}

// run runs a client against a new cluster, and returns what was observed and the events.
func run(t testing.TB, o Options, client func(c *Cluster, p *sim.Process)) (seen []model.Observation, report sim.Report) {
	report = sim.Run(sim.Config{Record: true}, func(w *sim.World) {
		w.AnswerUnsupported()
		c := New(w, o, func(o model.Observation) { seen = append(seen, o) })
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() { client(c, p) })
	})
	if report.Failure != nil {
		t.Fatalf("the run failed: %v\n%s", report.Failure, report.Failure.Stack)
	}
	return seen, report
}

// TestPgx: pgx does with a table what locks do.
func TestPgx(t *testing.T) {
	seen, _ := run(t, Options{}, func(c *Cluster, p *sim.Process) {
		ctx := context.Background()
		db := connect(t, p, c.Address())
		exec := func(query string, args ...any) int64 {
			t.Helper()
			r, err := db.Exec(ctx, query, args...)
			if err != nil {
				t.Fatalf("%s: %v", query, err)
			}
			return r.RowsAffected()
		}
		exec("CREATE TABLE locks (name text PRIMARY KEY, owner text, expires timestamptz, version bigint NOT NULL DEFAULT 0)")
		exec("INSERT INTO locks (name, owner, expires) VALUES ($1, $2, now() + interval '5 seconds')", "a", "me")
		if n := exec("UPDATE locks SET owner = $1, version = version + 1 WHERE name = $2 AND version = $3", "you", "a", 0); n != 1 {
			t.Errorf("%d rows are updated", n)
		}
		_, err := db.Exec(ctx, "INSERT INTO locks (name) VALUES ('a')")
		if e := new(pgconn.PgError); !errors.As(err, &e) || e.Code != "23505" {
			t.Errorf("a duplicate: %v", err)
		}
		tx, err := db.Begin(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var owner string
		var expires time.Time
		var version int
		if err := tx.QueryRow(ctx, "SELECT owner, expires, version FROM locks WHERE name = $1 FOR UPDATE", "a").Scan(&owner, &expires, &version); err != nil {
			t.Fatal(err)
		}
		if owner != "you" || version != 1 || expires.IsZero() {
			t.Errorf("%s %v %d", owner, expires, version)
		}
		if err := tx.Commit(ctx); err != nil {
			t.Fatal(err)
		}
		var got bool
		if err := db.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", 7).Scan(&got); err != nil || !got {
			t.Errorf("pg_try_advisory_lock: %v, %v", got, err)
		}
		exec("LISTEN c")
		exec("NOTIFY c, 'x'")
		n, err := db.WaitForNotification(ctx)
		if err != nil || n.Channel != "c" || n.Payload != "x" {
			t.Errorf("%v, %v", n, err)
		}
		if err := db.Close(ctx); err != nil {
			t.Fatal(err)
		}
	})
	var observed []string
	for _, o := range seen {
		if o.Authority != "postgres1" {
			t.Errorf("%s %s is of the authority %q", o.Kind, o.Key, o.Authority)
		}
		if o.Kind.OfRecord() {
			observed = append(observed, fmt.Sprint(o.Kind, " ", o.Key, " of ", o.Owner.Client))
		}
	}
	want := []string{
		"created locks/a of c1", "changed locks/a of c1", "created lock of locks/a of c1", "deleted lock of locks/a of c1",
		"created advisory lock 7 of c1", "deleted advisory lock 7 of c1",
	}
	if !slices.Equal(observed, want) {
		t.Errorf("observed %q, want %q", observed, want)
	}
}

// TestPQ: so does lib/pq.
func TestPQ(t *testing.T) {
	run(t, Options{}, func(c *Cluster, p *sim.Process) {
		db := openPQ(t, p, c.Address())
		defer db.Close()
		for _, q := range []string{"CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 0)"} {
			if _, err := db.Exec(q); err != nil {
				t.Fatalf("%s: %v", q, err)
			}
		}
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		var v int
		if err := tx.QueryRow("SELECT v FROM t WHERE id = $1 FOR UPDATE", 1).Scan(&v); err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Exec("UPDATE t SET v = v + $1 WHERE id = $2", 5, 1); err != nil {
			t.Fatal(err)
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		if err := db.QueryRow("SELECT v FROM t").Scan(&v); err != nil || v != 5 {
			t.Errorf("%d, %v", v, err)
		}
	})
}

// TestStdlib: so does database/sql over pgx, and a run repeats.
func TestStdlib(t *testing.T) {
	var digests []string
	for range 3 {
		_, report := run(t, Options{Replicas: 1}, func(c *Cluster, p *sim.Process) {
			db := stdlib.OpenDB(*config(t, p, c.Address()))
			defer db.Close()
			if _, err := db.Exec("CREATE TABLE t (id int PRIMARY KEY, v int)"); err != nil {
				t.Fatal(err)
			}
			for i := range 3 {
				if _, err := db.Exec("INSERT INTO t VALUES ($1, $2)", i, i); err != nil {
					t.Fatal(err)
				}
			}
		})
		digests = append(digests, fmt.Sprint(len(report.Events), " events with the hash ", report.Hash))
	}
	if digests[0] != digests[1] || digests[0] != digests[2] {
		t.Errorf("runs differ: %s", strings.Join(digests, ", "))
	}
}

// TestBlocking: a statement waits for a lock on a row until lock_timeout, until the holder
// commits, or until it is the victim of a deadlock.
func TestBlocking(t *testing.T) {
	run(t, Options{}, func(c *Cluster, p *sim.Process) {
		ctx := context.Background()
		first, second := connect(t, p, c.Address()), connect(t, p, c.Address())
		must := func(db *pgx.Conn, list ...string) {
			t.Helper()
			for _, q := range list {
				if _, err := db.Exec(ctx, q); err != nil {
					t.Fatalf("%s: %v", q, err)
				}
			}
		}
		code := func(db *pgx.Conn, q string) string {
			_, err := db.Exec(ctx, q)
			if e := new(pgconn.PgError); errors.As(err, &e) {
				return e.Code
			}
			return fmt.Sprint(err)
		}
		must(first, "CREATE TABLE t (id int PRIMARY KEY, v int)", "INSERT INTO t VALUES (1, 0), (2, 0)", "BEGIN", "SELECT * FROM t WHERE id = 1 FOR UPDATE")
		must(second, "SET lock_timeout = '3s'", "BEGIN", "UPDATE t SET v = 7 WHERE id = 2")
		begin := time.Now()
		if got := code(second, "UPDATE t SET v = 1 WHERE id = 1"); got != "55P03" {
			t.Errorf("error %s after the time-out", got)
		}
		if d := time.Since(begin); d < 3*time.Second || d > 3010*time.Millisecond {
			t.Errorf("a time-out of 3s comes after %v", d)
		}
		must(second, "ROLLBACK", "BEGIN", "UPDATE t SET v = 7 WHERE id = 2")
		done := make(chan string, 1)
		go func() { done <- code(second, "UPDATE t SET v = 2 WHERE id = 1") }()
		p.Step("wait", time.Second/2)
		other := code(first, "UPDATE t SET v = 3 WHERE id = 2")
		if got := []string{<-done, other}; !slices.Contains(got, "40P01") || !slices.Contains(got, "<nil>") {
			t.Errorf("errors %v", got)
		}
		_ = first.Close(ctx)
		_ = second.Close(ctx)
	})
}
