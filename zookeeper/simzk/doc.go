// Package simzk simulates a ZooKeeper ensemble inside a world of package sim: servers that
// speak ZooKeeper's protocol to unmodified clients, keep a replicated log, elect leaders and
// end sessions.
//
//	e := simzk.New(world, simzk.Options{Members: 3, Tick: 200 * time.Millisecond}, observe)
//	conn, events, err := zk.Connect(e.Addresses(), 2*time.Second, zk.WithDialer(...))
//
// # What it does
//
//   - Requests: create (plain, ephemeral, sequential), create2, delete, exists, getData,
//     setData, getChildren, getChildren2, getACL, setACL, check, multi, sync, ping,
//     setWatches, closeSession. Errors have ZooKeeper's codes; stats, sequence numbers and
//     the order of children are those of ZooKeeper 3.8.
//   - Sessions: time-outs of 2 to 20 ticks; the leader ends them, by its own clock, at whole
//     ticks. When a session is about to end, the leader drops what its own client sends
//     in it; a write that comes by way of a follower fails, by a transaction behind the
//     one that ends the session. A client takes up its session at any server; a request from the server that it
//     has left is refused. A server that has less than the client has seen closes the
//     connection.
//   - Watches: one-shot, at the server that the client is connected to. The event goes out
//     before any reply that shows the change. Changes while the client was away are reported
//     when it sets its watches again, except for a znode that was created and deleted
//     meanwhile.
//   - Replication: writes go through the leader and are committed when a majority has them;
//     followers learn of that later. Reads are answered by each server from what it has.
//     Requests of a connection are answered in order.
//   - Elections: servers that have lost their leader for five ticks, or at once if it ended,
//     elect one that has the latest log of a majority. A leader without a majority steps
//     down. Servers without a leader close their clients' connections.
//   - Faults: crash and restart with all that was accepted, hangs, partitions, late messages
//     between servers, clocks that jump.
//
// # What it does not do
//
// Containers, znodes with a time to live, persistent watches and reconfiguration are answered
// with Unimplemented, authentication with AuthFailed, access control lists for others than
// everybody with InvalidACL; all of these fail the run. There are no observers, no read-only mode, no quotas, no snapshots
// (a disk keeps everything), and no limits on clients.
//
// Servers send no heartbeats: they know who reaches whom from the world's faults. Several
// servers are never elected at once: votes are not simulated, only their outcome.
//
// # Observations
//
// A change of a znode is observed at the moment of its commit, with the ensemble as the
// authority (Ensemble.Name), and later at each server that applies it, without one. A znode
// that vanishes with a session that the leader has ended is observed as expired.
//
// For the reader, and no verdict, there are observations of sessions: opened, renewed, moved
// to another server, closed, expired, and the moment when a server informs the client of
// that; of watches that are set and that fire; and of servers: who leads in which epoch, and
// who has no leader.
//
// # Fidelity
//
// Tests compare random scripts of several sessions with a real ZooKeeper, line for line.
//
// # Threads
//
// Everything belongs to the conductor, as in package sim.
package simzk
