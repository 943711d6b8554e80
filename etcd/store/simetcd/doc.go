// Package simetcd simulates an etcd cluster inside a world of package sim: servers that answer
// the gRPC calls of unmodified clients, keep a replicated log, elect leaders and end leases.
//
//	c := simetcd.New(world, simetcd.Options{Members: 3, Transport: transport}, observe)
//
// The servers use a [Transport], which makes the bytes of a connection into gRPC calls: a
// method, messages in protobuf's encoding, a status.
//
// # What it does
//
//   - KV: Range, Put, DeleteRange, Txn with transactions within it, Compact. All versions of all
//     keys are kept: a transaction has one revision, ranges and watches go back to any that was
//     not compacted. Errors have etcd's codes and texts.
//   - Lease: LeaseGrant, LeaseRevoke, LeaseKeepAlive, LeaseTimeToLive, LeaseLeases. The leader
//     ends leases by its own clock, at whole half seconds, by an entry of the log that deletes
//     their keys in one revision. The shortest is one and a half election time-outs, in whole
//     seconds, rounded up. A new leader extends every lease by a whole time to live from its
//     election, and the election time-out. Followers pass keep-alives on.
//   - Watch: several watches in a stream, from any revision, with filters and previous versions;
//     progress on request. A watch from an earlier revision gets its events at the next tenth of
//     a second, since a server looks for such watches that often. One from a compacted revision
//     is canceled.
//   - Cluster.MemberList, Maintenance.Status. Auth.Authenticate answers that authentication is
//     not enabled.
//   - Replication: writes go through the leader and are committed when a majority has them;
//     followers learn of that later. Linearizable reads wait until a majority has confirmed the
//     leader; serializable ones are answered by each server from what it has.
//   - Elections: servers that have not heard of their leader for the election time-out elect one
//     that has the latest log of a majority. A leader without a majority steps down after as
//     long. Without a leader, writes wait until the server's patience ends ("request timed
//     out"), linearizable reads until there is another ("leader changed"). Calls that need a
//     leader are refused ("no leader"), and streams that do end after three election time-outs.
//   - Faults: crash and restart with all that was accepted, hangs, partitions, late messages
//     between servers, clocks that jump. Leases are measured with the monotonic clock, so that a
//     jump does nothing to them.
//   - What differed in old versions and matters to locks can be set: [Options].StaleKeepAlive,
//     the parameter old-members of scenarios.
//
// # What it does not do
//
// All other methods are answered with Unimplemented and fail the run, among them users and roles, snapshots,
// alarms, moves of the leader and changes of the membership, and the services for locks and
// elections. There are no checkpoints of leases, no quotas, no limits on the size of requests
// and their rate, no learners. Responses are not fragmented. Watches get no progress without
// asking: servers send it after ten minutes. Compaction frees no memory. A put that keeps the
// value of a key which the same transaction has deleted by a range without an end crashes etcd
// and writes an empty value here.
//
// Servers send heartbeats only where a read needs them: they know who reaches whom from the
// world's faults. Several servers are never elected at once: votes are not simulated, only their
// outcome, and of several candidates the one with the highest number is elected.
//
// # Observations
//
// A change of a key is observed at the moment of its commit, with the cluster as the authority
// ([Cluster.Name]), and later at each server that applies it, without one. A key that vanishes
// with a lease that was not kept alive is observed as expired. A keep-alive is observed as a
// change of the lease's keys that moves their end. An observation has the key's lease and the
// revision in which the key was created.
//
// For the reader alone it is observed when leases are granted, kept alive and ended, when watches
// are set and fire, and which server leads in which term, or has no leader.
//
// # Fidelity
//
// Tests compare random scripts with a real etcd, line for line: ranges, transactions, leases and
// watches, but no faults. Versions 3.4, 3.5 and 3.6 agree, with two exceptions. Of several
// errors of a transaction, 3.6 reports the first, others those of puts before those of ranges,
// as it is here. A watch from the very revision that was compacted gets a deletion at that
// revision; from older versions, such as 3.4.23, it does not.
//
// # Threads
//
// Everything belongs to the conductor, as in package sim.
package simetcd
