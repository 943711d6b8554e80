// Package electors makes locks of the leader election of client-go (tools/leaderelection): who leads has the lock. It
// does not depend on the simulation.
//
// An [Elector] runs a LeaderElector for each Acquire. [KeepSuccessor] is a cure for a flaw of its releases.
//
// # What an elector does not say
//
// A program hears that it does not lead any more by OnStoppedLeading, and by the context of OnStartedLeading: both come
// when the elector has ended, so after the Lease was released. A leader has no end that it could compare with its
// clock. Run returns nothing, so [Elector] infers from IsLeader whether a Lease was released.
//
// # Threads
//
// Everything is safe for concurrent use, but for a lease of package lock.
package electors
