// Package postgres simulates PostgreSQL for tests of locks: a server with replicas, a PgBouncer before it if a
// test asks for one, and unmodified clients of pgx, pgxpool, database/sql and lib/pq that connect to it.
//
// A test names the store with locktest.On, and the lock takes its pool of connections from [Pool], which
// returns one of pgxpool, from [Connect], which returns one of database/sql over pgx, or from [PQ], which
// returns one over lib/pq. [Route] leads a configuration of pgx to the simulated server that the code under test
// has made from its own connection string. [Store] has no tables; [Schema] is the store with tables:
//
//	const table = `CREATE TABLE mylock (name text PRIMARY KEY, owner text)`
//
//	locktest.Check(t, func(c *locktest.Client) lock.Locker {
//		return mylock.New(postgres.Pool(c), c.LockName())
//	}, locktest.On(postgres.Schema(table)))
//
// The oldest supported versions are v5.9.0 of pgx and v1.11.2 of lib/pq: older ones lack what the server and the pools are made of, and
// lib/pq v1.11.0 and v1.11.1 send an option that a PgBouncer refuses.
//
// A context that ends wakes a goroutine of lib/pq and one of database/sql. Which of them goes on first is the choice of Go's
// scheduler, unless the program is built with simrun's overlay. So runs of lib/pq may differ in the race build: a few of a hundred do.
// If it is the context of BeginTx, and a statement of the transaction waits, the run stalls: database/sql waits for a mutex until
// lib/pq has cancelled the statement over the network. Give BeginTx a context that does not end, or use pgx.
//
// Settings such as lock_timeout and idle_session_timeout are set as with a real server, by SET or in the
// driver's configuration. Parameters of scenarios are the store's:
//
//   - pooler=session, transaction or statement: clients connect to a PgBouncer with that pool_mode, which has
//     pooler-connections connections to the server at most. [Direct] goes around it.
//   - synchronous-commit=off: a crash loses the last commits; on and remote_apply: a commit waits for a replica.
//   - terminations: how many sessions an administrator may end.
//
// Package simpostgres lists the SQL that the server supports. Any other statement fails the run, with a message
// that has it.
//
// "The lease" of scenarios is what the lock keeps: the end that is stored in a row, or the session. A lock's
// records are the rows whose primary key is the lock's name, the locks on these rows, and advisory locks.
// [RowOwnership] names the columns of a row's owner and end, [AdvisoryOwnership] an advisory lock.
//
// Package builtin has the locks that come with Lockpick, and what is expected of them.
package postgres
