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
// Each kind has a sequential model: what the object does if one asks it at a
// time. [Spec.Model] is that model for porcupine, and [Operations] makes
// porcupine's operations of calls:
//
//	ok := porcupine.CheckOperations(spec.Model(), model.Operations(spec, calls))
//
// What an answer allows is said with each model (mutex.go, semaphore.go and so
// on), along with where Jepsen's models of Hazelcast's locks say otherwise. All
// go through [Sequential], the typed form of a porcupine model. The locks of a
// run are held to [MutexModel] and [FencedMutexModel], which ask less of a
// Release.
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
