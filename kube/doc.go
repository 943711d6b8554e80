// Package kube simulates the control plane of Kubernetes for tests of locks that are leases of
// coordination.k8s.io: one or several API servers, and unmodified clients of net/http that reach them.
//
// A test names the store with locktest.On, and the lock takes its client from [Connect], or its transport from
// [Transport]:
//
//	locktest.Check(t, func(c *locktest.Client) lock.Locker {
//		return mylock.New(kube.Connect(c), kube.URL, "default", c.LockName())
//	}, locktest.On(kube.Store), locktest.Ownership(kube.Holder("default")))
//
// Parameters of scenarios are the store's:
//
//   - followers: API servers beside one, each with a member of etcd.
//   - cache-lag: milliseconds by which a server's watch cache is behind.
//   - rejections: how many requests a server may reject with 429.
//
// "The lease" of scenarios is leaseDurationSeconds; it is 15 seconds at least, as with client-go's defaults. A
// lock's record is the Lease of its name. [Holder] reads its holder from spec.holderIdentity.
//
// Package simkube lists the requests that the servers support. Any other request fails the run, by name. Package
// builtin has the locks that come with Lockpick, and what is expected of them.
package kube
