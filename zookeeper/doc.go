// Package zookeeper simulates ZooKeeper for tests of locks: an ensemble of servers, and
// unmodified clients of github.com/go-zookeeper/zk that connect to them.
//
// A test names the store with locktest.On, and the lock takes its connection from [Connect]:
//
//	locktest.Check(t, func(c *locktest.Client) lock.Locker {
//		conn, _ := zookeeper.Connect(c)
//		return mylock.New(conn, "/"+c.LockName())
//	}, locktest.On(zookeeper.Store))
//
// Threads of one process should have a connection each: [Connect] explains why. Another
// version of the library connects with [Dialer].
//
// "The lease" of scenarios is the session: its time-out is locktest.Client's TTL. The lock's
// records are the znode whose path is "/" and the lock's name, and the znodes below it. A
// queue of znodes needs locktest.Ownership with a model.SequenceOwnership. Package simzk
// lists the requests that the servers support. Any other request fails the run,
// with a message that names it.
//
// Package builtin has the locks that come with Lockpick, and what is expected of them.
package zookeeper
