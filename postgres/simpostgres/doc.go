// Package simpostgres simulates a PostgreSQL server with standbys inside a world of package sim: servers
// that speak the protocol to unmodified clients and understand the SQL that locks, queues and migrations use. It behaves
// as PostgreSQL 15 does. This package has the protocol, sessions with their settings, LISTEN and NOTIFY, replication, and
// what is observed; statements, versions of rows, transactions and locks are those of the module's internal packages
// syntax, types, executor and storage, whose documentation says what they have and lack.
//
//	c := simpostgres.New(world, simpostgres.Options{Replicas: 1}, observe)
//	err := c.Load("CREATE TABLE locks (name text PRIMARY KEY, owner text)")
//
// # What it does
//
//   - Protocol 3.0: start-up with authentication "trust" (every password is right; another role or database than those of
//     [Options] is refused as PostgreSQL refuses them), simple queries of several statements, and the extended protocol:
//     Parse, Bind, Describe, Execute, Close, Flush, Sync, pipelines, named and unnamed statements and portals, text and
//     binary formats; requests to cancel a statement, notices, ParameterStatus. Encryption is declined: a client with
//     sslmode=require fails with its own error, and needs sslmode=disable.
//   - Transactions: blocks, the implicit ones of a text of several statements and of a pipeline, savepoints, AND CHAIN;
//     a failed transaction refuses statements until its end (25P02).
//   - Settings by SET, SET LOCAL, RESET, SHOW, DISCARD, set_config and the start-up message, taken back with
//     transactions and savepoints: statement_timeout, lock_timeout, deadlock_timeout, idle_in_transaction_session_timeout,
//     idle_session_timeout, the characteristics of transactions, synchronous_commit, application_name, search_path and
//     others. Names with a dot are kept. A parameter, or a value of one, that would change what clients see and is not simulated is
//     refused by name: time zones other than UTC, encodings other than UTF8, DateStyle other than "ISO, MDY".
//   - LISTEN, UNLISTEN, NOTIFY and pg_notify: messages are delivered when the transaction has committed, in their order,
//     equal ones of a transaction once; a session gets them between its transactions.
//   - PREPARE, EXECUTE, DEALLOCATE.
//   - pg_cancel_backend, pg_terminate_backend, pg_sleep; of pg_stat_activity and pg_locks the columns that locks are judged by.
//   - Connections: a session whose statement waits does not notice that its client is gone
//     (client_connection_check_interval is 0). The statement is carried out when its turn comes, and so is what the client has
//     sent after it, in the same message or another; then the session ends: an open transaction is rolled back, and its
//     locks are given up.
//   - Streaming replication: commits are sent to standbys, which are read-only (25006) and show what has arrived; their
//     advisory locks are their own. It is asynchronous by default. With [Options.Synchronous] a commit keeps its locks, and is
//     seen by nobody, until that number of standbys has it; a statement that is cancelled meanwhile is committed with a warning. With
//     synchronous_commit = off a commit is on the disk, and is sent, 600 ms later (three times wal_writer_delay, which
//     is the longest that it takes), or with the next commit that is not; a crash loses it until then.
//   - A standby that is promoted has lost what it had not received; the old primary serves its clients until it rejoins.
//   - Faults: crash and restart with all that was committed, hangs, partitions, clocks that jump.
//     now() shows the node's clock; waits and time-outs do not depend on it.
//
// # What it does not do
//
// COPY, cursors, calls of functions by a message of their own, prepared transactions, connections for replication, roles and
// databases besides the one, and encryption are refused by name, or as PostgreSQL refuses them without their being
// configured. A statement that is not supported fails the run.
//
// What has been executed is sent at the end of a request,
// with an error or a notice, and at a Flush; not when 8 kB have gathered.
//
// A commit with notifications does not wait for another such commit that waits for standbys. Standbys have no conflicts between
// their queries and what they replay, and have replayed at once what they have received, so that remote_write, on and
// remote_apply are alike. A standby that follows another primary begins with a full copy, which disconnects its
// clients. A server that restarts serves at once, without "the database system is starting up".
//
// # Observations
//
// A node that takes itself for the primary is the authority, by its own name. These records are
// observed:
//
//   - Rows ([RowKey], of type "row"): created, changed and deleted by the commit. Owner is the
//     request that has written the row, By the one that has committed it. Revision is that at which the
//     row was created; it grows with each commit and each lock that is observed. Standbys
//     observe rows when they receive them, without an authority. ClockRead is when the
//     transaction last used a time of the server's clock before it wrote the row, if that has jumped since.
//   - Locks on rows ([RowLockKey]): who holds a row exclusively (FOR UPDATE, FOR NO KEY UPDATE, or by a change), from the end of
//     the event in which it was locked until it is given up. What is locked and given up at once
//     is not observed.
//   - Tables ([TableLockKey]): which session has one by LOCK TABLE in a mode from EXCLUSIVE.
//   - Advisory locks ([AdvisoryKey]): who has a key exclusively, by its session or its transaction.
//
// Locks live with their session, named by its process id: they are deleted by a request, which includes
// that to close the connection, expire if the connection is lost or idle for too long, and are
// dropped if the server crashes. A row that the authority has lost is dropped when it rejoins.
//
// For the reader alone it is observed when sessions are opened, closed by a request, and end
// otherwise, when transactions begin and end, who waits for a lock, and deadlocks.
//
// # Fidelity
//
// Scripts of several sessions are compared with a real PostgreSQL 15, message by message: see the tests, and package scripts.
//
// # Threads
//
// Everything belongs to the conductor, as in package sim. The statements of a session are executed in a coroutine, which is
// suspended while they wait; it is continued at the end of an event, in the order in which the waits have ended.
package simpostgres
