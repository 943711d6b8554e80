// Package subhistory finds the part of an illegal history that is illegal by
// itself, so that people have a handful of operations to look at instead of
// thousands. Begin with [Shortest].
//
// # Why not any operations can be left out
//
// Part of a legal history may be illegal: without the release of one hold the
// next acquire is wrong. So only what keeps legal histories legal is left out,
// of which it follows that, if the part is illegal, the whole is. That is
//
//   - what comes after an event. What had not returned by then has an unknown
//     outcome. (Legal histories have legal beginnings: Herlihy and Wing,
//     "Linearizability: A Correctness Condition for Concurrent Objects", 1990.)
//     It must not cut a call whose answer shows already: see ends.
//   - of locks, what comes before a moment at which nothing was held and
//     nothing was under way: the lock was as new then, but for its last token,
//     and tokens that are left out allow more of the others.
//   - calls that change nothing: acquires and accesses that failed, reads, and
//     awaits of a latch.
//   - of locks, all that an owner did between two moments at which it held
//     nothing and had nothing under way, and what was of unknown outcome with
//     all that its owner did later; unless a try that failed remains, which may
//     have failed because of it.
//   - of a register without tokens, a write of a value that no read that
//     remains has returned.
//   - a crash of a client of which nothing else remains.
package subhistory
