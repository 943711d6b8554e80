// Package simmysql simulates a MySQL server with replicas inside a world of package sim: servers
// that speak the protocol to unmodified clients and understand the SQL that locks use. It behaves
// as MariaDB 10.11 with InnoDB does. Statements, transactions and locks on rows are those of the
// SQL engine in mysql/sql; this package has its dialect for MySQL, the protocol, sessions with
// their variables, named locks, replication, and what is observed.
//
//	c := simmysql.New(world, simmysql.Options{Replicas: 1}, observe)
//	err := c.Load("CREATE TABLE locks (name VARCHAR(64) PRIMARY KEY, owner VARCHAR(64))")
//
// # What it does
//
//   - Protocol: the handshake with mysql_native_password, in which every user and password is
//     accepted; queries, prepared statements with text and binary rows, ping, quit, init-db and
//     reset-connection. Attributes of connections are not asked for, since clients send their
//     process id in them.
//   - SQL: CREATE, DROP and TRUNCATE TABLE; INSERT (IGNORE, ON DUPLICATE KEY UPDATE, RETURNING), UPDATE,
//     DELETE; SELECT from one table or none (WHERE, ORDER BY, LIMIT, COUNT, MIN, MAX, SUM; FOR UPDATE,
//     LOCK IN SHARE MODE), also with queries in WHERE that do not depend on its rows, and EXISTS; START TRANSACTION, COMMIT, ROLLBACK, SAVEPOINT, LOCK and UNLOCK TABLES, SET, DO,
//     KILL, USE, SHOW VARIABLES, SHOW TABLES, SHOW WARNINGS. Of information_schema, names of databases, and names and types of tables. LIKE is refused in conditions on tables. Anything else is answered with error 1064 and fails the run.
//   - Tables have columns of integers, DOUBLE, CHAR, VARCHAR, TEXT, JSON, DATETIME and TIMESTAMP, a primary
//     key, unique and other keys, AUTO_INCREMENT, and defaults. Texts are compared as utf8mb4_general_ci does it for letters. The time zone is UTC.
//   - Transactions: REPEATABLE READ with a snapshot that the first read makes, READ COMMITTED, SERIALIZABLE,
//     autocommit, savepoints. Reads that lock see what was committed last. A return to a savepoint from
//     before the transaction's first statement on a table gives up its locks and its snapshot.
//   - Locks on records, gaps or both. A lock on a gap hinders insertions alone. Insertions lock a
//     duplicate that they find. A wait ends with error 1205 after innodb_lock_wait_timeout, and takes back
//     the statement. NOWAIT, SKIP LOCKED, WAIT n.
//   - Deadlocks: the wait that closes a circle ends it at once with error 1213. The transaction with
//     the fewest changes and locks is rolled back; of equals the one that closes the circle.
//     [Node.Deadlock] ends one that waits, or asks for a lock, as if others were in the circle.
//   - LOCK TABLES ... WRITE and READ: others wait for the tables, for lock_wait_timeout, and behind those who
//     wait to lock them; who has locked some can use no others. They are given up by UNLOCK TABLES, the next
//     LOCK TABLES, START TRANSACTION, and with the connection. DROP and TRUNCATE wait until nobody uses the table.
//     A circle of such waits ends with error 1213 for one that has locked no tables.
//   - GET_LOCK and its relatives, counted, several for each session; KILL; SLEEP.
//   - Connections: one that ends rolls back and gives up its locks. A statement that waits for a
//     row does not notice that its client is gone, and is carried out when its turn comes; GET_LOCK
//     notices after half a second, SLEEP after five. A session that is idle for wait_timeout ends.
//   - Replication: commits are sent to replicas, which are read-only, and arrive late. With
//     [Options.SemiSync] a commit waits until a replica has it. A replica that is promoted has lost
//     what it had not received; the old primary serves its clients until it rejoins.
//     A commit that waits for a replica when the server's process ends is completed by the restart.
//   - Faults: crash and restart with all that was committed, hangs, partitions, clocks that jump.
//     NOW() shows the node's clock; waits do not depend on it.
//
// # What it does not do
//
// There are no joins, other subqueries, unions, groups or views, no foreign keys, checks, triggers, procedures or
// user variables, no REPLACE, no ALTER TABLE but for its error about a column that is there already, and only one database. READ UNCOMMITTED
// is refused. Integers over the signed 64 bits, decimals and binary texts are not known.
// Warnings are counted, and have no text.
//
// Which index a statement uses is not a matter of statistics: the engine has a fixed order. An order of rows that is
// not that of the index is made by reading, and locking, all rows; so is a descending one.
//
// LOCK TABLES has no aliases, and READ LOCAL is refused; so are DROP and TRUNCATE of a table that the session has
// locked. CREATE TABLE waits for nobody. A circle of waits for tables and for named locks is not noticed. Rows that are deleted are removed at once when no snapshot shows them, and not after a while. Tables
// count as one page each, so that locks weigh as they do in small tables. On replicas, changes
// do not wait for locks of clients. There are no accounts, limits, and no encryption.
//
// # Observations
//
// A node that takes itself for the primary is the authority, by its own name. These records are
// observed:
//
//   - Rows ([RowKey], of type "row"): created, changed and deleted by the commit. Owner is the
//     request that has written the row, By the one that has committed it. Revision is that at which the
//     row was created; it grows with each commit and each lock that is observed. Replicas
//     observe rows when they receive them, without an authority. ClockRead is when the
//     transaction last read the server's clock before it wrote the row, if that has jumped since.
//   - Locks on rows ([RowLockKey]): who holds a row exclusively, from the end of the
//     request that has locked it until it is given up. What a request locks and gives up at once
//     is not observed.
//   - Tables ([TableLockKey]): which session LOCK TABLES ... WRITE has given one.
//   - Named locks ([NamedLockKey]): who has the lock of GET_LOCK.
//
// Locks live with their session: they are deleted by a request, which includes
// that to close the connection, expire if the connection is lost or idle for too long, and are
// dropped if the server crashes. A row that the authority has lost is dropped when it rejoins.
//
// For the reader alone it is observed when sessions are opened, closed by a request, and end
// otherwise, and when transactions are rolled back because of a deadlock.
//
// # Fidelity
//
// Tests compare random scripts of two and three sessions, and those in testdata/scripts, with a real MariaDB, line for
// line: answers, errors, numbers of AUTO_INCREMENT, and which sessions wait. They cover all isolation levels, autocommit, savepoints;
// SELECT with and without locks, NOWAIT, SKIP LOCKED and WAIT; INSERT with its variants, UPDATE, DELETE; by whole and
// by partial primary keys, unique keys, ranges and other conditions, with orders and limits; named locks, or LOCK TABLES; KILL QUERY;
// definitions; prepared statements and others. Not compared are keys that are not unique,
// replication, and what statements of other tests say of single cases.
//
// Statements that one commit wakes go on one after the other here, and side by side in a real server, where any of them
// may be first: about one script in two hundred differs at first, and agrees in one of the next attempts.
// What transactions weigh in deadlocks is compared in testdata/scripts. Structures that InnoDB leaves behind
// when a record that is waited for changes its length are not counted.
//
// # Threads
//
// Everything belongs to the conductor, as in package sim.
package simmysql
