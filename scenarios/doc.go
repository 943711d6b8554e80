// Package scenarios has Lockpick's scenarios, each with the happenings without which a search of
// it is vacuous.
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
//	session-expiry     a client loses its session
//	stale-follower     a follower answers reads with what has changed since
//	election           leaders fail, one after the other
//	lost-commit        a transaction is committed, and its answer lost
//	pool-exhausted     a client has few connections
//	deadlock           the store ends a transaction because of a deadlock
//	migration          the lock's records move from one server to another
//	two-masters        the serving node is replaced and goes on beside the one in its place
//	switchover         the serving node is replaced by order, or by a follower that lags
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
