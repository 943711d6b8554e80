// Package scenarios searches for bugs in distributed locks by simulation.
//
// A [Scenario] fixes topology, workload and fault budget; the search picks the
// interleaving. Every choice in a run is a decision of its tape. A [Cell] is one lock in
// one scenario. [Cell.Run] maps a tape to an outcome; everything else is built on it.
//
//	contention         nothing fails and nothing is late
//	failover-loss      the serving node crashes and a follower is promoted
//	gc-pause           a client process stops for a while
//	two-step-release   the network holds segments back
//	partition          the network parts the serving node from others, who may promote a follower
//	node-restart       the serving node restarts, perhaps without its last writes
//	holder-crash       a client process is killed
//	clock-skew         the clocks of clients are off, and jump
//	server-clock-jump  the clock of a node jumps
//	lost-reply         a connection breaks before an answer arrives
//	late-reply         answers come late
//	late-request       requests come late
//	hung-node          a node does nothing for a while
//	cancel             the context of an operation ends
//	watchdog-late      a short lease, held for longer, is renewed too late
//	lost-wakeup        a connection or a restart loses the message that wakes waiters
//	storm              any of these, each kind of fault once
//
// # A lock under test
//
// A lock reaches the simulated world only through a [Client], which provides options for a
// client of the store (with a dialer), a clock and a random source. The built-in locks use
// the same interface:
//
//	func(c *scenarios.Client) lock.Locker {
//		rdb := redis.NewClient(c.Redis())
//		return redislocks.NewSetPX(rdb, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock()})
//	}
//
// # What clients do
//
// Each client repeats a round: acquire the lock, retrying until it succeeds; read a
// register on a separate server; work for a fifth of the TTL; write the value plus one;
// release. Reads and writes carry the lease's fencing token if it has one. Before each
// access the client checks that its lease still claims the lock, if the lease can tell
// ([lock.Expirer], [lock.Notifier]). A pause may still fall between that check and the
// access.
//
// Optional interfaces of a lock are used as well. A lease that is a [lock.Extender] is
// extended once per hold, after half the TTL, and then used for another fifth. A locker
// that is a [lock.TryLocker] is tried without waiting at the beginning of every other
// round. A lock without these interfaces sees the same calls at the same times.
//
// In the scenario cancel, the context of an operation may end before any event of its
// process, and clients release every other hold a second time. In the scenario
// watchdog-late, a lock that renews its leases ([Lock].Renews, [Renews]) is held for four
// leases longer, and its clients read repeatedly for half of that time.
//
// Locks that are not mutexes ([Lock].Spec, Make) have workloads of the same steps:
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
// A client process has one thread unless [Threads] asks for more. Threads share the
// Locker; each goes through all rounds. A message is attributed to the thread that sends
// it or that started the sending goroutine, and otherwise to the process, such as a
// message of a shared listener.
//
// # Faults of a lock and limits of leases
//
// Every lease without fencing loses exclusion when its holder is paused or its authority
// forgets. Such a violation is a limit of leases; every other violation is a fault of the
// lock. The cause of the violation, in its own history, decides which; the scenario does
// not. A violation is a limit in two cases:
//
//   - The store granted the lock to this acquisition for at least as long as its
//     client claims, and then lost it by a failover, a restart or a jump of its clock.
//   - The lease ended by the store's clock, as granted, while the client was paused,
//     cut off, receiving late or wrong in its clock, between its last chance to check
//     and the access.
//
// # In your own tests
//
// [Check] runs every scenario against your lock in go test. It fails for faults of the
// lock and reports each cause once. [Explore] returns its findings instead.
//
//	func TestMyLock(t *testing.T) { scenarios.Check(t, newMyLock) }
//
// [Property] makes a scenario a property for [pgregory.net/rapid], which replaces the
// search. Rapid draws every decision, shrinks a failing run towards calm, saves it under
// testdata/rapid and tries it first next time. Limits fail only with [StrictProperty].
//
//	func TestMyLock(t *testing.T) {
//		rapid.Check(t, scenarios.Property("gc-pause", newMyLock))
//	}
//
// # Threads
//
// A process runs one world at a time, because a run replaces the process-wide random
// sources. Concurrent calls of [Cell.Run] wait for each other. Parallel searches use
// worker processes; see package explore.
package scenarios
