// Package model is the vocabulary of a run: what clients did, what the stores
// saw, and what was concluded from it.
//
// A [History] is all that a checker may know. It has two kinds of entries:
//
//   - an [Operation] is a client's view: it called Acquire, Release or an
//     access of the protected resource, and (perhaps) got an answer;
//   - an [Observation] is the world's view: a store created, expired or
//     deleted a record on somebody's behalf, the resource accepted or refused a
//     write, a process was paused, a follower was promoted.
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
// An authority is where truth lies: the node that serves, the committed
// state of a ZooKeeper ensemble or an etcd cluster, a database. What it has are
// [Record] values, and an [Observation] with an Authority tells of one of them. A
// follower's records are its own and never truth. [Records] follows both through a run.
//
// An [Ownership] reads who has a lock out of all records of one authority at one
// moment, for families that keep more than one value under one key: fields of a hash,
// members of a sorted set, or a record for each client, of which the first has the
// lock. Package checker follows it through the observations of a run, over crashes and
// failovers. [History.LockKeys] are the keys that are the lock's, for verdicts, stories
// and pictures alike.
//
// Nothing in this package runs, waits or draws: histories are plain values,
// safe to share once they are built.
package model
