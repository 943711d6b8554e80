// Package claim says what a lease claims, and how a call of a lock has ended, as a careful client sees both. The
// workloads of simulated runs and the client processes on real servers share it. Its functions keep no state.
package claim
