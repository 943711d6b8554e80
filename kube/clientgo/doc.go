// Package clientgo connects client-go, unmodified, to the simulated API servers of package kube, so that a leader
// election of an operator is tested as it is:
//
//	locktest.Check(t, func(c *locktest.Client) lock.Locker {
//		e, err := electors.New(clientgo.Config(c), "default", c.LockName(), electors.Options{LeaseDuration: c.TTL(), ReleaseOnCancel: true})
//		if err != nil {
//			t.Fatal(err)
//		}
//		return e
//	}, locktest.On(kube.Store), locktest.Ownership(kube.Holder("default")), locktest.Renews())
//
// It is a module of its own: client-go is large. [Config] has the differences from a client in a cluster. Package
// electors makes a lock of an elector, and package builtin has such locks, with what is expected of them.
//
// # What it does not do
//
// The servers have Leases alone: informers, events and other resources are refused by name. An elector measures by package
// time, which all processes of a run share: no clock of a process is fast, slow or jumps, and its timers run while its
// process is paused.
//
// # Threads
//
// A client may be used by all goroutines of its process.
package clientgo
