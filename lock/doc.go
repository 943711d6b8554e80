// Package lock is the vocabulary of distributed locks: a [Locker] that acquires,
// the [Lease] that it returns, and small interfaces for optional capabilities of
// leases.
//
// It also has objects that more than one client may use at once: an [RWLocker], a [Semaphore], a
// [Latch], a [Barrier], a [Stock]. Lockers that keep goroutines or connections are [io.Closer]s:
// Close ends these, and releases no lease.
//
// It does not depend on the simulation and can be imported in production. The locks are in packages redislocks, zklocks,
// etcdlocks, sqllocks (MySQL), pglocks, kubelocks, s3locks and filelocks (a shared file system). Each has a package
// flawed below it with locks that are not for production. A lock of your own needs an adapter of a few lines.
//
//	lease, err := locker.Acquire(ctx)
//	if err != nil {
//		return err
//	}
//	defer lease.Release(context.WithoutCancel(ctx))
package lock
