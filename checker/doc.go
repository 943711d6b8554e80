// Package checker judges histories: a [model.History] goes in, one
// [model.Verdict] for each property comes out. It knows nothing of how the
// history came about, so it judges a recorded trace, a run of the simulator
// and a history written by hand in a test alike. Begin with [Check].
//
// # What a history is, and how it is read
//
// A history has two voices. Operations are what clients did and were told:
// that is what they may rely on. Observations are what truly happened to keys,
// nodes, processes and the protected resource: that is what they got. A
// property is a sentence about one voice or about both.
//
// Order is the order of event numbers ([model.Stamp].Seq), never of times. The
// theory of linearizability (Herlihy and Wing, "Linearizability: A Correctness
// Condition for Concurrent Objects", TOPLAS 1990) says that one operation
// precedes another if it returned before the other was called; two that
// overlap may have taken effect in either order. A checker has to take
// intervals for closed, so by time two operations that touch in one instant
// would count as concurrent, and a violation between them would be excused.
// Event numbers are never equal. Time is used for the two things that are
// times: the end of a lease, and how long somebody waits.
//
// An operation of unknown outcome (it never returned, or its error leaves open
// whether it took effect) may take effect at any time after its call, or
// never.
//
// # Statuses
//
// Holds means that this history does not violate the property, and no more
// than that. NotApplicable means that the history says nothing about it, with
// the reason. Undecided means that a limit was hit first; it is not a pass. A
// violated property comes with a sentence for people, the operations and
// observations that decide it, and the window in which it is broken. A window
// may end at a time at which nothing happened, such as the end of a lease; it
// then has the number of the last event before.
//
// # Claims
//
// A client's claim on the lock runs from the return of its successful Acquire
// to the earliest of
//
//   - the call of its first Release (whoever has called Release has left,
//     whatever the answer will be),
//   - Until, the end of validity by the client's own clock, if the lease has
//     one,
//   - Lost, the signal that the lease is known to be lost, if it has one,
//   - the crash of the client.
//
// Without any of these it runs to the end of the history. A lease that is
// prolonged, by Extend or by itself, has the new Until from when the client
// learns of it; if the old one had passed by then, another claim begins there,
// and if the new one has, the claim ends there and no sooner.
//
// # The properties
//
// mutual-exclusion is violated when the claims of two clients, or of two
// threads, overlap. It is the client's view: the lock told both that they were
// in. Claims that touch do not overlap. Not applicable if no Acquire
// succeeded.
//
// linearizable is violated when there is no order of the Acquires and
// Releases, compatible with the order of events, in which a mutex could have
// given these answers. The mutex is [objects.MutexModel], or
// [objects.FencedMutexModel] if leases carry tokens, and says exactly what an
// answer allows: an Acquire that failed constrains nothing, a Release ends its
// own hold and no other, ErrNotHeld and a second Release are never wrong in
// themselves. The crash of a holder adds a release that may happen at any time
// from then on. Not applicable if no Acquire succeeded, and to leases that can
// end by themselves (Until, Lost): the plain mutex does not describe them.
//
// The oracle is porcupine (github.com/anishathalye/porcupine). Histories as
// the simulator records them are decided by a monitor that needs one pass and
// is proven, and tested, to give the same answer; porcupine's search decides
// the others, within a number of steps ([Options].SearchSteps).
//
// owner-only-release is violated when an authority deletes a key of the lock on behalf of one
// acquisition although another one wrote its value, by Acquire or Extend, and
// is still entitled to it; or changes the value, and so gives the lock to an Acquire
// that succeeds by it. It does not matter whether the other belongs to
// another process: a request of an earlier acquisition that arrives late and
// removes the lock of a later one of the same process counts. Where it is not
// known which operation caused the deletion, processes are compared. Expiry is
// nobody's deed, and followers only follow. A process may remove what it has
// itself given up; and a key without expiry may be removed by anybody once its
// holder has crashed, its Acquire has failed or its lease has ended, because
// some locks keep the expiry in the value and take over like this, or, if it is
// changed, once a lease has passed. A record that lives with a session is live as long
// as that. Of a lock with an Ownership, who puts a record before the holder's overwrites
// it. A value is somebody's only if it is one string
// under the one key of a lock that nobody shares: of hashes and the like, or where a
// Release has handed the lock over, only what an Ownership reads is judged. Not
// applicable if no Acquire created a key whose value is one acquisition's.
//
// fencing is violated when the lock is granted with a token that is not
// greater than that of an earlier grant. (What tokens are for, and why a lease
// is unsafe without: Martin Kleppmann, "How to do distributed locking", 2016.)
// The order of grants is that in which the authority gave away the lock's key, or the
// authority its shares, where no key stands for the lock; if an Acquire made several
// tries, its last one counts. Grants that were not observed, and those by independent nodes, are
// compared only where one Acquire had returned before the other was called.
// Not applicable without tokens.
//
// no-lost-update is violated when the resource accepts a write whose client
// had not read the value that it overwrites. Clients read v and then write
// v+1, starting from 0, so this is whether critical sections had the effect of
// running one at a time: harm, where mutual-exclusion is danger. Writes that
// follow no Read of the same acquisition are not judged. Not applicable if no
// write was accepted.
//
// progress is violated when a client waits for the lock for longer than
// [Options].ProgressBound, counted from when it began or, if that is later,
// from when the world had healed ([model.History].Healed). A wait goes on over
// Acquires that fail, until one succeeds. Clients that crash while they wait
// are excused. Undecided if the run was cut short, or ends while a client waits
// whose time is not over. Not applicable without a bound, or if nobody waited.
//
// # Who truly has the lock
//
// The next properties compare what clients are told with what the stores have.
// What counts is what an authority has ([model.Observation].Authority): the node that
// serves, the committed state of an ensemble. What followers have grants nothing.
// A lock whose lease is one value under one key is had by the acquisition that
// wrote the value, for as long as the key is there. Which keys are the lock's
// the history shows ([model.History.LockKeys]), if [Options].LockKeys does not
// say; for a lock of several keys what needs to know who has it is not
// applicable without an [Options].Ownership. That is given all records of an
// authority at each change of one, and who has a share has the lock, from when it is
// granted until it is not any more. A share may begin because another record is gone,
// and end because another has come: it belongs to whoever wrote the record that it
// rests on. How it came to its end the authority says: the record expired by itself, or
// with its session, and then the lease ended as granted when it was observed to; a
// request removed it, or put another before it; or a restart or another leader has lost
// it. A request that gives the lock up may write another's name into it:
// that is a grant to the acquisition that it names, the one whose own Acquire has
// written the name before, such as into a queue, or else the only one that
// succeeds while the name stands. Where it is not known whose a value is, nobody
// is blamed for it, and what holds otherwise is not applicable. What a process writes while none of its operations is
// open is put down to the lease that it had there before, and what an earlier
// acquisition of the same thread has left behind counts as a later one's own:
// some locks go by who they are, and take up what they find of their own. On
// independent nodes ([Options].Nodes) the majority has to have the key.
//
// overrun is violated when the resource accepts a read or a write of a client
// whose lease had ended before by the client's own account: by Until or by
// Lost. Careful clients look before each access, so this takes a pause or a
// late request between that look and the access: it is the price of any lease
// without fencing. Not
// applicable if no lease that tells its end was used for an access.
//
// lease-honesty is violated when, while a claim that has an Until stands, the
// authority does not have the lock for it, for longer than [Options].Drift before
// the claim ends. While an authority is down it gives the lock to nobody; what
// counts is what its successor has. Not applicable without Until, or if it
// is not known who has the lock.
//
// timely-loss is violated when a lease that signals its loss (Lost) or renews itself
// (the store has seen it renewed though nobody called, or has it live with a session,
// which is kept alive), and has no Until, has ended as
// it was granted last, and its holder's claim goes on for longer than a tenth of the
// lease (10 ms at least) of the time in which its process runs. It is no matter
// whether a renewal was lost on the way: that the lease is over shows by the clock.
// Always the lock's fault. Not applicable without such a lease, or if it is not known
// who has the lock.
//
// truthful-acquire is violated when Acquire reports success though no authority gave
// the lock to the acquisition before the return, or though its own clean-up had
// removed it, or though the lease had ended by then, as granted, and the process was
// not stopped since: it could have looked at its clock. With or without Until. What
// the store forgot, or another removed, before the return is no lie, nor is what a
// clock has to answer for that was off. Always the lock's fault. Not applicable if no
// Acquire succeeded, or if it is not known who has the lock.
//
// truthful-release is violated when the first Release of an acquisition reports
// success though no authority had the lock for that acquisition at any time from
// its call to its return. (One that has been cut off counts: who talks
// to it cannot know.) A second Release may report success: the lock is
// released. Always the lock's fault. Not applicable if no Release reported
// success, or if it is not known who has the lock.
//
// release-denied, a weak property, is violated when a Release reports
// ErrNotHeld after it has removed the acquisition's own key itself. A request
// that was sent again because its answer was lost finds the key gone, and few
// locks can tell.
//
// truthful-extend is violated when Extend reports success though no authority had
// the lock for the acquisition from Extend's call to its return, or had it only
// since somebody has taken it anew after the Acquire's return (it was lost in
// between), or though the lease that it has now had ended when Extend returned, by
// Until or, without one, by the store, and the process was not stopped since, or had
// been removed by its own client. The lock's fault, but that a store which forgets may
// come back to an earlier record of the same holder. Not applicable if no Extend
// reported success, or if it is not known who has the lock.
//
// no-orphan is violated when an acquisition has come to its end (its Acquire
// returned without the lock, given up and cancelled included, or its first
// Release returned), had one of the lock's keys at an authority that responded at
// that place, and somebody who waits for the lock is blocked by that key for
// longer than [Options].OrphanBound: counted from that end or, if they are
// later, from when the world had healed and from when the wait began. The same
// client's next Acquire counts as somebody. It is no block if any Acquire
// succeeds meanwhile. Excused are what crashed processes leave, keys on nodes
// that were down, hung or cut off, keys that come back with a failover, what a
// Release left whose own context has ended, and what late-orphan is about. The end
// of an acquisition whose thread has the lock by another entry as well is that of
// the other; what its own Release could not do, and said so, the other need not. All
// else is the lock's fault: that an Acquire was cancelled is no excuse, and
// the client library's own retries are not either. Not applicable without a
// bound, if the lock has no key, or if no acquisition with a key came to its
// end.
//
// late-orphan, a weak property, is the same for keys that are written after
// that end, or by a request that was held back and came within 10 ms of it, or while
// all that was waited for was an answer that the node had sent before, and that was
// held back until the end: a clean-up cannot remove what has not arrived. And for what a Release left that
// reported an error, and no ErrNotHeld, after anything had gone wrong in the run: it
// told its caller. A failed Acquire has nobody to tell: it has to clean up, with more
// patience than the network is late.
//
// prompt-cancel is violated when an operation whose context has ended idles for
// longer than [Options].CancelBound in all before it returns (or the run ends):
// [model.Operation].Idle, the time in which its process was not paused and no
// request or connection attempt of its was under way. To wait for an answer
// until a timeout is the client library's business. Not applicable if no
// context ended.
//
// bounded-wakeup is violated when a release removed the key while an Acquire
// waited for it, the lock was free for longer than [Options].WakeupBound, and
// then that Acquire took it, no sooner than the key would have expired had it
// been neither released nor extended. The expiry must have been further away
// than the bound. Of a lock with a queue ([Options].Queue) it counts from when nobody
// is before that Acquire any more who has crashed, or came with a request that arrived
// when its own Acquire had returned. In waits that began before the world had healed a word may have
// been lost: for them a release counts from [Options].Recovery after that, at
// the earliest, and without one they are excused. Not applicable without a bound,
// on independent nodes, or if nobody waited for a lock that was released well
// before its expiry.
//
// fair-order, a weak property that is judged where a lock promises it, is
// violated when the lock is given to somebody while another stands in its queue
// ([Options].Queue, [Options].Ownership) who came before, by the order in which the
// store saw them come. Who was taken out of the queue has lost its place, and what
// a failover or a restart forgets is no order. Not applicable without a queue, or
// if nobody stood in it.
//
// Weak properties are judged only if they are named.
//
// # Causes and limits
//
// A violation is a limit ([model.Verdict].Limit) when its own history shows why no
// lease could have prevented it: the store had granted the lock for as long as the
// client claims it, and forgot it or let its clock jump; or the lease ended as it was
// granted, while the client was stopped, cut off, waiting for what was late, or misled
// by its clock, since it could last look. Everything else is a fault of the lock, in
// whichever circumstances: that it removes what is another's, claims what was never
// granted, reports a success when that is over, does not tell of what it could know. And
// what the history does not show is a fault as well.
//
// [model.Verdict].Cause is the reason in a word; [Causes] lists them. The cause
// of an overlap of claims is how that grant came to its end of which the store has
// nothing any more; that of a lost update, and of a history without an order, is the
// cause of the overlap behind it. Of several violations of one property the first
// fault is reported, and a limit only if there is none.
//
// How a grant came to its end is read from the lock's records. Where it is not known
// who has the lock (several keys without an Ownership, a history without
// observations), what befell the stores and the client is all that there is to go
// by: a failover that lost something, or a client that was held up for so long that
// the lease which was asked for may have ended.
//
//   - store-forgot, store-clock-jumped: a record is gone, and the time that it was
//     granted for is not over. The limit covers what rests on that record; a claim
//     that goes on for longer than was granted is claimed-longer.
//   - client-clock-off: Until is later than the lease was granted for, by no more
//     than the client's clock was off or has jumped.
//   - holder-stopped, holder-late, holder-cut-off: the lease ended as granted, and
//     without what held its client up it would not have ended by then. Held up is who
//     is paused; who waits for a request or an answer that is late or lost; who wants
//     something while the network is parted, or a node hangs or is down. A session
//     counts as kept alive until a lease before it ended.
//   - held-too-long: the same, but nothing held the client up for so long.
//   - not-told: see timely-loss. A lease that tells its holder of its end in time, by
//     Lost, and was not renewed because something was late, is a limit.
//   - acquired-too-late, extended-too-late, never-granted, removed-by-itself: see
//     truthful-acquire and truthful-extend.
//   - removed-by-another: see owner-only-release. It is the fault of the one who did it.
//   - granted-to-both: the store had the lock for both claims.
//   - token-apart: of two tokens the second is not greater, and the store has not
//     forgotten the first.
//   - untrue, left-behind, not-served, not-woken, out-of-turn, ignored-context: what
//     the property says that has one of these.
//   - not-established: nothing of this is to be seen.
//
// # Objects that are no mutex
//
// [Options].Spec says what kind of object the lock is, and [model.History].Calls
// what was asked of it. Then
//
//   - mutual-exclusion is violated when a writer's claim overlaps another's, or
//     claims of more permits than there are; it is not applicable to what nobody
//     holds: latches, barriers, stocks.
//   - linearizable is violated when the calls have no order that the kind's model
//     allows (see monitor). It is not applicable if a lease ended by itself and the
//     model knows no leases. Tries that failed are taken at their word only in runs
//     in which nothing went wrong.
//   - progress is owed to whoever awaits a latch or a barrier, or orders from a
//     stock, as well. Of a latch and a barrier it is not applicable if a client has
//     crashed, for whom the others wait lawfully, or, of a barrier, if one could not
//     tell whether it has arrived.
//
// # Cost
//
// A search judges every schedule that it runs, so judging costs a few passes
// over the history and a handful of allocations. Sentences and causes are
// worked out only once something is violated.
package checker
