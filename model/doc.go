// Package model is the vocabulary of a run: what clients did, what the stores
// saw, and what was concluded from it.
//
// A [History] is all that a checker may know. It has two kinds of entries:
//
//   - an [Operation] is a client's view: it called Acquire, Release or an
//     access of the protected resource, and (perhaps) got an answer;
//   - an [Observation] is the world's view: a Redis node created, expired or
//     deleted a key on somebody's behalf, the resource accepted or refused a
//     write, a process was paused, a replica was promoted.
//
// Both are ordered by one counter, the event number ([Stamp].Seq), never by
// time. Porcupine treats intervals as closed, so two operations that touch at
// equal instants would count as concurrent and hide violations; event numbers
// are never equal. Virtual time ([Stamp].At) is kept beside it for people, and
// for the one place where time is the matter itself: the end of a lease.
//
// A [Verdict] says what one property came to in one history, and names the
// operations and observations that decide it.
//
// # Any kind of shared object
//
// A [Call] is one operation on one shared object, whatever its kind ([Kind]):
// a mutex, a semaphore, a latch, a register. It is what histories that were
// recorded elsewhere consist of. [Spec] is a kind with its parameters;
// [Spec.Check] says what no recorder can have meant.
//
// Package objects, below it, has the sequential models of the kinds.
//
// # Who believed that it held
//
// A [Claim] is a stretch in which a client may believe that it holds the lock, by
// what it was told. [Claims] are those of a history: verdicts, stories and
// pictures go by the same ones.
//
// # Who truly held
//
// An [Ownership] reads who has a lock out of the values of its keys, for families
// that keep more than one value under one key. Package checker follows it through
// the observations of a run, over crashes and failovers.
//
// Nothing in this package runs, waits or draws: histories are plain values,
// safe to share once they are built.
package model
