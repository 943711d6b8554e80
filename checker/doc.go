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
// Without any of these it runs to the end of the history.
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
// given these answers. The mutex is [model.MutexModel], or
// [model.FencedMutexModel] if leases carry tokens, and says exactly what an
// answer allows: an Acquire that failed constrains nothing, a Release ends its
// own hold and no other, ErrNotHeld and a second Release are never wrong in
// themselves. The crash of a holder adds a release that may happen at any time
// from then on. Not applicable if no Acquire succeeded, and to leases that can
// end by themselves (Until, Lost): the plain mutex does not describe them.
//
// The oracle is porcupine (github.com/anishathalye/porcupine). Histories as
// the simulator records them are decided by a monitor that needs one pass and
// is proven, and tested, to give the same answer; porcupine's search decides
// the others, within [Options].PorcupineTimeout.
//
// owner-only-release is violated when a primary deletes a key on behalf of one
// acquisition although another one wrote its value, by Acquire or Extend, and
// is still entitled to it. It does not matter whether the other belongs to
// another process: a request of an earlier acquisition that arrives late and
// removes the lock of a later one of the same process counts. Where it is not
// known which operation caused the deletion, processes are compared. Expiry is
// nobody's deed, and replicas only follow. A process may remove what it has
// itself given up; and a key without expiry may be removed by anybody once its
// holder has crashed, its Acquire has failed or its lease has ended, because
// some locks keep the expiry in the value and take over like this. Not
// applicable if no Acquire created a key.
//
// fencing is violated when the lock is granted with a token that is not
// greater than that of an earlier grant. (What tokens are for, and why a lease
// is unsafe without: Martin Kleppmann, "How to do distributed locking", 2016.)
// The order of grants is that in which the primary gave away the key named
// [model.History].LockName; if an Acquire made several tries, its last one
// counts. Grants that were not observed, and those by independent nodes, are
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
// # Cost
//
// A search judges every schedule that it runs, so judging costs a few passes
// over the history and a handful of allocations. Sentences and causes are
// worked out only once something is violated.
package checker
