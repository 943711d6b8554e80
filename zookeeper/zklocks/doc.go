// Package zklocks has locks over ZooKeeper and its Go client,
// github.com/go-zookeeper/zk. The comment of each gives its
// guarantee, what breaks it (with the scenario and the property of Lockpick that show
// it) and what it costs.
//
//	conn, events, err := zk.Connect(servers, timeout)
//	if err != nil {
//		return err
//	}
//	defer conn.Close()
//	session := zklocks.Open(conn, events, timeout, zklocks.SessionOptions{})
//	locker := zklocks.NewZookeeper(session, "/locks/orders", zklocks.Options{})
//
// A lock is a directory of ephemeral sequential nodes, one for each holder and each waiter. A [Session]
// is a connection for these locks: it knows until when the ensemble certainly keeps the session, and
// notifies leases of its end.
//
// The locks:
//
//   - [Zookeeper]: one holder. It is the recipe of ZooKeeper's documentation, with a fencing token.
//   - [ReadWrite]: many readers or one writer, in the order in which they came.
//   - [Semaphore]: a number of permits.
//
// None depends on the simulation, and without options they run in production. Requests
// of the client library take no context: a caller that gives up returns at once, and
// its open request goes on in the background and is cleaned up afterwards.
//
// Locks that are flawed on purpose, or as a document prints them, are in package flawed, with the lock of
// the client library itself.
package zklocks
