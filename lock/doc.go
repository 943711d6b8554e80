// Package lock is the vocabulary of distributed locks: a [Locker] that acquires,
// the [Lease] that it returns, and small interfaces for optional capabilities of
// leases.
//
// It also has objects that more than one client may use at once: an [RWLocker], a [Semaphore], a
// [Latch], a [Barrier], a [Stock]. Lockers that keep goroutines or connections are [io.Closer]s:
// Close ends these, and releases no lease.
//
// It does not depend on the simulation and can be imported in production. Package
// redislocks has locks over Redis, package zklocks over ZooKeeper, package sqllocks over
// MySQL, package pglocks over PostgreSQL, package filelocks by files of a shared file system. Each
// has a package flawed beside it with locks that are not for production. A lock of your own needs an adapter of a few lines.
//
//	lease, err := locker.Acquire(ctx)
//	if err != nil {
//		return err
//	}
//	defer lease.Release(context.WithoutCancel(ctx))
package lock
