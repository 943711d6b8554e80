// Package claim decides what a lease claims, and how a call of a lock has ended, from the view of a careful client. The
// workloads of simulated runs and the client processes on real servers share it. Its functions keep no state.
package claim
