// Package sql is the SQL engine of simulated servers: it parses statements, keeps tables, and carries statements out in
// transactions with snapshots and locks on rows and gaps. What differs between stores is a [Dialect]. It knows no wire, no
// sessions of a protocol, and no store's error numbers: a server is the [Host] of a [Database], and its connections are
// the [Client] of a [Session] each.
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
//   - Columns of integers, floating-point numbers, texts, and dates with a time; a primary key, unique and other keys, one
//     column that counts, and defaults.
//   - Transactions with snapshots, and statements that are transactions by themselves. A statement that fails is taken back.
//   - LOCK TABLES, UNLOCK TABLES, and who waits for a table that others use.
//   - Locks on records: shared and exclusive, on the record, the gap before it or both, granted in the order of their
//     requests. The rules are InnoDB's, and so is the victim of a deadlock: the transaction with the fewest changes
//     and locks, and of equals the one that closes the circle.
//   - Committed rows as replicas get them: [Txn.Images], [Replica], [Copy].
//
// # What a dialect says
//
// Quotes, comments, operators and reserved words; the statements, with their readers; functions; types; how texts are
// compared; what CREATE TABLE has beside columns and keys; the isolation levels, with what they see and lock; which statements
// commit the open transaction first; and which errors roll all of it back. A dialect's own statements are a [Runner], its own
// expressions an [Evaluator].
//
// # What it does not know
//
// There are no joins, queries that depend on the rows of another or are in a change, unions, groups or views, no foreign keys, checks or triggers, and one database.
// Integers over the signed 64 bits, decimals and binary texts are not known. Not yet by dialect: values are converted to other
// types where an operator wants them, a division by zero is NULL, NULL comes first in every order, names of tables and columns are compared
// without regard to case, and definitions are not undone by a rollback.
//
// Which index a statement uses is not a matter of statistics: a whole unique key comes first, then a
// range of the primary key, then equal values of another key, then all rows.
//
// # Threads
//
// Everything belongs to the conductor, as in package sim.
package sql
