// Package redislocks holds distributed locks over Redis and go-redis, sound
// ones and flawed ones. Each says where its algorithm comes from, what it
// guarantees, what breaks it (naming the scenario and the property of Lockpick
// that show it) and what its defaults are.
//
// For production:
//
//   - [NewPull]: the lock of package pull over Redis. It knows its own record and
//     the end of its validity, cleans up, extends and renews.
//
// The baseline that most libraries start from, and its variants:
//
//   - [SetPX]: SET NX PX with a random value, and an atomic compare-and-delete in
//     a script; [SetPXCAD] and [SetPXWatch] do the latter by a command and in a
//     transaction.
//   - [SetPXFenced]: SetPX with a fencing token; [SetPXFencedElsewhere] with a
//     token from another server.
//   - [SetPXWait]: SetPX that waits for a replica to have the lock.
//
// Redisson's family, after the Chinese literature on it and its own sources. Who
// waits is told of a release over a subscription, and need not ask:
//
//   - [Reentrant]: an owner may take it again. [Watchdog] renews it for as long
//     as it is held, [Fair] gives it to those who wait in their order.
//   - [ReadWrite]: many readers or one writer.
//   - [Semaphore], [PermitSemaphore]: permits without and with leases.
//   - [Latch], [Barrier]: those who wait go together.
//   - [Multi]: several locks as one.
//   - [Segmented]: a stock in segments, each under a lock of its own.
//
// On several independent servers:
//
//   - [Redlock]: a majority of them.
//   - [RedlockMulti]: what Redisson has by that name, which is flawed.
//
// The flawed ones are here to be caught: each is written as carefully as the
// others, and its comment names the flaw. Those that are called Printed are as
// widely copied listings have them, slips included.
//
//   - [SetNX], [SetNXTimestampDel], [SetNXGetSet] (and [NewSetNXGetSetNil]),
//     [SetNXGetSetPrinted]: locks from before SET could do NX and PX at once.
//   - [SetPXDel], [SetPXTwoStep]: SetPX, released by those who look at nobody's
//     value, or look too early.
//   - [SetPXVoidPrinted], [SetPXWaitAsTTLPrinted], [SetPXSpinReleasePrinted].
//
// All but Redisson's family wait by trying again after a sleep. Lockers that keep
// goroutines and connections while somebody waits or holds have a Close that ends
// them. None of them knows of the simulation: their time and randomness come in
// through options, and without options they run in production. What those over
// one key send for an acquisition and a release is pinned in TestCosts, what a
// server executes for it in TestCommandsAlone, and what contenders ask of one is
// counted in TestCommands; all go through the same tests on a real Redis. The
// page docs/locks.md says which to choose, and what each costs.
package redislocks
