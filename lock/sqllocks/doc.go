// Package sqllocks has distributed locks over MySQL and MariaDB, through database/sql and
// github.com/go-sql-driver/mysql, sound ones and flawed ones. The comment of each gives its
// guarantee, what breaks it (with the scenario and the property of Lockpick that show it)
// and what it costs.
//
//	db, err := sql.Open("mysql", dsn)
//	if err != nil {
//		return err
//	}
//	if err := sqllocks.Create(ctx, db); err != nil { // the tables, once
//		return err
//	}
//	locker := sqllocks.NewLease(db, "orders", sqllocks.Options{TTL: 10 * time.Second})
//
// For production:
//
//   - [Lease]: a row with an end and a version. It has a fencing token, needs no connection
//     while it is held, and tells its end.
//   - [PessimisticStock], [OptimisticStock]: items that are sold in the database's own
//     transactions, under a row lock or by comparing a version. No lock that ends too early can harm them.
//   - [Unique]: a row under a primary key. It has no end: the row of a holder that crashes
//     stays.
//   - [Row], [Named]: a row lock, and a named lock. They end with their connection. [Named]
//     tells its holder soon after; [Row] does not.
//
// The flawed ones are here to be found: each is written as carefully as the others, and its
// comment names the flaw.
//
//   - [Pooled]: a named lock through a pool of connections.
//   - [ValueLease]: a lease that is compared by a value that comes back.
//   - [PrintedStock]: a widely read listing.
//   - [NotedRow]: a row lock whose holder needs a second connection.
//   - [RetriedRow]: a row lock that repeats a statement after a deadlock, and not its transaction.
//
// None depends on the simulation, and without options they run in production. Statements
// that are not answered within [Options.Patience] fail with their connection, and are tried
// again where that is safe. All but [Pooled] pass the same tests on a real MariaDB, but for
// what their comments say that they cannot.
package sqllocks
