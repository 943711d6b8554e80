// Package monitor decides whether a history of calls of one shared object is linearizable, without searching: whether a
// lock, a semaphore, a latch or a barrier could have given these answers in some order that agrees with the order of
// events (Herlihy and Wing, "Linearizability: A Correctness Condition for Concurrent Objects", TOPLAS 1990). The
// sequential models of package objects define the legal answers. Begin with [Judge]. Package subhistory finds a small
// illegal part of an illegal history.
//
// # How
//
// Each kind has a monitor ([New]) that gets calls and returns in their order and
// keeps only open ones. All use two readings of the same history:
//
//   - shortest holds: an acquire takes effect when it returns and a release when it
//     is called. Holds that overlap even then overlap in every order;
//   - longest holds: an acquire takes effect when it is called and a release when
//     it returns, as far as the other holds leave room. A failed try is legal if
//     another hold was in its way then.
//
// For one owner at a time, and for readers and writers, one longest reading serves all tries, so that both readings
// together decide; the types exclusive and readWrite have the argument. For several permits no single reading does; the
// type semaphore documents which histories are decided nevertheless. For a latch and a barrier, effects are placed as late
// as possible, and the call that caused one stays open until the effect must be known; see the types latch, barrier and
// slots.
//
// # Doubts
//
// Calls of unknown outcome may have taken effect at any time after their call, or never. Often that makes no difference.
// Where it may, the monitor does not guess: its result is Undecided, with the reason and the information that would
// decide, and [Judge] falls back on porcupine within a bound. The same holds for a malformed history: two calls of one
// owner at the same time, or two acquires that return at the same event. A violation that is found in spite of a doubt is
// certain.
//
// Monitors agree with porcupine on random histories of every kind (TestAgreement;
// earlier disagreements are kept in TestDisagreed). They decide every history whose
// calls were all answered, except the cases in TestComplete.
//
// # Cost
//
// A call costs the logarithm of the number of open calls, independent of the
// history's length. A failed try of a read-write lock or a semaphore, and a call
// that names another owner's hold by its ID, cost the number of owners. An
// unordered history is sorted first.
package monitor
