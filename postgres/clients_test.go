package postgres_test

import (
	"database/sql"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/postgres"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/storetest"
)

// clients are locks over each client as its defaults leave it, so that statements are prepared and kept, while all that can fail does.
var (
	clients = storetest.Suite{Locks: pgxLocks(), Scenario: "contention", Params: everything}
	pq      = storetest.Suite{Locks: pqLocks(), Scenario: "contention", Params: everything}
	all     = storetest.Suite{Locks: slices.Concat(clients.Locks, pq.Locks)}
)

var everything = [][2]string{
	{"clients", "3"}, {"replicas", "1"},
	{"resets", "2"}, {"pauses", "1"}, {"cut-offs", "1"}, {"failovers", "1"}, {"hangs", "1"}, {"partitions", "1"},
	{"lost-replies", "1"}, {"late-replies", "1"}, {"late-requests", "1"}, {"cancels", "2"}, {"terminations", "1"},
}

func pgxLocks() (list []cell.Lock) {
	store := postgres.Schema(pglocks.Schema()...)
	mutex := func(id string, make func(c *cell.Client, o pglocks.Options) lock.Locker) {
		list = append(list, cell.Lock{ID: "pgxpool-" + id, Summary: id + " by pgxpool", Store: store, Subject: cell.Mutex(func(c *cell.Client) lock.Locker { return make(c, options(c)) })})
	}
	mutex("lease", func(c *cell.Client, o pglocks.Options) lock.Locker {
		return pglocks.NewLease(postgres.Pool(c), c.LockName(), o)
	})
	mutex("row", func(c *cell.Client, o pglocks.Options) lock.Locker {
		return pglocks.NewRow(postgres.Pool(c), c.LockName(), o)
	})
	mutex("advisory-xact", func(c *cell.Client, o pglocks.Options) lock.Locker {
		return pglocks.NewAdvisoryXact(postgres.Pool(c), c.LockName(), o)
	})
	return append(list, stocks("pgx", func(c *cell.Client) *sql.DB { return postgres.Connect(c) })...)
}

// pqLocks are stocks by lib/pq. A context that ends wakes a goroutine of lib/pq and one of database/sql, and what follows depends on
// which of them goes on first. Without simrun's overlay that is the scheduler's choice, which differs in the race build.
func pqLocks() []cell.Lock {
	return stocks("pq", func(c *cell.Client) *sql.DB { return postgres.PQ(c) })
}

func stocks(client string, connect func(*cell.Client) *sql.DB) (list []cell.Lock) {
	store := postgres.Schema(pglocks.Schema()...)
	stock := func(id string, make func(db *sql.DB, name string, o pglocks.Options) lock.Stock) {
		list = append(list, cell.Lock{ID: client + "-" + id, Summary: id + " by " + client, Store: store, Subject: cell.Stock(8, func(c *cell.Client) lock.Stock {
			return make(connect(c), c.LockName(), options(c))
		})})
	}
	stock("pessimistic", func(db *sql.DB, name string, o pglocks.Options) lock.Stock {
		return pglocks.NewPessimisticStock(db, name, o)
	})
	stock("optimistic", func(db *sql.DB, name string, o pglocks.Options) lock.Stock {
		return pglocks.NewOptimisticStock(db, name, o)
	})
	stock("queue", func(db *sql.DB, name string, o pglocks.Options) lock.Stock { return pglocks.NewQueue(db, name, o) })
	return list
}

func options(c *cell.Client) pglocks.Options {
	return pglocks.Options{TTL: c.TTL(), MinSleep: c.Pause(), RandomSleep: c.Pause(), Clock: c.Clock(), Rand: c.Rand()}
}

func TestMain(m *testing.M) { all.Main(m) }

// TestRunsOfClientsRepeat: runs come out the same in two processes.
func TestRunsOfClientsRepeat(t *testing.T) {
	slowtest.SkipIfShort(t)
	clients.Test(t)
	pq.Test(t)
}

// TestRaceBuildOfClients: and in a binary with the race detector.
func TestRaceBuildOfClients(t *testing.T) { clients.TestRaceBuild(t) }

// TestRaceBuildOfPQ needs a program with simrun's overlay: GOFLAGS=-overlay="$(simrun overlay)".
func TestRaceBuildOfPQ(t *testing.T) {
	if !explore.Exact() {
		t.Skip("which of two goroutines goes on first is the scheduler's choice without simrun's overlay")
	}
	pq.TestRaceBuild(t)
}
