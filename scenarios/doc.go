// Package scenarios has Lockpick's scenarios, each with the happenings without which a search of
// it is vacuous.
//
//	contention         several clients want the lock at once; nothing fails and nothing is late
//	failover-loss      the serving node crashes and a follower is promoted, perhaps without the last writes
//	gc-pause           a client process stops for a while, perhaps for longer than its lease lasts
//	two-step-release   the network holds a segment or two back, perhaps past the end of a lease
//	holder-crash       a client process is killed, perhaps while it holds the lock
//	clock-skew         the clocks of clients are off, run slow or fast, and jump
//	server-clock-jump  the clock of the node jumps forward or back, so that leases end early or late
//	lost-reply         a command is executed and its connection breaks before the answer arrives
//	late-reply         an answer of the store comes late, perhaps when the lease that it grants is over
//	late-request       a request reaches the store late, perhaps after its client has stopped waiting for it
//	hung-node          a node accepts requests and does nothing for a while, then does them all
//	partition          a partition cuts the serving node and some clients off from the others; a node among those, if there is one, may be promoted
//	node-restart       the serving node restarts, and comes back with some of its data
//	cancel             the context of an Acquire, an Extend or a Release ends before it returns
//	watchdog-late      a lease of 100 ms, held for longer, is renewed too late
//	lost-wakeup        connections break, requests are late and the node restarts while clients wait for the news of a release
//	storm              each kind of fault may strike once; two or three together do harm that none does alone
//	session-expiry     a client is cut off from the store for longer than its session: while it holds the lock, waits, or asks for it
//	stale-follower     a follower learns late what the serving node has committed, and answers clients with what is old
//	election           the serving node crashes, hangs or is cut off, and the others elect another
//	lost-commit        a transaction is committed and its connection breaks before the answer arrives
//	pool-exhausted     the threads of a client want more connections to the store than their pool has
//	deadlock           the store ends a transaction that waits for a lock, or asks for one, because of a deadlock with others
//	two-masters        the serving node is cut off from those that replace it, and goes on beside the one in its place
//	switchover         the serving node is replaced by order, or by a follower that lags, after a tie, or learns of it late
//	migration          the records of the lock move from one server to another, step by step, while clients use them
//	server-errors      a node answers requests with errors of its own, and has carried them out or not
//
// A scenario is a declaration: a [cell.Scenario] has default parameters, among them how often each
// fault of package faults may strike, the happenings without which a search is vacuous, and the
// remedies that are tried on its counterexamples. The files clients.go, network.go, servers.go and
// transactions.go group the scenarios by what fails. File happenings.go has the happenings. [All]
// has all scenarios in listing order, and [Registry] makes cells of them and of given locks.
//
// Tests and programs add scenarios of their own, by locktest.With and simrun.Scenarios.
// [Validate] says what may be added.
package scenarios
