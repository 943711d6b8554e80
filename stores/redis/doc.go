// Package redis simulates Redis for tests of locks: independent servers, each a primary with
// its replicas, and unmodified go-redis clients that connect to them.
//
// A test names the store with locktest.On, and the lock takes its client from [Connect]:
//
//	locktest.Check(t, func(c *locktest.Client) lock.Locker {
//		return mylock.New(redis.Connect(c), c.LockName(), c.TTL())
//	}, locktest.On(redis.Store))
//
// A lock that makes its own client gives [Options] to redis.NewClient. A quorum lock makes a
// client of each of [AllOptions]: one for each independent server, locktest.Nodes of them.
// Other client libraries connect with locktest.Client's Addresses and Dial.
//
// "The lease" of scenarios is the expiry of a key: its time to live is locktest.Client's TTL.
// The lock's record is one value under one key; locktest.Ownership describes any other form.
// Package simredis lists the commands that the servers execute. Any other command of Redis
// fails the run, with a message that names it.
//
// Runs are deterministic with any version of go-redis: this package seeds its random source
// and empties its pools of timers before each run.
//
// Package builtin has the locks that come with Lockpick, and what is expected of them.
package redis
