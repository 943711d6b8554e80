// Package real is PostgreSQL as it is: a PostgreSQL 15 on the loopback interface, on which package confirm makes
// counterexamples happen ([New]). It needs Debian's postgresql-15.
//
// A request is a simple query, or the messages of the extended protocol up to a Sync, and its answer ends with
// ReadyForQuery, so that a pipeline is one request. Clients that wait for the answer to a Flush cannot be read. Preparing a
// statement, BEGIN and SET serve the connection alone, and always pass.
//
// Records are what other sessions see: committed rows of tables with primary keys, the rows that transactions have locked
// (by the extension pgrowlocks) or inserted (by pageinspect: those whose keys are integers, or texts of 126 bytes at most),
// advisory locks, and tables that LOCK TABLE has locked (by pg_locks). Replicas, poolers, and clocks of servers that jump, are
// not supported yet.
package real
