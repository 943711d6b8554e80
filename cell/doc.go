// Package cell runs a lock in a scenario, on a simulated store.
//
// A [Scenario] fixes topology, workload and fault budget. A [Lock] is what is tested, with the store that it uses. A
// [Cell] is one lock in one scenario, with parameters. [Cell.Run] maps a tape to an outcome: every choice in a run is
// a decision of its tape, so the same tape gives the same run. Package hunt searches tapes for violations.
//
// The package knows no store and no scenario by name: a [Registry] holds them. Package
// scenarios has Lockpick's; the example of [Scenario] is one with a fault of its own.
//
// # Where to begin
//
//   - [Lock]: a lock with its store and its requirements. Its [Subject] is the kind with its
//     constructor: [Mutex], [ReadWrite], [Semaphore] and so on, whose types the compiler
//     checks.
//   - [Scenario]: a topology, a workload and a fault budget. Its [Params] have the
//     budget.
//   - [Registry.Cell]: a cell by the ids of its scenario and its lock.
//   - [Cell.Run]: one run. [Cell.Trace] makes a trace of a recorded one.
//
// # A lock under test
//
// A lock reaches the simulated world only through a [Client], which has the addresses of the
// servers, a dialer, a clock and a random source. Each store's package makes clients of it:
//
//	func(c *cell.Client) lock.Locker {
//		return redislocks.NewSetPX(redis.Connect(c), c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock()})
//	}
//
// # What clients do
//
// Each client repeats a round: acquire the lock, retrying until it succeeds; read a
// register on a separate server; work for a fifth of the TTL; write the value plus one;
// release. Reads and writes carry the lease's fencing token if it has one. Before each
// access the client checks that its lease still claims the lock, if the lease is a
// [lock.Expirer] or a [lock.Notifier]. A pause may still fall between that check and
// the access.
//
// Optional interfaces of a lock are used as well. A lease that is a [lock.Extender] is
// extended once per hold, after half the TTL, and then used for another fifth. A locker
// that is a [lock.TryLocker] is tried without waiting at the beginning of every other
// round. A lock without these interfaces sees the same calls at the same times.
//
// # The size of a run
//
// The scenario fixes the usual size: how many rounds a client goes through, how long a lease
// is, and how long a hold. Flaws hide behind each of these, so the tape varies them where
// [Params].Sizes says so, as it does in Lockpick's scenarios:
//
//   - A run has up to two rounds more than the scenario's two.
//   - A lease that is not longer than the clients' time-out may be four times as long, if that is longer than the
//     time-out. Hold times and lengths of faults grow with it.
//   - A client holds a lock that is kept alive for longer: for just less than a lease in all, for just more, or for
//     much more. A lock is kept alive if it renews its leases ([Lock].Renews), or if its record lives with a session
//     that the client library keeps alive.
//   - A client works for almost no time between reading and writing, or for 45 or 70 percent of a lease, so that the
//     client that came first need not leave first.
//   - Each client process has two threads, which share its Locker. It has one for a quorum lock, and for a store whose
//     client library leaves the order of threads to the scheduler.
//
// In a random search one run in eight has another number of rounds, one in sixteen another lease, one in eight
// other work, and one in sixteen two threads for each client; one client in eight holds the lock for longer.
// An exhaustive check keeps to the usual size. If a counterexample needs another size, that is listed
// among its needs.
//
// In the scenario cancel, the context of an operation may end before any event of its
// process, and clients release every other hold a second time. In the scenario
// watchdog-late, a lock that is kept alive is held for four leases longer, and its clients read
// repeatedly for half of that time.
//
// A [Subject] that is not a [Mutex] has a workload of the same steps:
//
//   - Read-write lock: readers and writers take turns, readers re-enter, writers
//     downgrade to readers.
//   - Semaphore: a client takes one or more permits at once.
//   - Latch: clients close the latch, count down and wait.
//   - Barrier: the parties meet once per round.
//   - Stock: a client orders a random number of items, then single items until the
//     stock is sold out.
//   - Re-entrant mutex: owners acquire it again.
//
// The calls and their answers are in the history's Calls. The checker searches for an
// order of them that the kind allows.
//
// A client process has one thread in most runs and two in some, or as many as locktest.Threads sets. Threads share the
// Locker; each goes through all rounds. A message is attributed to the thread that sends it or that started the
// sending goroutine. If there is no such thread, as for a shared listener, it is attributed to the process.
//
// # Faults of a lock and limits of leases
//
// Every lease without fencing loses exclusion when its holder is paused or its authority forgets. Such a violation is a
// limit of leases; every other violation is a fault of the lock. The cause of the violation, in its own history, decides
// which; the scenario does not. Package endings has the rules.
//
// # Threads
//
// A process runs one world at a time, because a run replaces the process-wide random
// sources. Concurrent calls of [Cell.Run] wait for each other. Parallel searches use
// worker processes; see package explore.
package cell
