// Package etcd makes etcd a store of scenarios: a cluster of members, and what a client over
// gRPC needs to reach them ([Dialer]). It imports no client library, so that one of any
// version can stand on it.
//
// "The lease" of scenarios is etcd's: its time to live is scenarios.Client.TTL. The lock's
// records are the keys under "/", the lock's name and a slash.
//
// The module github.com/lockpick-dev/lockpick/etcd has clients of
// go.etcd.io/etcd/client/v3, locks over it, and what is expected of them.
package etcd
