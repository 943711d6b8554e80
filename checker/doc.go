// Package checker judges histories: a [model.History] goes in, one [model.Verdict]
// for each property comes out. It does not depend on the origin of the history: a
// recorded trace, a run of the simulator, or a test. Begin with [Check].
//
// # Histories
//
// A history has two parts. Operations are the calls and answers of clients, on
// which they may rely. Observations are the actual events at keys, nodes, processes
// and the protected resource. A property is a statement about one part or about
// both.
//
// Order is the order of event numbers ([model.Stamp].Seq), never of times. The
// theory of linearizability (Herlihy and Wing, "Linearizability: A Correctness
// Condition for Concurrent Objects", TOPLAS 1990) says that one operation precedes
// another if it returned before the other was called; two that overlap may have
// taken effect in either order. A checker treats intervals as closed. By time, two
// operations that touch at one instant would count as concurrent, and a violation
// between them would be missed. Event numbers are never equal. Time is used only
// for the ends of leases and the lengths of waits.
//
// An operation of unknown outcome (it never returned, or its error leaves open
// whether it took effect) may take effect at any time after its call, or
// never.
//
// # Statuses
//
// Holds means that this history does not violate the property, and no more than
// that. NotApplicable means that the history says nothing about it, with the
// reason. Undecided means that a limit was hit first; it is not a pass. A violation
// comes with a sentence, the operations and observations that decide it, and the
// window in which the property is violated. A window may end at a time without an
// event, such as the end of a lease; it then has the number of the last event
// before.
//
// # Claims
//
// A client's claim on the lock runs from the return of its successful Acquire
// to the earliest of
//
//   - the call of its first Release (the client has left, whatever the answer is),
//   - Until, the end of validity by the client's own clock, if the lease has
//     one,
//   - Lost, the signal that the lease is known to be lost, if it has one,
//   - the crash of the client.
//
// Without any of these it runs to the end of the history. A lease that is extended,
// by Extend or by itself, has the new Until from when the client learns of it. If
// the old Until had passed by then, another claim begins there; if the new one has
// passed, the claim ends there and not before.
//
// # The properties
//
// Each property is a value of type [Property] in a file of its own. The constant with
// its id says exactly when it is violated and when it is not applicable:
// [MutualExclusion], [Linearizable] and so on. [Properties] lists them.
//
// Weak properties, which sound locks may violate too, are judged only if they are named.
// A property that only some locks promise is judged of these.
//
// # Who has the lock
//
// Properties that need the holder compare the answers that clients get with the records
// of the authority ([model.Observation].Authority): the serving node, or the committed
// state of an ensemble. Records of followers grant nothing. If the lease is one
// value under one key, the acquisition that wrote the value has the lock as long as
// the key exists. The lock's keys are [Options].LockKeys or, by default,
// [model.History.LockKeys]. For a lock of several keys, properties that need to
// know who has it are not applicable without an [Options].Ownership.
//
// An Ownership reads all records of an authority at each change of one; an
// acquisition with a share has the lock as long as the share is granted. A share
// may begin because another record is gone, and end because another has come. It
// belongs to the acquisition that wrote the record that it rests on. A share ends
// in one of three ways. The record expires, by itself or with its session: the
// lease has then ended as granted. A request removes the record, or puts another
// before it. Or the record is lost in a restart or with its leader.
//
// A request that gives the lock up may write another holder's name into it. That is
// a grant to the acquisition whose own Acquire has written the name before, such as
// into a queue, or else to the only one that succeeds while the name stands. If the
// owner of a value is not known, no client is blamed for it, and a property that
// would otherwise hold is not applicable. An Acquire gives the lock up, too, if it
// puts another value in place of its own that had not ended, and does not succeed by
// it: that value is another's name, or nobody's. A value that a process writes while none
// of its operations is open belongs to the lease that it had there before. A value
// that an earlier acquisition of the same thread has left counts as a later one's
// own, since some locks identify their own values by client. On independent nodes
// ([Options].Nodes) the majority has to have the key.
//
// # Causes and limits
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
//   - used-up: the same, or nobody told the holder, of a record that lives with a lease of
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
//
// # Objects that are no mutex
//
// [Options].Spec is the kind of object, and [model.History].Calls are its calls.
// Then
//
//   - mutual-exclusion is violated when a writer's claim overlaps another's, or
//     claims of more permits than there are; it is not applicable to objects
//     without holders: latches, barriers, stocks.
//   - linearizable is violated when the calls have no order that the kind's model
//     allows (see package monitor). It is not applicable if a lease ended by itself
//     and the model knows no leases. Failed tries are judged only in runs without
//     faults and without operations of unknown outcome.
//   - progress is also required for clients that await a latch or a barrier, or
//     order from a stock. For a latch or a barrier it is not applicable if a client
//     has crashed, since the others then wait for it; for a barrier also if a
//     client could not tell whether it has arrived.
//
// # Files
//
// The files are in groups by the question that they answer, and each group uses only the
// groups before it.
//
//   - What there is to judge by: judge.go has the history, index.go its parts by what
//     they are looked up by, claim.go what clients believe, tenure.go what stores have
//     and tenure_granted.go until when, kinds.go what differs between kinds of objects.
//   - Who had the lock in the store? holder.go has all look-ups, with holder_index.go.
//     holder_follow.go finds the tenures in the records of each node, holder_name.go
//     whose a name in a record is, serving.go which nodes serve, stale_read.go who was
//     shown something else.
//   - How did the grant end? end.go, with end_seen.go for what took the record.
//   - What held the client up? client_delay.go, and client_signal.go for what the
//     client could know.
//   - What does that make of the violation? cause.go decides between limit and fault, evidence.go
//     has what a limit rests on, reason.go finds the words.
//   - The properties are in property_*.go; properties.go lists them.
//
// To see why a violation is a limit, begin with causeNotHeld in cause.go.
//
// # Cost
//
// A search judges every schedule that it runs, so judging costs a few passes
// over the history, however long that is, and some allocations. What a property asks
// for each operation goes to an index, and never through the whole history. Sentences
// and causes are worked out only once something is violated.
package checker
