// Package checker judges histories: a [model.History] goes in, one [model.Verdict]
// for each property comes out. It does not depend on the origin of the history: a
// recorded trace, a run of the simulator, or a test. Begin with [Check].
//
// # Histories
//
// A history has two parts. Operations are the calls and answers of clients, on which they may rely. Observations are
// the actual events at keys, nodes, processes and the protected resource. A property is a statement about one part or
// about both.
//
// Order is the order of event numbers ([model.Stamp].Seq), never of times. The theory of linearizability (Herlihy and
// Wing, "Linearizability: A Correctness Condition for Concurrent Objects", TOPLAS 1990) says that one operation
// precedes another if it returned before the other was called; two that overlap may have taken effect in either
// order. A checker treats intervals as closed. By time, two operations that touch at one instant would count as
// concurrent, and a violation between them would be missed. Event numbers are never equal. Time is used only for the
// ends of leases and the lengths of waits.
//
// An operation of unknown outcome (it never returned, or its error leaves open whether it took effect) may take
// effect at any time after its call, or never.
//
// # Statuses
//
// Holds means that this history does not violate the property, and no more than that. NotApplicable means that the
// history says nothing about it, with the reason. Undecided means that a limit was hit first; it is not a pass. A
// violation comes with a sentence, the operations and observations that decide it, and the window in which the
// property is violated. A window may end at a time without an event, such as the end of a lease; it then has the
// number of the last event before.
//
// # Three rooms
//
// Package holders finds who had the lock: by the claims of clients, and by the records of the stores. Package endings
// finds why a grant ended and what held its holder up, and so whether a violation is a limit of leases or a fault of the
// lock. Each documents its rules. A property is a file over the two, and uses no other property: a [Judge] has the methods
// of both, also for properties from outside ([Options].Added).
//
// # The properties
//
// Each property is a value of type [Property] in a file of its own. The constant with its id says exactly when it is
// violated and when it is not applicable: [MutualExclusion], [Linearizable] and so on. [Properties] lists them.
//
// Weak properties, which sound locks may violate too, are judged only by name. A promised property is judged only for the
// locks that promise it.
//
// # Causes and limits
//
// A violation is a limit ([model.Verdict].Limit) if its own history shows why no lease could have prevented it; everything
// else is a fault of the lock. The cause ([model.Verdict].Cause, [model.Causes]) decides. A limit also needs one of the
// observations that [endings.Evidence] lists for its cause; without one the violation is a fault, not-established. Of
// several violations of one property the first fault is reported, and a limit only if there is no fault.
//
// # Objects that are no mutex
//
// [Options].Spec is the kind of object, and [model.History].Calls are its calls. Then
//
//   - mutual-exclusion is violated when a writer's claim overlaps another's, or claims of more permits than there
//     are; it is not applicable to objects without holders: latches, barriers, stocks.
//   - linearizable is violated when the calls have no order that the kind's model allows (see package monitor). It is
//     not applicable if a lease ended by itself and the model knows no leases. Failed tries are judged only in runs
//     without faults and without operations of unknown outcome.
//   - progress is also required for clients that await a latch or a barrier, or order from a stock. For a latch or a
//     barrier it is not applicable if a client has crashed, since the others then wait for it; for a barrier also if
//     a client does not know whether it has arrived.
//
// # Files
//
// judge.go has the Judge, sentence.go and reason.go the words, verdict.go the verdicts. overlaps.go, orphans.go,
// truthful.go and calls.go are shared by several properties. Each property is in a file property_*.go of its own;
// properties.go lists them.
//
// To see why a violation is a limit, begin with CauseNotHeld in endings/cause.go.
//
// # Cost
//
// A search judges every schedule that it runs, so judging costs a few passes over the history, however long it is, and
// some allocations. A query for a single operation uses an index, and never scans the whole history. Sentences and causes
// are worked out only for violations.
package checker
