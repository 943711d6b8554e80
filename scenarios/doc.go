// Package scenarios puts locks into simulated trouble.
//
// A [Scenario] is a named situation: so many clients, servers with so many
// followers (or several independent ones, for locks by quorum), a budget of
// faults, which may strike any of them. It scripts no interleaving. What happens in a
// run is decided by its tape, and the search finds the story. A [Cell] is one
// lock in one scenario; [Cell.Run] is the function from a tape to an outcome
// that everything else is built on.
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
//	lost-wakeup        what wakes those who wait is lost with a connection or a restart
//	storm              any of these, each kind of fault once
//
// # A lock under test
//
// A lock reaches the simulated world through a [Client], and through nothing
// else: it is given options of a client with a dialer, a clock and a random source.
// The built-in ones ([Locks]) have no other way in than yours:
//
//	func(c *scenarios.Client) lock.Locker {
//		rdb := redis.NewClient(c.Redis())
//		return redislocks.NewSetPX(rdb, c.LockName(), redislocks.Options{TTL: c.TTL(), Clock: c.Clock()})
//	}
//
// # What clients do
//
// Each client goes through some rounds of: acquire the lock, trying again
// until it has it; read a register on a server of its own, with the lease's
// fencing token if there is one; think for a fifth of the TTL; write one more;
// release. Before each access it looks whether its lease still claims the
// lock, if the lease can tell ([lock.Expirer], [lock.Notifier]). Between that
// look and the access a pause may still fall.
//
// Where a lock can do more, more is asked of it. A lease that can be prolonged
// ([lock.Extender]) is, once a hold, when half the TTL is over, and is then used
// for another fifth; a locker that can be tried without waiting
// ([lock.TryLocker]) is, at the beginning of every other round. In the scenario
// cancel operations are cancelled, by a context that ends before any event of
// their process, and every other hold is released a second time, when the client
// has rested. With a lock that renews its leases ([Lock].Renews, [Renews]) clients
// work for four leases more in the scenario watchdog-late, and read again and again
// for half of that. Locks that can do none of this see the same calls at the same
// times as ever.
//
// Locks that are no mutex ([Lock].Spec, Make) have workloads of their own, of the
// same steps. Readers and writers take turns, readers take the lock again, and
// writers become readers. Clients of a semaphore take some of its permits at
// once. Those of a latch close it for all, count down and wait; those of a barrier
// meet as often as there are rounds; those of a stock order as many items as they
// draw, and then one after the other until it is sold out. Owners of a re-entrant
// mutex take it again. What they asked and were answered is in the history's
// Calls, and an order of these that the kind allows is searched.
//
// A client process has one thread unless more are asked for ([Threads]). Those
// share the Locker, and go through their rounds each. What a goroutine sends is
// put down to the thread that it works for: the thread itself, or the one that
// has started it; what others send, such as one that listens for all, to the
// process alone.
//
// # Faults of a lock and limits of leases
//
// Every lease without fencing loses something when its holder is paused or its
// authority forgets. What is such a limit is decided by the cause of each violation,
// in its own history, and not by the scenario. A violation is a limit if the store
// had granted the lock to this acquisition for at least as long as its client
// claims, and then lost it by a failover, a restart or a clock jump of its own. It
// is one, too, if the lease ended by the store's clock, as granted, while the
// client was stopped, cut off, hearing late or off in its clock, between its last
// chance to look and the access. Everything else is a fault of the lock, in
// whichever scenario.
//
// # In your own tests
//
// [Check] attacks your lock in every scenario, in your own go test, and fails
// for its faults, of which it tells each cause once; [Explore] returns what it finds.
//
//	func TestMyLock(t *testing.T) { scenarios.Check(t, newMyLock) }
//
// [Property] makes a scenario a property for [pgregory.net/rapid], which then
// takes the place of the search: it draws every decision, shrinks a run that
// fails towards calm, keeps it in a file under testdata/rapid and tries that
// first next time. Limits do not fail, unless [StrictProperty] says so.
//
//	func TestMyLock(t *testing.T) {
//		rapid.Check(t, scenarios.Property("gc-pause", newMyLock))
//	}
//
// # Threads
//
// One process runs one world at a time, since a run holds the process-wide
// random sources; [Cell.Run] waits its turn. For parallel searches use worker
// processes, see package explore.
package scenarios
