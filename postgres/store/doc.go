// Package store is PostgreSQL as a store of scenarios: the server with its replicas, a PgBouncer before it if
// the parameter pooler says so, and the keys of its records. It imports no client library, so that it works
// with any version of one. Package postgres has the store with the versions that this module requires.
//
// The pooler is a server of its own in the cluster, without records: faults hang it, restart it, break its
// connections to clients, and cut it off from clients and from PostgreSQL.
package store
