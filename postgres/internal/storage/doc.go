// Package storage has the data of a simulated PostgreSQL server: tables with versions of rows, indexes, sequences,
// transactions with savepoints and snapshots, locks on rows and tables, advisory locks, and the waits for them. It behaves as
// PostgreSQL 15 does, and knows no SQL.
//
// A [Database] belongs to a [Host], and each session has a [Backend] in it. A call that has to wait parks the session's
// statement by [Client.Park]; when the wait is over, [Database.Settle] resumes it by [Client.Resume]. So a statement is a
// coroutine, of which each backend has one at a time.
//
// # What it does
//
//   - Versions: an update adds a version at the end of the table, and marks the old one. A [Snapshot] shows those of the
//     commits before it, and the transaction's own of earlier commands. READ COMMITTED has one for each statement,
//     REPEATABLE READ and SERIALIZABLE one for all. Versions that no snapshot shows are removed.
//   - Row locks are marks on a tuple, in four modes. Those who wait for a tuple do so in a queue, the first of them for the
//     transactions with the marks; NOWAIT and SKIP LOCKED neither pass the queue nor join it. A row that was replaced
//     meanwhile is locked in its newest version in READ COMMITTED, and an error, 40001, at the other levels.
//   - Unique indexes: an insertion waits for other transactions that have inserted or deleted its key. ON CONFLICT inserts
//     speculatively.
//   - The lock manager has locks on tables, tuples, transactions and advisory keys, in eight modes, with one queue each. A request
//     waits behind those in the queue with which it conflicts. After the deadlock timeout a backend that still waits looks
//     for circles: it reorders queues, or fails with 40P01.
//   - Savepoints: rolling back to one gives up the locks got since, on rows and on tables. An error does so at once.
//   - SERIALIZABLE: read/write dependencies between transactions, as predicate locks find them on rows, pages, tables and
//     indexes, and 40001 when two in a row are dangerous. Each index counts as one page, as a small one is; a page of a table
//     has a hundred tuples.
//   - Sequences, whose numbers are logged 32 ahead.
//   - Definitions of tables, indexes and sequences are parts of transactions; two that create the same name wait for each other.
//   - A commit is shipped to replicas as its [Changes]; it may wait for them, unseen and with its locks. [Database.Crash] loses
//     commits that were not flushed.
//
// # What it does not do
//
// There is no vacuum: the space of old versions is not used again, so that rows are in the order in which they were written.
// All constraints are checked at once. SERIALIZABLE READ ONLY DEFERRABLE and prepared transactions are not there, nor are safe
// snapshots of read only transactions. Replicas do not wait for their sessions, or cancel them. A copy of the
// database has definitions that are not committed, if a transaction is altering a table meanwhile.
//
// Transactions that PostgreSQL wakes together go on one after the other, in the order of the queue.
//
// # Observations
//
// The host gets each change of a committed row. Clients get at the end of an event which rows a backend has locked exclusively:
// FOR UPDATE, FOR NO KEY UPDATE, or by a change; which advisory keys it has exclusively; and which tables LOCK TABLE has
// given it in EXCLUSIVE or ACCESS EXCLUSIVE mode.
//
// # Fidelity
//
// A test compares random scripts of two to four sessions with a real server, if one is given by -postgres: they have all isolation
// levels, savepoints, the modes and policies of row locks, ON CONFLICT, LOCK TABLE, advisory locks, lock_timeout and
// deadlocks, by two tables with unique keys. Of some hundred scripts none differs, except where a real server wakes two
// backends at once and the second one is faster.
//
// # Threads
//
// Everything belongs to the conductor, as in package sim.
package storage
