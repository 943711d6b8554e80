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
// mutual-exclusion is violated when the claims of two clients, or of two threads,
// overlap. It is the clients' view: both were told that they hold the lock. Claims
// that touch do not overlap. Not applicable if no Acquire succeeded.
//
// linearizable is violated when there is no order of the Acquires and Releases,
// compatible with the order of events, in which a mutex could have given these
// answers. The mutex is [objects.MutexModel], or [objects.FencedMutexModel] if
// leases carry tokens. A failed Acquire constrains nothing, a Release ends its own
// hold and no other, and ErrNotHeld and a second Release are always legal. The
// crash of a holder adds a release that may happen at any time from then on. Not
// applicable if no Acquire succeeded, and to leases that can end by themselves
// (Until, Lost): the plain mutex does not describe them.
//
// The oracle is porcupine (github.com/anishathalye/porcupine). Histories as
// the simulator records them are decided by a monitor that needs one pass and
// is proven, and tested, to give the same answer; porcupine's search decides
// the others, within a number of steps ([Options].SearchSteps).
//
// owner-only-release is violated when a request of one acquisition deletes a key of
// the lock at an authority although another acquisition wrote its value, by Acquire
// or Extend, and is still entitled to it; or changes the value so that an Acquire
// succeeds by it. The two may belong to one process: a late request of an earlier
// acquisition that removes the lock of a later one counts. If the operation that
// caused the deletion is not known, processes are compared. Expiry and changes at
// followers do not count.
//
// A process may remove a key that it has itself given up. Any client may remove a
// key without expiry once its holder has crashed, its Acquire has failed or its
// lease has ended, because some locks keep the expiry in the value and take over
// this way; it may change the value once a lease has passed. A record that lives
// with a session is live as long as the session. In a lock with an Ownership, a
// record put before the holder's overwrites it. A value has an owner only if it is
// one string under the one key of an exclusive lock. For hashes and the like, and
// after a Release that hands the lock over, only an Ownership's shares are judged.
// Not applicable if no Acquire created a key whose value is one acquisition's.
//
// fencing is violated when the lock is granted with a token that is not greater
// than that of an earlier grant. (On tokens, and why a lease is unsafe without
// them: Martin Kleppmann, "How to do distributed locking", 2016.) Grants are in the
// order in which the authority granted the lock's key, or its shares if no key
// stands for the lock. If an Acquire made several tries, the last one counts.
// Grants that were not observed, and grants by independent nodes, are compared only
// if one Acquire returned before the other was called. Not applicable without
// tokens.
//
// no-lost-update is violated when the resource accepts a write whose client had not
// read the value that it overwrites. Clients read v and then write v+1, starting
// from 0, so the property says that critical sections had the effect of running one
// at a time. It detects harm; mutual-exclusion detects danger. Writes without an
// earlier Read of the same acquisition are not judged. Not applicable if no write
// was accepted.
//
// progress is violated when a client waits for the lock for longer than
// [Options].ProgressBound, counted from when it began or, if that is later, from
// when the world had healed ([model.History].Healed). A wait continues over
// Acquires that fail, until one succeeds. Clients that crash while they wait are
// excused. Undecided if the run was cut short, or ends during a wait that is within
// the bound. Not applicable without a bound, or if no client waited.
//
// # Who has the lock
//
// The next properties compare the answers that clients get with the records of the
// authority ([model.Observation].Authority): the serving node, or the committed
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
// would otherwise hold is not applicable. A value that a process writes while none
// of its operations is open belongs to the lease that it had there before. A value
// that an earlier acquisition of the same thread has left counts as a later one's
// own, since some locks identify their own values by client. On independent nodes
// ([Options].Nodes) the majority has to have the key.
//
// overrun is violated when the resource accepts a read or a write of a client whose
// lease had ended before by the client's own account: by Until or by Lost. Careful
// clients look before each access, so a violation takes a pause or a late request
// between that look and the access. No lease without fencing prevents it. Not
// applicable if no lease with an Until or a Lost was used for an access.
//
// lease-honesty is violated when, while a claim that has an Until stands, the
// authority does not have the lock for it, for longer than [Options].Drift before
// the claim ends. While an authority is down it grants nothing; the records of its
// successor count. Not applicable without Until, or if it is not known who has the
// lock.
//
// timely-loss is violated when a lease has ended as last granted, and its holder's
// claim goes on for longer than a tenth of the lease (at least 10 ms) of the
// running time of its process. It concerns leases without Until that signal their
// loss (Lost) or renew themselves: the store has seen a renewal without a call, or
// the record lives with a session, which is kept alive. A lost renewal is no
// excuse, since the clock shows that the lease is over. Always the lock's fault.
// Not applicable without such a lease, or if it is not known who has the lock.
//
// truthful-acquire is violated when Acquire reports success though no authority
// gave the lock to the acquisition before the return, or though its own clean-up
// had removed it, or though the lease had ended by then, as granted, and the
// process was not stopped since: it could have looked at its clock. It is judged
// with or without Until. It is no violation if the store forgot the record, or
// another client removed it, before the return, or if a clock was off. Always the
// lock's fault. Not applicable if no Acquire succeeded, or if it is not known who
// has the lock.
//
// truthful-release is violated when the first Release of an acquisition reports
// success though no authority had the lock for that acquisition at any time from
// its call to its return. (An authority that is cut off counts: its clients cannot
// know.) A second Release may report success: the lock is released. Always the
// lock's fault. Not applicable if no Release reported success, or if it is not
// known who has the lock.
//
// release-denied, a weak property, is violated when a Release reports ErrNotHeld
// after it has removed the acquisition's own key itself. A request that is sent
// again because its answer was lost finds the key gone, and few locks detect that.
//
// truthful-extend is violated when Extend reports success though no authority had
// the lock for the acquisition from Extend's call to its return, or only because it
// was taken anew after the Acquire's return (it was lost in between). It is also
// violated if the extended lease had ended when Extend returned, by Until or,
// without one, by the store, and the process was not stopped since, or if the
// lease's own client had removed it. It is the lock's fault, unless a store that
// forgets has come back to an earlier record of the same holder. Not applicable if
// no Extend reported success, or if it is not known who has the lock.
//
// no-orphan is violated when an acquisition that has ended leaves one of the lock's
// keys at an authority that responded then, and the key blocks a waiting client for
// longer than [Options].OrphanBound. An acquisition ends when its Acquire returns
// without the lock, given up and cancelled included, or when its first Release
// returns.
//
// The time counts from that end, from the healing of the world or from the
// beginning of the wait, whichever is last. The same client's next Acquire can be
// the waiting one. A wait in which any Acquire succeeds does not count. Excused are
// keys of crashed processes, keys on nodes that were down, hung or cut off (or at an
// ensemble of which a server was, or that elected a leader meanwhile), keys that come
// back with a failover, keys left by a Release whose own context has ended, and the
// cases of late-orphan. If the thread of an acquisition has the lock by another entry
// as well, the acquisition ends with that entry; a failure that its own Release
// reported is excused. Everything else is the lock's fault: a cancelled Acquire is no
// excuse, nor are the client library's own retries. Not applicable without a bound, if
// the lock has no key, or if no acquisition with a key ended.
//
// late-orphan, a weak property, is the same for keys that a clean-up cannot find in
// time: keys written after that end; keys written by a request that was held back
// and came within 10 ms of it; and keys written while the acquisition waited only
// for an answer that the node had sent before and that was held back until the end.
// It also covers keys left by a Release that reported an error other than
// ErrNotHeld after anything had gone wrong in the run: its caller was told. A
// failed Acquire has to clean up, with more patience than the network is late.
//
// prompt-cancel is violated when an operation whose context has ended idles for
// longer than [Options].CancelBound in all before it returns (or the run ends). It
// idles ([model.Operation].Idle) while its process is not paused and has no request
// or connection attempt under way: a wait for an answer is the client library's
// own. Not applicable if no context ended.
//
// bounded-wakeup is violated when a release removed the key while an Acquire waited
// for it, the lock was free for longer than [Options].WakeupBound, and then that
// Acquire took it, no sooner than the key would have expired had it been neither
// released nor extended. The expiry must have been further away than the bound. For
// a lock with a queue ([Options].Queue) the time starts when no client is ahead of
// that Acquire that has crashed, or whose request arrived after its own Acquire had
// returned. In waits that began before the world had healed a wake-up may have been
// lost: for them a release counts from [Options].Recovery after the healing, at the
// earliest, and without a Recovery they are excused. Not applicable without a
// bound, on independent nodes, or if no client waited for a lock that was released
// well before its expiry.
//
// busy-wait, a weak property, is violated when an Acquire has sent a hundred requests
// ([model.Spinning]) or more in a row, each at the instant at which its process had the
// answer to the one before. It costs the store and the client much and harms no lock. What
// is sent for no operation, such as by a client library for all threads of a process, does
// not count. Not applicable if no Acquire that waits was called.
//
// vain-wait, a weak property, is violated when an Acquire waits for longer than a lease
// after its record has ended with its session, by itself, and after the world has healed.
// It has lost its place, unless it has another with another session by then, and can only
// begin anew. Not applicable if no record of an Acquire
// that waits has ended so.
//
// fair-order, a weak property that is judged if a lock promises it, is violated
// when the lock is granted to one client while another in its queue
// ([Options].Queue, [Options].Ownership) came before, in the order in which the
// store saw them. A client that was taken out of the queue has lost its place; so
// has one whose place a failover or a restart forgot. Not applicable without a
// queue, or if it stayed empty.
//
// Weak properties are judged only if they are named.
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
// record, or a client that was held up for so long that the requested lease may
// have ended.
//
//   - store-forgot, store-clock-jumped: a record is gone before the end of its
//     granted time. The limit covers claims that rest on that record; a claim that
//     goes on for longer than was granted is claimed-longer.
//   - client-clock-off: Until is later than the lease was granted for, by no more
//     than the client's clock was off or has jumped.
//   - holder-stopped, holder-late, holder-cut-off: the lease ended as granted, and
//     would not have ended by then if its client had not been held up. A client is
//     held up while it is paused, waits for a request or an answer that is late or
//     lost, or needs the network while it is partitioned, or a node hangs or is
//     down. A session counts as kept alive until a lease before it ended. Where the
//     session is a connection, a network that breaks it cuts the holder off, up to the
//     bound within which the holder has to notice.
//   - held-too-long: the same, but nothing held the client up for so long.
//   - not-told: see timely-loss. A lease that signals its end in time, by Lost, and
//     was not renewed because a message was late, is a limit.
//   - acquired-too-late, extended-too-late, never-granted, removed-by-itself: see
//     truthful-acquire and truthful-extend.
//   - removed-by-another: see owner-only-release. It is the fault of the
//     acquisition that removed the record.
//   - granted-to-both: the store had the lock for both claims.
//   - token-apart: of two tokens the second is not greater, and the store has not
//     forgotten the first.
//   - untrue, left-behind, not-served, not-woken, spins, waits-in-vain, out-of-turn,
//     ignored-context: the property itself says what happened.
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
// # Cost
//
// A search judges every schedule that it runs, so judging costs a few passes
// over the history and a handful of allocations. Sentences and causes are
// worked out only once something is violated.
package checker
