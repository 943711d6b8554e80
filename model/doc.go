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
// The sequential models that porcupine searches live here too; see
// [MutexModel] and [FencedMutexModel].
//
// Nothing in this package runs, waits or draws: histories are plain values,
// safe to share once they are built.
package model
