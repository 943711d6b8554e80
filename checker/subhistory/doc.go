// Package subhistory finds a small illegal part of an illegal history: a handful of operations instead of thousands. Begin
// with [Shortest].
//
// # Which operations can be left out
//
// Part of a legal history may be illegal: without the release of one hold the next
// acquire is wrong. So only omissions that keep legal histories legal are allowed.
// Then an illegal part proves that the whole is illegal. These are
//
//   - everything after an event. A call that had not returned by then has an
//     unknown outcome. (Legal histories have legal beginnings: Herlihy and Wing,
//     "Linearizability: A Correctness Condition for Concurrent Objects", 1990.) It
//     must not cut a call whose effect other answers show: see ends.
//   - for locks, everything before a moment without holds and open calls: the lock
//     was like new then, except for its last token, and omitted tokens allow more
//     of the others.
//   - calls without effect: failed acquires and accesses, reads, and awaits of a
//     latch.
//   - for locks, all calls of an owner between two moments at which it had no holds
//     and no open calls, and a call of unknown outcome with all later calls of its
//     owner; unless a failed try remains, which may have failed because of them.
//   - for a register without tokens or refused Cas, a write of a value that no remaining
//     read has returned and no Cas expects.
//   - a crash of a client without other remaining calls.
package subhistory
