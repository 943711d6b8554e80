package builtin

import (
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres"
	"github.com/lockpick-dev/lockpick/postgres/pglocks"
	"github.com/lockpick-dev/lockpick/postgres/pglocks/flawed"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// store has the tables of pglocks.
var store = postgres.Schema(pglocks.Schema()...)

// Locks are the built-in locks over PostgreSQL, in the order in which they are listed.
func Locks() []cell.Lock {
	return []cell.Lock{
		mutex("pg-advisory", "pg_advisory_lock in a session of its own, which is asked after", advisory, newAdvisory),
		mutex("pg-advisory-xact", "pg_advisory_xact_lock in a transaction that stays open", advisory, newAdvisoryXact),
		mutex("pg-row", "SELECT ... FOR UPDATE in a transaction of its own; what it protects is elsewhere", lockedRow, newRow),
		mutex("pg-lease", "a row with an owner, an end and a version, taken by INSERT ... ON CONFLICT DO UPDATE ... WHERE", leasedRow, newLease),
		mutex("pg-notify", "pg-lease whose waiters LISTEN and are woken by its release", leasedRow, newNotify),
		stock("pg-pessimistic", "a stock whose row is locked FOR UPDATE while an order is served", opened(pglocks.NewPessimisticStock)),
		stock("pg-optimistic", "a stock whose version is compared when the items are taken", opened(pglocks.NewOptimisticStock)),
		stock("pg-skip-locked", "a queue of items, of which an order takes the first that are free by FOR UPDATE SKIP LOCKED", opened(pglocks.NewQueue)),
		behind(marked(mutex("pg-advisory-pooler", "pg-advisory behind a PgBouncer in transaction mode, where lock and unlock run in any session", advisory, newAdvisory))),
		threads(marked(mutex("pg-advisory-pooled", "pg_advisory_lock and pg_advisory_unlock through a pool of connections", advisory, newPooledAdvisory))),
		marked(mutex("pg-advisory-cancelled", "pg_advisory_unlock with the context of the work, on a connection that the pool takes back", advisory, newCancelledAdvisory)),
		marked(mutex("pg-advisory-conn-returned", "an advisory lock that is released by closing its connection, which goes back to the pool", advisory, newReturned)),
		marked(mutex("pg-lease-upsert", "a lease that is extended by an upsert, which also takes another's", leasedRow, newUpsertLease)),
		marked(mutex("pg-lease-excluded", "a lease whose end is that of EXCLUDED, computed before the wait for the row", leasedRow, newExcludedLease)),
		marked(mutex("pg-election-excluded", "a lease that is extended if the owner of EXCLUDED is the one who extends it, which it always is", leasedRow, newReelectedLease)),
		marked(mutex("pg-optimistic-no-version", "a lease that is compared by its owner, who may come back (ABA)", leasedRow, newValueLease)),
		flawedStock("pg-optimistic-as-printed", "a widely read listing: the version is compared with itself", opened(flawed.NewPrintedStock)),
		flawedStock("pg-skip-locked-unlocked", "a queue whose items are chosen in a sub-select without FOR UPDATE SKIP LOCKED", opened(flawed.NewUnlockedQueue)),
	}
}

// marked marks a lock that is known to fail.
func marked(l cell.Lock) cell.Lock {
	l.Flawed = true
	return l
}

// threads makes two threads share each pool.
func threads(l cell.Lock) cell.Lock {
	l.Needs.Threads = 2
	return l
}

// behind puts a pooler in transaction mode before the server, with a session for two clients.
func behind(l cell.Lock) cell.Lock {
	l.Needs.Settings = []cell.OwnSetting{{Name: postgres.Pooler, Value: postgres.TransactionPooling}, {Name: postgres.PoolerConnections, Value: 2}}
	return l
}

func mutex(id, summary string, view model.Ownership, make cell.NewLock) cell.Lock {
	return cell.Lock{ID: id, Summary: summary, Store: store, Reading: cell.Reading{Ownership: view}, Subject: cell.Mutex(make)}
}

// items is the number of items in a stock at first.
const items = 8

func stock(id, summary string, make func(*cell.Client) lock.Stock) cell.Lock {
	return cell.Lock{ID: id, Summary: summary, Store: store, Subject: cell.Stock(items, make)}
}

func flawedStock(id, summary string, make func(*cell.Client) lock.Stock) cell.Lock {
	return marked(stock(id, summary, make))
}

// opened makes a stock with a pool of database/sql of its own.
func opened[S lock.Stock](make func(*sql.DB, string, pglocks.Options) S) func(*cell.Client) lock.Stock {
	return func(c *cell.Client) lock.Stock { return make(db(c), c.LockName(), options(c)) }
}

func newReturned(c *cell.Client) lock.Locker {
	return flawed.NewReturnedAdvisory(db(c), c.LockName(), options(c))
}

func newValueLease(c *cell.Client) lock.Locker {
	return flawed.NewValueLease(pool(c), c.LockName(), c.Name(), options(c))
}

// pool returns a pool that prepares nothing: a request for each statement, and no trouble with a pooler.
func pool(c *cell.Client) *pgxpool.Pool {
	return postgres.Pool(c, func(config *pgxpool.Config) { prepareNothing(config.ConnConfig) })
}

// db returns the same of database/sql.
func db(c *cell.Client) *sql.DB { return postgres.ConnectWith(c, prepareNothing) }

func prepareNothing(config *pgx.ConnConfig) {
	config.DefaultQueryExecMode = pgx.QueryExecModeExec
	config.StatementCacheCapacity, config.DescriptionCacheCapacity = 0, 0
}

func options(c *cell.Client) pglocks.Options {
	return pglocks.Options{TTL: c.TTL(), MinSleep: c.Pause(), RandomSleep: c.Pause(), Clock: c.Clock(), Rand: c.Rand()}
}

// Families are the locks with what is expected of them, in the order of [Locks].
func Families() []expect.Family {
	return []expect.Family{
		{Title: "PostgreSQL: advisory locks, row locks and leases", Expectations: lockExpectations},
		{Title: "PostgreSQL: stocks in the database", Expectations: stockExpectations},
		{Title: "PostgreSQL, flawed", Expectations: flawedExpectations},
	}
}
