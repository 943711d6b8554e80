// Package etcd simulates etcd for tests of locks: a cluster of members, and unmodified clients
// of go.etcd.io/etcd/client/v3 over grpc-go that connect to them.
//
// A test names the store with locktest.On, and the lock takes its client from [Connect]:
//
//	locktest.Check(t, func(c *locktest.Client) lock.Locker {
//		return mylock.New(etcd.Connect(c), "/"+c.LockName())
//	}, locktest.On(etcd.Store))
//
// Use one client in one thread: several threads need a client each. A lock whose
// records are a queue of keys needs locktest.Ownership with a model.SequenceOwnership,
// ordered by revision.
//
// Without a scenario, [New] makes a client of a process of package sim:
//
//	client, err := etcd.New(process, []string{"10.0.1.1:2379", "10.0.1.2:2379"})
//	world.OnEnd(func() { client.Close() })
//
// Runs are deterministic: the same tape gives the same events, byte for byte, at every
// GOMAXPROCS and in builds with the race detector. [Config] lists the settings that ensure
// this. For each of them a test shows that runs differ without it.
//
// It is a module of its own, so that tests of locks over other stores compile neither etcd's
// client nor gRPC.
package etcd
