// Package etcd simulates etcd for tests of locks: a cluster of members ([Store]), and the
// dialer with which a client over gRPC reaches them ([Dialer]).
//
// Most tests import the module github.com/lockpick-dev/lockpick/etcd instead, and pass its
// Store to locktest.On. That module has clients of go.etcd.io/etcd/client/v3, locks over them,
// and the locks' expectations. This package imports no client library, so that it works with
// any version of one:
//
//	grpc.WithContextDialer(etcd.Dialer(c.Process(), etcd.Frames))
//
// "The lease" of scenarios is etcd's: its time to live is locktest.Client's TTL. The lock's
// records are the keys under "/", the lock's name and a slash. Package simetcd lists the calls
// that the members support. Any other call of etcd's fails the run, with a
// message that names it.
package etcd
