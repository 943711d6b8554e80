// Package lock is the vocabulary of distributed locks: a [Locker] that
// acquires, the [Lease] that it hands out, and small interfaces for what a
// lease may also be able to do.
//
// Beside it are the kinds of lock that are not one holder's: an [RWLocker], a
// [Semaphore], a [Latch], a [Barrier], a [Stock]. Lockers that keep goroutines
// or connections are [io.Closer]s: Close ends them, and gives nothing up.
//
// It knows nothing of simulation and can be imported in production. Real
// locks over go-redis are in the package redislocks below it; a lock of your
// own needs an adapter of a few lines.
//
//	lease, err := locker.Acquire(ctx)
//	if err != nil {
//		return err
//	}
//	defer lease.Release(context.WithoutCancel(ctx))
package lock
