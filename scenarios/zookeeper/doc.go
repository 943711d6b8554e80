// Package zookeeper makes ZooKeeper a store of scenarios: an ensemble of servers, and
// clients of github.com/go-zookeeper/zk, unmodified, that connect to them.
//
// A lock takes its connection from [Connect]:
//
//	scenarios.Check(t, func(c *scenarios.Client) lock.Locker {
//		conn, _ := zookeeper.Connect(c)
//		return mylock.New(conn, "/"+c.LockName())
//	}, scenarios.On(zookeeper.Store))
//
// "The lease" of scenarios is the session: its time-out is scenarios.Client.TTL.
// The lock's records are the znodes under the path "/" and the lock's name, and that
// znode itself.
//
// Package builtin has the locks that come with Lockpick, and what is expected of them.
package zookeeper
