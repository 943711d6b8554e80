// Package endings answers why grants of a lock ended, what held their holders up, and whether a violation is therefore a
// limit of leases or a fault of the lock. Begin with [New] and [Endings.CauseNotHeld]; a property has the answers by its
// checker.Judge.
//
// [Endings.Parts] has the grants of an acquisition with how each ended, [Endings.ClientDelay] what held its client up, and
// [Evidence] on which observations each limit may rest. The package uses package holders, and knows no property.
//
// # Limits and faults
//
// A violation is a limit ([model.Verdict].Limit) when its own history shows why no
// lease could have prevented it. Either the store had granted the lock for as long
// as the client claims it, and then forgot it or let its clock jump. Or the lease
// ended as granted while the client, since it could last look, was stopped, cut
// off, waiting for a late message, or misled by its clock. Everything else is a
// fault of the lock: it removes another's record, claims more than was granted,
// reports a success too late, or does not report a loss that it could know. A
// violation whose cause the history does not show is a fault as well.
//
// [model.Verdict].Cause is the id of the cause; [model.Causes] lists them. The
// cause of an overlap of claims is the way in which the grant ended that the store
// no longer has. A lost update, and a history without an order, have the cause of
// the overlap behind them. Of several violations of one property the first fault is
// reported, and a limit only if there is no fault.
//
// The end of a grant is read from the lock's records. If it is not known who has
// the lock (several keys without an Ownership, a history without observations), the
// cause is read from faults of the stores and of the client: a failover that lost a
// record, a clock that jumped past the end of one, or a client that was held up for so long that the
// requested lease may have ended. If the store was observed, and no record in it, nothing was granted.
//
// A limit rests on observations ([model.Verdict].Limit): each cause has the kinds that it may rest on, in
// evidence.go. One of these has to come before the end of the violation, and concern a client of the violation,
// a message of its, or a node of the store in which it had a record. Without one the violation is a fault,
// not-established.
//
// The grant of a record without an end also ends as granted when another record of the holder's process
// expires that names the holder: some locks keep sessions in records of their own.
//
//   - store-forgot, store-clock-jumped: a record is gone before the end of its
//     granted time. Jumps of the clock count from when it was read for the end
//     ([model.Observation].ClockRead), and who takes what has passed may have read it at
//     any time in its Acquire. A session ends before its time if the store says until when its
//     client could count on it ([model.Observation].ExpiresAt of what expired), or if its clock had
//     jumped over the end that it had when a record of it came. The limit covers claims that rest on that record; a claim that
//     goes on for longer than was granted is claimed-longer.
//   - two-masters: the store has forgotten the lock as in store-forgot, and had granted it, or renewed it
//     last, on a node in whose place another had been elected already, by a later epoch. What that node
//     grants is not backed by the store from the promotion on, though its clients cannot know that. A
//     node that is promoted without an epoch, because a fault says so, makes it store-forgot.
//   - migration: as store-forgot, while the store moves the key's part from one server to another
//     ([model.Assigned]): another server than the one that had granted the lock is the authority of
//     the key by then. The authority is the node that serves of the server which the part is assigned to
//     or, for a record that this one does not have, the node to which it sends clients. A record that
//     the store itself deletes at one server when another one has it has moved, and its lease goes on. If the
//     lock's keys are in several parts, what the store forgot is wrong-shard, and so is what follows from
//     a request that a node has refused because of that ([model.Scattered]): faults of the lock.
//   - client-clock-off: Until is later than the lease was granted for, by no more
//     than the client's clock was off or has jumped. Or another changed a record without an end,
//     which was not as old as a lease, but was so by the clock of that client: it waits until it has
//     seen the record unchanged for a lease.
//   - holder-stopped, holder-late, holder-cut-off: the lease ended as granted, and
//     would not have ended by then if its client had not been held up. A client is
//     held up while it is paused, waits for a request or an answer that is late or
//     lost, or needs the network while it is partitioned, or a node hangs or is
//     down. A session counts as kept alive until a lease before it ended. Where the
//     session is a connection, a network that breaks it cuts the holder off, up to the
//     bound within which the holder has to notice.
//   - held-too-long: the same, but nothing held the client up for so long.
//   - used-up: the same, or nothing warned the holder, for a record that lives with a lease of
//     which most had passed when Acquire returned; nothing had renewed it since the record
//     was there.
//   - not-told: see timely-loss. A lease that signals its end in time, by Lost, and
//     was not renewed because a message was late, is a limit.
//   - acquired-too-late, extended-too-late, never-granted, removed-by-itself: see
//     truthful-acquire and truthful-extend.
//   - removed-by-another: see owner-only-release. It is the fault of the
//     acquisition that removed the record.
//   - stale-read: removed-by-another, left-behind or untrue, by an operation that a follower had
//     shown something else than the store had then ([model.RecordShown]).
//   - granted-to-both: the store had the lock for both claims.
//   - token-apart: of two tokens the second is not greater, and the store has not
//     forgotten the first.
//   - untrue, left-behind, not-served, not-woken, spins, waits-in-vain, asks-in-vain,
//     waits-for-holder, fails-needlessly, keeps-too-much, out-of-turn, ignored-context: the property itself says what happened.
//   - not-established: the history shows none of these.
package endings
