// Package endings finds why grants of a lock ended, what held their holders up, and so whether a violation is a limit of
// leases or a fault of the lock. Begin with [New] and [Endings.CauseNotHeld]; a property has the Endings in its
// checker.Judge.
//
// [Endings.Parts] returns the grants of an acquisition and how each ended, [Endings.ClientDelay] what held its client up,
// and [Evidence] the observations that a limit needs. The package uses package holders, and knows no property.
//
// # Limits and faults
//
// A violation is a limit ([model.Verdict].Limit) when its own history shows why no lease could have prevented it.
// Either the store had granted the lock for as long as the client claims it, and then forgot it or let its clock
// jump. Or the lease ended as granted while the client, since it could last look, was stopped, cut off, waiting for a
// late message, or misled by its clock. Everything else is a fault of the lock: it removes another's record, claims
// more than was granted, reports a success too late, or does not report a loss that it could know. A violation whose
// cause the history does not show is a fault as well.
//
// [model.Verdict].Cause is the id of the cause; [model.Causes] lists them. An overlap of claims has the cause for which
// the store no longer has one of the two grants. A lost update, and a history without an order, have the cause of the
// overlap behind them.
//
// The end of a grant is read from the lock's records. Without an Ownership for several keys, or without observations, the
// holder of the lock is unknown. The cause is then read from faults of the stores and of the client: a failover that lost
// a record, a clock that jumped past the end of one, or a pause of the client longer than the lease that it asked for. If
// the store was observed and never had a record, nothing was granted.
//
// A limit needs evidence ([model.Verdict].Limit): evidence.go has the kinds of observations for each cause. One of these
// must precede the end of the violation, and concern a client of the violation, one of its messages, or a node of a store
// in which it had a record. Without one the violation is a fault, not-established.
//
// The grant of a record without an expiry also ends as granted when another record of the holder's process that names the
// holder expires: some locks keep sessions in records of their own.
//
//   - store-forgot, store-clock-jumped: a record is gone before the end of its granted time. Jumps of the clock count
//     from when it was read for that end ([model.Observation].ClockRead); a client that takes a lease that has passed
//     may have read the clock at any time in its Acquire. A session ends before its time if it does so before the end
//     that the store reports for it ([model.Observation].ExpiresAt of the expiry), or if the clock jumped over the
//     end that it had when its record was created. The limit covers claims that rest on that record; a claim that
//     lasts longer than was granted is claimed-longer.
//   - two-masters: as store-forgot, if the lock had been granted, or last renewed, on a node in whose place another
//     had been elected already, by a later epoch. From that election on the store does not back the node's grants,
//     though its clients cannot know that. If a fault promotes a node without an epoch, the cause is store-forgot.
//   - migration: as store-forgot, while the store moves the key's part from one server to another ([model.Assigned]):
//     the authority of the key is by then another server than the one that granted the lock. The authority is the
//     serving node of the server to which the part is assigned or, for a record that this node does not have, the
//     node to which it redirects clients. A record that the store itself deletes at one server when another server
//     has it has moved, and its lease goes on. If the lock's keys are in several parts, a loss by the store is
//     wrong-shard, and so is a consequence of a request that a node refused for that reason ([model.Scattered]):
//     faults of the lock.
//   - client-clock-off: Until is later than the granted end, by no more than the client's clock was off or had
//     jumped. Or another client changed a record without an expiry too early: it waits until it has seen the record
//     unchanged for a lease, and measured that by a clock that was ahead.
//   - holder-stopped, holder-late, holder-cut-off: the lease ended as granted, and would not have ended by then if
//     its client had not been held up. A client is held up while it is paused, waits for a request or an answer that
//     is late or lost, or needs the network while it is partitioned, or a node hangs or is down. A session counts as
//     kept alive until a lease before it ended. Where the session is a connection, a network that breaks it cuts the
//     holder off, up to the bound within which the holder must notice.
//   - held-too-long: the same, but nothing held the client up for so long.
//   - used-up: the lease ended in either way, or without a warning; the record lives with a lease of which most had
//     passed when Acquire returned, and which had not been renewed since the record was created.
//   - not-told: see timely-loss. A lease that signals its end in time, by Lost, and
//     was not renewed because a message was late, is a limit.
//   - acquired-too-late, extended-too-late, never-granted, removed-by-itself: see
//     truthful-acquire and truthful-extend.
//   - removed-by-another: see owner-only-release. It is the fault of the acquisition that removed the record.
//   - stale-read: as removed-by-another, left-behind or untrue, by an operation to
//     which a follower had shown an outdated record ([model.RecordShown]).
//   - granted-to-both: the store had the lock for both claims.
//   - token-apart: of two tokens the second is not greater, and the store has not forgotten the first.
//   - untrue, left-behind, not-served, not-woken, spins, waits-in-vain, asks-in-vain, waits-for-holder,
//     fails-needlessly, keeps-too-much, out-of-turn, ignored-context: see the property that has the cause.
//   - not-established: the history shows none of these.
package endings
