// Package redislocks has locks over Redis and go-redis. They do not depend on the simulation: options set
// their clock and random source, and without options they run in production.
//
//	locker := redislocks.NewPull(client, "orders", pull.Options{TTL: 10 * time.Second, Wait: 3 * time.Second})
//	lease, err := locker.Acquire(ctx)
//	if err != nil {
//		return err
//	}
//	defer lease.Release(context.WithoutCancel(ctx))
//
// The comment of each lock gives the source of its algorithm, its guarantee, what breaks it (with the
// scenario and the property of Lockpick that show it), how many commands it sends, and its defaults.
//
// For production:
//
//   - [NewPull]: the lock of package pull over Redis. It recognizes its own record,
//     knows the end of its validity, cleans up, extends and renews. Take it unless you need
//     what only another lock has.
//
// The baseline that most libraries start from, and its variants:
//
//   - [SetPX]: SET NX PX with a random value, and an atomic compare-and-delete in a
//     script; [SetPXCAD] and [SetPXDelEx] delete by a command, [SetPXWatch] in a transaction.
//   - [SetPXFenced]: SetPX with a fencing token; [SetPXFencedElsewhere] with a
//     token from another server.
//   - [SetPXWait]: SetPX that waits until a replica has the lock.
//
// Redisson's family, after its sources and the literature on it. A release wakes waiters by a message, so
// they need not poll:
//
//   - [Reentrant]: an owner may take it again. [Watchdog] renews it while it is
//     held, [Fair] grants it to waiters in their order.
//   - [ReadWrite]: many readers or one writer.
//   - [Semaphore], [PermitSemaphore]: permits without and with leases.
//   - [Latch], [Barrier]: waiters go on together.
//   - [Multi]: several locks as one.
//   - [Segmented]: a stock in segments, each under a lock of its own.
//
// On several independent servers:
//
//   - [Redlock]: a majority of them.
//
// All but Redisson's family wait by trying again after a sleep. Lockers that keep
// goroutines or connections for waiters or holders have a Close that ends them.
//
// Locks that are flawed on purpose, or as a document prints them, are in package flawed. docs/locks.md
// says which lock to choose, and what each costs.
package redislocks
