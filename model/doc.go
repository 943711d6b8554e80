// Package model is the vocabulary of a run: the operations of clients, the
// observations of stores, and the verdicts on both.
//
// A [History] is all that a checker knows of a run. It has two kinds of entries:
//
//   - an [Operation] is a client's view: a call of Acquire, Release or an access of
//     the protected resource, with its answer if there was one;
//   - an [Observation] is the world's view: a store created, expired or deleted a
//     record, the resource accepted or refused a write, a process was paused, a
//     follower was promoted. Some are for the reader alone: a [Note] shows a store's
//     sessions, transactions or waits, in the store's words.
//
// Both are ordered by one counter, the event number ([Stamp].Seq), never by time.
// Porcupine treats intervals as closed, so two operations that touch at equal
// instants would count as concurrent and hide violations; event numbers are never
// equal. Virtual time ([Stamp].At) is there for the reader, and for the ends of
// leases.
//
// A [Verdict] is the status of one property in one history. It names the operations
// and observations that decide it.
//
// # Any kind of shared object
//
// A [Call] is one operation on one shared object, whatever its kind ([Kind]): a
// mutex, a semaphore, a latch, a register. Histories that were recorded elsewhere
// consist of calls. [Spec] is a kind with its parameters; [Spec.Check] rejects
// malformed calls.
//
// Package objects, below it, has the sequential models of the kinds.
//
// # Claims: what clients believe
//
// A [Claim] is a stretch in which a client may believe that it holds the lock, by
// the answers that it got. [Claims] lists the claims of a history. Verdicts,
// stories and pictures all use it.
//
// # Records: who holds the lock
//
// An authority decides who holds the lock: the serving node, the committed state of
// a ZooKeeper ensemble or an etcd cluster, a database. It has [Record] values; an
// [Observation] with an Authority reports a change of one. A follower's records
// decide nothing. [Records] follows both through a run.
//
// An [Ownership] finds the holders of a lock in all records of one authority at one
// moment. Locks need one if they keep more than one value under one key: fields of
// a hash, members of a sorted set, or a record for each client, of which the first
// has the lock. Package checker follows it through a run, over crashes and
// failovers. [History.LockKeys] are the keys of the lock, for verdicts, stories and
// pictures alike.
//
// Nothing in this package runs, waits or draws: histories are plain values,
// safe to share once they are built.
package model
