// Package sqllocks has locks over MySQL and MariaDB, through database/sql and
// github.com/go-sql-driver/mysql. The comment of each gives its
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
//     while it is held, and says when it ends. Take it for a resource outside of the
//     database.
//   - [PessimisticStock], [OptimisticStock]: items that are sold in the database's own
//     transactions, under a row lock or by comparing a version. No lock that ends too early can harm them.
//   - [Unique]: a row under a primary key. It has no end: the row of a holder that crashes
//     stays.
//   - [Row], [Table], [Named]: a row lock, a lock on a whole table, and a named lock. They end with
//     their connection. [Named] notifies its holder soon after; the others do not.
//
// None depends on the simulation, and without options they run in production. Statements
// that are not answered within [Options.Patience] fail with their connection, and are tried
// again where that is safe.
//
// Locks that are flawed on purpose, or as a document prints them, are in package flawed.
package sqllocks
