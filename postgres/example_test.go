package postgres_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// advisory is a lock over PostgreSQL: an advisory lock, on a connection that only the holder uses.
type advisory struct{ pool *pgxpool.Pool }

func newAdvisory(c *locktest.Client) lock.Locker { return advisory{postgres.Pool(c)} }

func (l advisory) Acquire(ctx context.Context) (lock.Lease, error) {
	conn, err := l.pool.Acquire(ctx)
	if err != nil {
		return nil, err
	}
	if _, err := conn.Exec(ctx, `SELECT pg_advisory_lock(42)`); err != nil {
		_ = conn.Hijack().Close(context.Background())
		return nil, err
	}
	return &advisoryLease{conn}, nil
}

type advisoryLease struct{ conn *pgxpool.Conn }

func (l *advisoryLease) Release(ctx context.Context) error {
	if l.conn == nil {
		return lock.ErrNotHeld
	}
	_, err := l.conn.Exec(ctx, `SELECT pg_advisory_unlock(42)`)
	if err != nil {
		_ = l.conn.Conn().Close(context.Background()) // and with it the session
	}
	l.conn.Release()
	l.conn = nil
	return err
}

// A test names the store of its lock: [postgres.Store], or [postgres.Schema] with the lock's tables.
func Example() {
	test := func(t *testing.T) { // func TestMyLock(t *testing.T)
		locktest.Check(t, newAdvisory, locktest.On(postgres.Store), locktest.Ownership(postgres.AdvisoryOwnership(42)))
	}
	_ = test
}

// The same behind a PgBouncer, whose transactions run in any session.
func Example_pooler() {
	test := func(t *testing.T) {
		locktest.Check(t, newAdvisory, locktest.On(postgres.Store), locktest.Param("pooler", "transaction"),
			locktest.Ownership(postgres.AdvisoryOwnership(42)))
	}
	_ = test
}

// The owner and the end of a lock are columns of its row.
func ExampleRowOwnership() {
	store := postgres.Schema(`CREATE TABLE leases (name text PRIMARY KEY, owner text, expires timestamptz)`)
	row := postgres.RowOwnership{Table: "leases", Owner: "owner", Expires: "expires"}
	test := func(t *testing.T, newLock func(*locktest.Client) lock.Locker) {
		locktest.Check(t, newLock, locktest.On(store), locktest.Ownership(row))
	}
	_ = test
}

// A program has a connection string of its own, and its test leads it to the simulated server.
func ExampleRoute() {
	newLock := func(c *locktest.Client) lock.Locker {
		config, err := pgxpool.ParseConfig("postgres://app:secret@db.example.com/app?sslmode=verify-full&pool_max_conns=10")
		if err != nil {
			panic(err)
		}
		postgres.Route(c, config.ConnConfig)
		pool, err := pgxpool.NewWithConfig(context.Background(), config)
		if err != nil {
			panic(err)
		}
		c.Cleanup(func() { go pool.Close() })
		return advisory{pool}
	}
	test := func(t *testing.T) { locktest.Check(t, newLock, locktest.On(postgres.Store)) }
	_ = test
}

// Each client has a pool of connections. This is one run, in which nothing fails.
func ExamplePool() {
	locks := []cell.Lock{{ID: "mylock", Store: postgres.Store, Subject: locktest.Mutex(newAdvisory)}}
	c, err := scenarios.Registry(locks).Cell("contention", "mylock", nil)
	if err != nil {
		panic(err)
	}
	run := c.Run(explore.Run{Tape: sim.Calm{}, Record: true})
	held := 0
	for _, op := range run.Recording.History.Operations {
		if op.Kind == model.Acquire && op.Result == model.OK {
			held++
		}
	}
	fmt.Println("acquired:", held, "violations:", len(run.Violated()))
	// Output: acquired: 6 violations: 0
}
