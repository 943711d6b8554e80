// Package pglocks has locks over PostgreSQL, through pgx and its pool, and stocks through database/sql with
// pgx or github.com/lib/pq. The comment of each gives its guarantee, what breaks it (with the scenario and
// the property of Lockpick that show it) and what it costs.
//
//	pool, err := pgxpool.New(ctx, dsn)
//	if err != nil {
//		return err
//	}
//	if err := pglocks.Create(ctx, pool); err != nil { // the tables, once
//		return err
//	}
//	locker := pglocks.NewLease(pool, "orders", pglocks.Options{TTL: 10 * time.Second})
//
// For production:
//
//   - [Lease]: a row with an end and a version. It has a fencing token, needs no connection while it is
//     held, and says when it ends. Take it for a resource outside of the database. [Notify] is a lease whose
//     waiters are woken.
//   - [PessimisticStock], [OptimisticStock], [Queue]: items that are sold in the database's own transactions,
//     under a row lock, by comparing a version, or by FOR UPDATE SKIP LOCKED. No lock that ends too early can
//     harm them.
//   - [Advisory], [AdvisoryXact], [Row]: advisory locks of a session and of a transaction, and a row lock. They
//     end with their connection, and notify their holder soon after.
//
// None depends on the simulation, and without options they run in production. Statements that are not
// answered within [Options.Patience] fail with their connection, and are tried again where that is safe.
//
// Behind PgBouncer in transaction mode all can be used except [Advisory], if the pool of pgx has a query mode
// that prepares nothing (pgx.QueryExecModeExec).
//
// Locks that are flawed on purpose, or as a document prints them, are in package flawed.
package pglocks
