package realpostgres_test

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	_ "github.com/jackc/pgx/v5/stdlib" // the driver pgx

	"github.com/lockpick-dev/lockpick/internal/realserver"
	"github.com/lockpick-dev/lockpick/postgres/realpostgres"
)

// Each test shows on real servers what one kind of bug of locks does.

// leases is the table of leases that the tests use.
const leases = "CREATE TABLE leases (name text PRIMARY KEY, owner text NOT NULL, expires_at timestamptz NOT NULL)"

// connect opens a session.
func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // prepared statements do not survive a pooler
	c, err := pgx.ConnectConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

// exec executes statements that must succeed.
func exec(t *testing.T, c *pgx.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := c.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// queryer is a connection or a pool.
type queryer interface {
	QueryRow(ctx context.Context, query string, args ...any) pgx.Row
}

// one returns the only value of a query.
func one[T any](t *testing.T, c queryer, query string) (v T) {
	t.Helper()
	if err := c.QueryRow(t.Context(), query).Scan(&v); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return v
}

// waits returns when a session waits for a lock.
func waits(t *testing.T, watcher *pgx.Conn, query string) {
	t.Helper()
	err := realserver.Eventually(20*time.Second, func() error {
		var n int
		err := watcher.QueryRow(t.Context(), "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query = '"+query+"'").Scan(&n)
		if err == nil && n == 0 {
			err = errors.New("nobody waits: " + query)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestExcludedEnd: the end of a lease that an upsert proposes is computed before the statement waits for the row, so that
// the lease is over when it is granted.
func TestExcludedEnd(t *testing.T) {
	server := realpostgres.Start(t)
	a, b, watcher := connect(t, server.DSN), connect(t, server.DSN), connect(t, server.DSN)
	exec(t, a, leases, "INSERT INTO leases VALUES ('lock', 'a', now())", "BEGIN", "SELECT * FROM leases FOR UPDATE")
	const acquire = "INSERT INTO leases VALUES ($$lock$$, $$b$$, clock_timestamp() + $$200 ms$$) ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at WHERE leases.expires_at < now()"
	granted := make(chan error, 1)
	go func() {
		tag, err := b.Exec(context.Background(), acquire)
		if err == nil && tag.RowsAffected() != 1 {
			err = errors.New("it is not granted")
		}
		granted <- err
	}()
	waits(t, watcher, acquire)
	time.Sleep(300 * time.Millisecond)
	exec(t, a, "COMMIT")
	if err := <-granted; err != nil {
		t.Fatal(err)
	}
	if !one[bool](t, b, "SELECT expires_at < clock_timestamp() FROM leases WHERE owner = 'b'") {
		t.Error("the lease was granted for the future")
	}
}

// TestSessionLockUnderTransactionPooling: a pooler in transaction mode executes lock and unlock on different sessions of
// the server: the lock is held for ever, or, if another client comes to the holder's session, twice.
func TestSessionLockUnderTransactionPooling(t *testing.T) {
	_, pooler := pooled(t, "transaction")
	a, b := connect(t, pooler.DSN), connect(t, pooler.DSN)
	exec(t, a, "SELECT pg_advisory_lock(1)")
	exec(t, b, "BEGIN") // on the session that was used last
	if !one[bool](t, b, "SELECT pg_try_advisory_lock(1)") {
		t.Error("the lock is not granted twice")
	}
	if one[bool](t, a, "SELECT pg_advisory_unlock(1)") {
		t.Error("the lock is released on a session that does not hold it")
	}
}

// pooled starts a server with a pooler.
func pooled(t *testing.T, mode string) (*realpostgres.Server, *realpostgres.Pooler) {
	realpostgres.NeedPooler(t)
	server := realpostgres.Start(t)
	return server, realpostgres.StartPooler(t, server.Addr, realpostgres.Pooling{Mode: mode})
}

// pool opens a pool of pgx with the given number of connections.
func pool(t *testing.T, dsn string, most int32) *pgxpool.Pool {
	t.Helper()
	config, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.MaxConns = most
	p, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// TestUnlockOnCancelledContext: an unlock whose context is cancelled is never sent, and the pool takes the connection back
// with the lock.
func TestUnlockOnCancelledContext(t *testing.T) {
	server := realpostgres.Start(t)
	p, other := pool(t, server.DSN, 2), connect(t, server.DSN)
	c, err := p.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(t.Context(), "SELECT pg_advisory_lock(1)"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := c.Exec(ctx, "SELECT pg_advisory_unlock(1)"); !errors.Is(err, context.Canceled) {
		t.Errorf("the unlock: %v", err)
	}
	c.Release()
	if got := p.Stat().IdleConns(); got != 1 {
		t.Errorf("the pool has %d idle connections, want the one with the lock", got)
	}
	if one[bool](t, other, "SELECT pg_try_advisory_lock(1)") {
		t.Error("the lock is free")
	}
}

// TestLockAndUnlockByThePool: a pool executes lock and unlock on two sessions, and unlock answers false.
func TestLockAndUnlockByThePool(t *testing.T) {
	server := realpostgres.Start(t)
	p, other := pool(t, server.DSN, 2), connect(t, server.DSN)
	if _, err := p.Exec(t.Context(), "SELECT pg_advisory_lock(1)"); err != nil {
		t.Fatal(err)
	}
	busy, err := p.Acquire(t.Context()) // somebody uses the session with the lock
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Release()
	if one[bool](t, p, "SELECT pg_advisory_unlock(1)") {
		t.Error("the lock is released on another session")
	}
	if one[bool](t, other, "SELECT pg_try_advisory_lock(1)") {
		t.Error("the lock is free")
	}
}

// TestConnectionClosedIntoThePool: Close of a connection of database/sql gives it back to the pool, and its session keeps
// the lock.
func TestConnectionClosedIntoThePool(t *testing.T) {
	server := realpostgres.Start(t)
	db, err := sql.Open("pgx", server.DSN)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.ExecContext(t.Context(), "SELECT pg_advisory_lock(1)"); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if one[bool](t, connect(t, server.DSN), "SELECT pg_try_advisory_lock(1)") {
		t.Error("the lock is free")
	}
}

// TestClientKilledBehindPooler: when a client dies that holds a lock, a pooler in transaction mode gives the session with
// the lock to the next client. In session mode it resets the session first.
func TestClientKilledBehindPooler(t *testing.T) {
	for mode, kept := range map[string]bool{"transaction": true, "session": false} { // unordered: tests of their own
		t.Run(mode, func(t *testing.T) {
			server, pooler := pooled(t, mode)
			other := connect(t, server.DSN)
			a := connect(t, pooler.DSN)
			exec(t, a, "SELECT pg_advisory_lock(1)")
			if err := a.PgConn().Conn().Close(); err != nil { // without a word
				t.Fatal(err)
			}
			time.Sleep(300 * time.Millisecond)
			if free := one[bool](t, other, "SELECT pg_try_advisory_lock(1)"); free == kept {
				t.Errorf("the lock is free: %v", free)
			}
			if got := one[bool](t, connect(t, pooler.DSN), "SELECT pg_try_advisory_lock(1)"); got != kept {
				t.Errorf("the next client gets it: %v", got)
			}
		})
	}
}

// TestRenewalAsUpsert: a renewal that comes late takes the lock from its new owner.
func TestRenewalAsUpsert(t *testing.T) {
	server := realpostgres.Start(t)
	a, b := connect(t, server.DSN), connect(t, server.DSN)
	exec(t, a, leases, "INSERT INTO leases VALUES ('lock', 'a', now() - interval '1 s')")
	exec(t, b, "UPDATE leases SET owner = 'b', expires_at = now() + interval '1 hour' WHERE name = 'lock' AND expires_at < now()")
	exec(t, a, "INSERT INTO leases VALUES ('lock', 'a', now() + interval '1 hour') ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, expires_at = excluded.expires_at")
	if got := one[string](t, b, "SELECT owner FROM leases"); got != "a" {
		t.Errorf("the owner is %s", got)
	}
}

// TestExcludedComparedWithItself: in an election that compares EXCLUDED with itself, anyone extends the leader's row.
func TestExcludedComparedWithItself(t *testing.T) {
	server := realpostgres.Start(t)
	a, b := connect(t, server.DSN), connect(t, server.DSN)
	exec(t, a, leases, "INSERT INTO leases VALUES ('leader', 'a', now() + interval '1 hour')")
	tag, err := b.Exec(t.Context(), "INSERT INTO leases VALUES ('leader', 'b', now() + interval '2 hours') ON CONFLICT (name) DO UPDATE SET expires_at = excluded.expires_at WHERE excluded.owner = excluded.owner")
	if err != nil || tag.RowsAffected() != 1 {
		t.Errorf("the election of b: %v, %v", tag, err)
	}
	if got := one[string](t, b, "SELECT owner FROM leases WHERE expires_at > now() + interval '90 minutes'"); got != "a" {
		t.Errorf("the row of %s is extended", got)
	}
}

// TestSubSelectWithoutLock: without FOR UPDATE SKIP LOCKED in the sub-select two workers get one item.
func TestSubSelectWithoutLock(t *testing.T) {
	server := realpostgres.Start(t)
	a, b, watcher := connect(t, server.DSN), connect(t, server.DSN), connect(t, server.DSN)
	exec(t, a, "CREATE TABLE items (id int PRIMARY KEY, state text NOT NULL)", "INSERT INTO items VALUES (1, 'new'), (2, 'new')")
	for _, c := range []struct {
		clause string
		want   int
	}{{"", 1}, {" FOR UPDATE SKIP LOCKED", 2}} {
		take := "UPDATE items SET state = $$taken$$ WHERE id = (SELECT id FROM items WHERE state = $$new$$ ORDER BY id LIMIT 1" + c.clause + ") RETURNING id"
		exec(t, a, "BEGIN")
		if got := one[int](t, a, take); got != 1 {
			t.Errorf("the first worker gets %d", got)
		}
		second := make(chan int, 1)
		go func() {
			var id int
			_ = b.QueryRow(context.Background(), take).Scan(&id) // 0 if it fails
			second <- id
		}()
		if c.clause == "" {
			waits(t, watcher, take)
			exec(t, a, "COMMIT")
		}
		if got := <-second; got != c.want {
			t.Errorf("with %q the second worker gets %d, want %d", c.clause, got, c.want)
		}
		if c.clause != "" {
			exec(t, a, "COMMIT")
		}
		exec(t, a, "UPDATE items SET state = 'new'")
	}
}

// TestIndexUnderAdvisoryLock: CREATE INDEX CONCURRENTLY waits for the statement that waits for the advisory lock that its
// own session holds: a deadlock.
func TestIndexUnderAdvisoryLock(t *testing.T) {
	server := realpostgres.Start(t, "deadlock_timeout=100ms")
	a, b, watcher := connect(t, server.DSN), connect(t, server.DSN), connect(t, server.DSN)
	exec(t, a, leases, "SELECT pg_advisory_lock(1)")
	second := make(chan error, 1)
	go func() {
		_, err := b.Exec(context.Background(), "SELECT pg_advisory_lock(1)")
		second <- err
	}()
	waits(t, watcher, "SELECT pg_advisory_lock(1)")
	time.Sleep(time.Second) // it has looked for a deadlock, so that the next one is found by the other
	_, err := a.Exec(t.Context(), "CREATE INDEX CONCURRENTLY leases_owner ON leases (owner)")
	if e := new(pgconn.PgError); !errors.As(err, &e) || e.Code != "40P01" {
		t.Errorf("the index: %v", err)
	}
	exec(t, a, "SELECT pg_advisory_unlock(1)")
	if err := <-second; err != nil {
		t.Errorf("the lock: %v", err)
	}
}
