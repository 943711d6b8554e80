// Package storage has the data of a simulated PostgreSQL server: tables with versions of rows, indexes, sequences,
// transactions with savepoints and snapshots, locks on rows and tables, advisory locks, and the waits for them.
package storage
