package builtin

import (
	"database/sql"

	driver "github.com/go-sql-driver/mysql"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/lock"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks"
	"github.com/lockpick-dev/lockpick/mysql/sqllocks/flawed"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// store has the tables of sqllocks.
var store = mysql.Schema(sqllocks.Schema()...)

// Locks are the built-in locks over MySQL, in the order in which they are listed.
func Locks() []cell.Lock {
	return []cell.Lock{
		mutex("db-unique", "a row under a primary key, deleted to release", ownedRow, newLock(sqllocks.NewUnique)),
		mutex("db-unique-lease", "a row with an owner, an end and a version, taken over by a conditional UPDATE", leasedRow, newLock(sqllocks.NewLease)),
		mutex("db-row", "SELECT ... FOR UPDATE in a transaction of its own; what it protects is elsewhere", lockedRow, newLock(sqllocks.NewRow)),
		mutex("db-table", "LOCK TABLES ... WRITE on a connection of its own; what it protects is elsewhere", lockedTable, newLock(sqllocks.NewTable)),
		mutex("db-named", "GET_LOCK on a connection of its own, which is asked after", namedLock, newLock(sqllocks.NewNamed)),
		{
			ID: "db-pessimistic", Summary: "a stock whose row is locked FOR UPDATE while an order is served", Store: store,
			Subject: cell.Stock(8, func(c *cell.Client) lock.Stock {
				return sqllocks.NewPessimisticStock(connect(c), c.LockName(), options(c))
			}),
		},
		{
			ID: "db-optimistic", Summary: "a stock whose version is compared when the items are taken", Store: store,
			Subject: cell.Stock(8, func(c *cell.Client) lock.Stock {
				return sqllocks.NewOptimisticStock(connect(c), c.LockName(), options(c))
			}),
		},
		{
			ID: "db-optimistic-as-printed", Summary: "a widely read listing: the version is compared with itself", Store: store, Flawed: true,
			Subject: cell.Stock(8, func(c *cell.Client) lock.Stock { return flawed.NewPrintedStock(connect(c), c.LockName(), options(c)) }),
		},
		marked(mutex("db-optimistic-no-version", "a lease that is compared by its owner, who may come back (ABA)", leasedRow, func(c *cell.Client) lock.Locker {
			return flawed.NewValueLease(connect(c), c.LockName(), c.Name(), options(c))
		})),
		marked(mutex("db-row-noted", "a row lock whose holder notes on another connection that it has it", lockedRow, newLock(flawed.NewNotedRow))),
		marked(mutex("db-row-retried", "a row lock that repeats a statement that has ended in a deadlock, and not its transaction", lockedRow, newLock(flawed.NewRetriedRow))),
		marked(mutex("db-row-autocommit", "SELECT ... FOR UPDATE with autocommit left on: the row lock ends with the statement", lockedRow, newLock(flawed.NewAutocommitRow))),
		{
			ID: "db-named-pooled", Summary: "GET_LOCK through a pool of connections", Store: store, Reading: cell.Reading{Ownership: namedLock},
			Flawed: true, Needs: cell.Needs{Threads: 2}, Subject: cell.Mutex(newLock(flawed.NewPooled)),
		},
	}
}

// marked marks a lock that is known to fail.
func marked(l cell.Lock) cell.Lock {
	l.Flawed = true
	return l
}

func mutex(id, summary string, view model.Ownership, make cell.NewLock) cell.Lock {
	return cell.Lock{ID: id, Summary: summary, Store: store, Reading: cell.Reading{Ownership: view}, Subject: cell.Mutex(make)}
}

// newLock makes a lock with a pool of its own.
func newLock[L lock.Locker](make func(*sql.DB, string, sqllocks.Options) L) cell.NewLock {
	return func(c *cell.Client) lock.Locker { return make(connect(c), c.LockName(), options(c)) }
}

// connect returns a pool that writes arguments into statements: a request each, where a
// prepared statement takes three.
func connect(c *cell.Client) *sql.DB {
	return mysql.ConnectWith(c, func(config *driver.Config) { config.InterpolateParams = true })
}

func options(c *cell.Client) sqllocks.Options {
	return sqllocks.Options{TTL: c.TTL(), MinSleep: c.Pause(), RandomSleep: c.Pause(), Clock: c.Clock(), Rand: c.Rand()}
}

// Families are the locks with what is expected of them, in the order of [Locks].
func Families() []expect.Family {
	return []expect.Family{
		{Title: "MySQL: rows, row locks, table locks and named locks", Expectations: lockExpectations},
		{Title: "MySQL: stocks in the database", Expectations: stockExpectations},
		{Title: "MySQL, flawed", Expectations: flawedExpectations},
	}
}
