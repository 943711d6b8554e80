// Package forecast simulates a fleet in virtual time: how long a search takes with a number of workers, what is done
// twice, and what is lost. It has no sockets and no runs: workers, queue, bucket and server are steps of a list of events,
// and the same seed gives the same result. The search is divided by [pieces.NewPlan], as in a fleet; the caller gives the
// durations of leases and polls.
//
// One machine of one processor is one worker here.
package forecast
