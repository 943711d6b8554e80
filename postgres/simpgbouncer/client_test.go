package simpgbouncer_test

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/lib/pq"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/simpgbouncer"
	"github.com/lockpick-dev/lockpick/postgres/simpostgres"
	"github.com/lockpick-dev/lockpick/sim"
)

// dialer makes connections of a process, for lib/pq.
type dialer struct{ process *sim.Process }

func (d dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialTimeout(network, address, time.Minute)
}

func (d dialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	return d.process.DialContext(context.Background(), network, address, timeout)
}

// withClient runs a client against a pooler.
func withClient(t *testing.T, o simpgbouncer.Options, client func(p *sim.Process, dsn string)) {
	t.Helper()
	report := sim.Run(sim.Config{}, func(w *sim.World) {
		c := simpostgres.New(w, simpostgres.Options{}, func(model.Observation) {})
		must(t, c.Load("CREATE TABLE t (id int PRIMARY KEY, v int NOT NULL)", "INSERT INTO t VALUES (1, 0)"))
		pooler := simpgbouncer.New(w, o, func() simpgbouncer.Node { return c.Primary() }, func(model.Observation) {})
		p := w.NewProcess("c1", sim.ProcessOptions{Host: "10.0.0.1"})
		p.Go(func() { client(p, "postgres://postgres@"+pooler.Address()+"/postgres?sslmode=disable") })
	})
	if report.Failure != nil {
		t.Fatalf("the run failed: %v\n%s", report.Failure, report.Failure.Stack)
	}
}

// openPGX is a pool of database/sql with pgx.
func openPGX(t *testing.T, p *sim.Process, dsn string, mode pgx.QueryExecMode) *sql.DB {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.DefaultQueryExecMode = mode
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		return p.DialContext(ctx, network, address, time.Minute)
	}
	return sql.OpenDB(stdlib.GetConnector(*config))
}

// TestPGX: pgx works behind the pooler, and in mode Transaction as far as it does behind a real one: the names of its
// prepared statements are unknown at other server connections.
func TestPGX(t *testing.T) {
	o := one
	o.DefaultPoolSize = 2
	withClient(t, o, func(p *sim.Process, dsn string) {
		ctx := context.Background()
		db := openPGX(t, p, dsn, pgx.QueryExecModeExec)
		defer db.Close()
		tx, err := db.BeginTx(ctx, nil)
		must(t, err)
		var v int
		must(t, tx.QueryRowContext(ctx, "SELECT v FROM t WHERE id = $1 FOR UPDATE", 1).Scan(&v))
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := db.ExecContext(short, "UPDATE t SET v = v + 1 WHERE id = $1", 1); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("an update that waits: %v", err)
		}
		time.Sleep(100 * time.Millisecond) // the cancel request needs two connections
		must(t, tx.Commit())
		_, err = db.ExecContext(ctx, "UPDATE t SET v = v + 1 WHERE id = $1", 1)
		must(t, err)
		must(t, db.QueryRowContext(ctx, "SELECT v FROM t").Scan(&v))
		if v != 1 {
			t.Errorf("v is %d: the update that was given up has been carried out", v)
		}

		caching := openPGX(t, p, dsn, pgx.QueryExecModeCacheStatement)
		defer caching.Close()
		c, err := caching.Conn(ctx)
		must(t, err)
		defer c.Close()
		must(t, c.QueryRowContext(ctx, "SELECT v FROM t WHERE id = $1", 1).Scan(&v))
		tx, err = db.BeginTx(ctx, nil) // it has the server connection that was used last
		must(t, err)
		defer func() { _ = tx.Rollback() }()
		_, err = tx.ExecContext(ctx, "SELECT 1")
		must(t, err)
		err = c.QueryRowContext(ctx, "SELECT v FROM t WHERE id = $1", 1).Scan(&v)
		if e := new(pgconn.PgError); !errors.As(err, &e) || e.Code != "26000" {
			t.Errorf("a statement that another server connection has prepared: %v", err)
		}
	})
}

// TestPQ: lib/pq works behind the pooler.
func TestPQ(t *testing.T) {
	withClient(t, simpgbouncer.Options{DefaultPoolSize: 1}, func(p *sim.Process, dsn string) {
		ctx := context.Background()
		connector, err := pq.NewConnector(dsn)
		must(t, err)
		connector.Dialer(dialer{p})
		db := sql.OpenDB(connector)
		defer db.Close()
		c, err := db.Conn(ctx)
		must(t, err)
		var got bool
		must(t, c.QueryRowContext(ctx, "SELECT pg_try_advisory_lock($1)", 1).Scan(&got))
		if !got {
			t.Error("the lock is not free")
		}
		short, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if _, err := db.ExecContext(short, "SELECT 1"); err == nil || strings.Contains(err.Error(), "startup") {
			t.Errorf("a second session with one server connection: %v", err)
		}
	})
}
