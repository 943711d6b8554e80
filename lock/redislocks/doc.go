// Package redislocks has distributed locks over Redis and go-redis, sound ones and
// flawed ones. The comment of each gives the source of its algorithm, its
// guarantee, what breaks it (with the scenario and the property of Lockpick that
// show it) and its defaults.
//
// For production:
//
//   - [NewPull]: the lock of package pull over Redis. It recognizes its own record,
//     knows the end of its validity, cleans up, extends and renews.
//
// The baseline that most libraries start from, and its variants:
//
//   - [SetPX]: SET NX PX with a random value, and an atomic compare-and-delete in a
//     script; [SetPXCAD] deletes by a command, [SetPXWatch] in a transaction.
//   - [SetPXFenced]: SetPX with a fencing token; [SetPXFencedElsewhere] with a
//     token from another server.
//   - [SetPXWait]: SetPX that waits until a replica has the lock.
//
// Redisson's family, after the Chinese literature on it and its own sources. A
// release wakes waiters by a subscription, without polling:
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
//   - [RedlockMulti]: Redisson's lock of that name, which is flawed.
//
// The flawed ones are here to be found: each is written as carefully as the others,
// and its comment names the flaw. Those called Printed follow widely copied
// listings, mistakes included.
//
//   - [SetNX], [SetNXTimestampDel], [SetNXGetSet] (and [NewSetNXGetSetNil]),
//     [SetNXGetSetPrinted]: locks from before SET could do NX and PX at once.
//   - [SetPXDel], [SetPXTwoStep]: SetPX with a release that does not check the
//     value, or checks it in a separate step.
//   - [SetPXVoidPrinted], [SetPXWaitAsTTLPrinted], [SetPXSpinReleasePrinted].
//
// All but Redisson's family wait by trying again after a sleep. Lockers that keep
// goroutines and connections for waiters or holders have a Close that ends them.
// None depends on the simulation: options set their clock and random source, and
// without options they run in production. TestCosts pins the requests for an
// acquisition and a release, TestCommandsAlone the commands that a server executes
// for them, and TestCommands counts the requests of contenders. All locks pass the
// same tests on a real Redis. docs/locks.md says which to choose, and what each
// costs.
package redislocks
