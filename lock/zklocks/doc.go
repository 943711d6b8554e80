// Package zklocks has distributed locks over ZooKeeper and its Go client,
// github.com/go-zookeeper/zk, sound ones and flawed ones. The comment of each gives its
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
// A lock is a directory of ephemeral sequential nodes, one for each who has it or waits
// for it. A [Session] is a connection as these locks need it: it knows until when the
// ensemble is sure to keep the session, and tells leases of its end.
//
// For production:
//
//   - [Zookeeper]: the recipe of ZooKeeper's documentation, with a fencing token.
//   - [ReadWrite]: many readers or one writer, in the order in which they came.
//   - [Semaphore]: a number of permits.
//
// The flawed ones are here to be found: each is written as carefully as the others, and
// its comment names the flaw.
//
//   - [Curator]: the recipe of Curator's InterProcessMutex, which an owner may take
//     again. It takes its server's word for what the leader may have ended.
//   - [Herd]: a release wakes every waiter.
//   - [Library]: the lock of the client library itself.
//   - [Printed]: a widely read listing, mistakes included.
//
// None depends on the simulation, and without options they run in production. Requests
// of the client library take no context: whoever gives up returns at once, and what is
// under way is left to itself and cleaned up after. All locks pass the same tests on a
// real ZooKeeper, but for what their comments say that they cannot.
package zklocks
