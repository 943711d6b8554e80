// Package real is PostgreSQL as it is: a PostgreSQL 15 on the loopback interface, on which package confirm makes
// counterexamples happen ([New]), and a PgBouncer before it if the trace has one. It needs Debian's postgresql-15 and
// pgbouncer.
//
// A request is a simple query, or the messages of the extended protocol up to a Sync, and its answer ends with
// ReadyForQuery, so that a pipeline is one request. Clients that wait for the answer to a Flush cannot be read. Preparing a
// statement, BEGIN and SET serve the connection alone, and always pass.
//
// Records are what other sessions see: committed rows of tables with primary keys, the rows that transactions have locked
// (by the extension pgrowlocks) or inserted (by pageinspect: those whose keys are integers, or texts of 126 bytes at most),
// advisory locks, and tables that LOCK TABLE has locked (by pg_locks). Replicas, and clocks of servers that jump, are not
// supported yet.
//
// Which client a session of the pooler's serves is read from its application_name, which the pooler sets to the client's
// address (application_name_add_host) before it sends the client's requests: those are one statement more than the
// simulated pooler sends. A request passes the gate when the trace has it at the server, not at the pooler, so that requests
// have their effects in the trace's order; which of several idle sessions a client gets is up to PgBouncer.
package real
