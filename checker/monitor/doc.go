// Package monitor decides whether a history of calls of one shared object is
// linearizable, without searching: whether a lock, a semaphore, a latch or a
// barrier could have given these answers in some order that agrees with the
// order of events (Herlihy and Wing, "Linearizability: A Correctness Condition
// for Concurrent Objects", TOPLAS 1990). What an object may answer is said with
// its sequential model (see [model.Spec]). Begin with [Judge]. Package
// subhistory finds the part of an illegal history that is illegal by itself.
//
// # How
//
// Each kind has a monitor ([New]) that is told of calls and returns in their
// order and keeps only what is open. All go by two readings of the same history:
//
//   - as short as can be: an acquire takes effect when it returns and a release
//     when it is called. What is held at the same time even then is held
//     at the same time in every order;
//   - as long as can be: an acquire takes effect when it is called and a release
//     when it returns, as far as the other holds leave room. A try that failed
//     is legal if it was in the way of something then.
//
// For one owner at a time, and for readers and writers, the longest reading is
// one for all tries, so that both together decide; the argument is beside the
// type: exclusive, readWrite. For several permits it is not, and semaphore says
// what is decided nevertheless. For a latch and a barrier, what must have
// happened is put as late as can be, and whose doing it was is left open until it
// must be known: latch, barrier, slots.
//
// # Doubts
//
// Calls of unknown outcome may have taken effect at any time after their call, or
// never. Much of what they could do makes no difference to the answer; where
// it may, the monitor does not guess: its result is Undecided, with the reason
// and what would settle it, and [Judge] falls back on porcupine with a limit of
// time. So does a history that cannot be read: two calls of one owner at the same
// time, or two acquires that return at the same event. A violation that is found
// in spite of a doubt is certain.
//
// Monitors agree with porcupine on random histories of every kind (TestAgreement;
// those on which they once did not are kept at TestDisagreed), and decide every
// history whose calls were all answered but for the cases named at TestComplete.
//
// # Cost
//
// A call costs the logarithm of how many are open, whatever the history's
// length; a failed try of a read-write lock or a semaphore, and what names a hold
// by number that is not the caller's, costs as much as there are owners. With an
// unordered history comes the cost of sorting it.
package monitor
