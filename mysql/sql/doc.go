// Package sql is the SQL engine of the simulated MySQL: it parses statements, keeps tables, and executes statements in
// transactions with snapshots and locks on rows and gaps. A [Dialect] has what differs between servers of that family. The package
// has no wire protocol, no protocol sessions, and no store's error numbers: a server is the [Host] of a [Database], and
// its connections are the [Client] of a [Session] each.
//
//	db := sql.NewDatabase(dialect, host)
//	s := db.NewSession(client)
//	p, err := dialect.Parse("UPDATE t SET v = ? WHERE id = 1")
//	s.Perform(p.Statement, []sql.Value{sql.IntValue(2)}) // client.Answer is called now, or later
//	db.Settle()                                          // at the end of each event
//
// # What it knows
//
//   - CREATE, DROP and TRUNCATE TABLE; INSERT, UPDATE, DELETE; SELECT from one table, a view of the server or none with WHERE, ORDER BY, LIMIT,
//     COUNT, MIN, MAX and SUM, LIKE on views, FOR UPDATE and FOR SHARE with NOWAIT and SKIP LOCKED; BEGIN, COMMIT, ROLLBACK and SAVEPOINT.
//   - Columns of integers, floating-point numbers, texts, and dates with a time; a primary key, unique and other keys,
//     one numbered column, and defaults.
//   - Transactions with snapshots, and statements that are transactions by themselves. A statement that fails is rolled
//     back.
//   - LOCK TABLES, UNLOCK TABLES, and waits for tables that others use.
//   - Locks on records: shared and exclusive, on the record, the gap before it or both, granted in the order of their
//     requests. The rules are InnoDB's, and so is the victim of a deadlock: the transaction with the fewest changes
//     and locks, and of equals the one that closes the circle.
//   - Committed rows as replicas get them: [Txn.Images], [Replica], [Copy].
//
// # What a dialect says
//
// Quotes, comments, operators and reserved words; the statements, with their readers; functions; types; the collation;
// what CREATE TABLE has beside columns and keys; the isolation levels, with their snapshots and locks; which statements
// commit the open transaction first; and which errors roll it back. A dialect's own statements are [Runner] values, its
// own expressions [Evaluator] values.
//
// # What it does not know
//
// There are no joins, queries that depend on the rows of another or are in a change, unions, groups or views, no
// foreign keys, checks or triggers, and one database. There are no integers beyond 64 bits with sign, no decimals and
// no binary texts. Not yet by dialect: values are converted to other types where an operator wants them, a division by
// zero is NULL, NULL comes first in every order, names of tables and columns are compared without regard to case, and
// definitions are not undone by a rollback.
//
// The choice of an index does not depend on statistics: a whole unique key is preferred, then a range of the primary
// key, then equal values of another key, then all rows.
//
// # Threads
//
// Everything belongs to the conductor, as in package sim.
package sql
