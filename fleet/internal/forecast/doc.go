// Package forecast simulates a fleet in virtual time: how long a search takes with so many workers, what is done twice, and what
// is lost. It has no sockets and no runs: workers, queue, bucket and server are steps of a list of events, and the same seed gives the
// same result. How a search is cut is [pieces.NewPlan], as in a fleet; the caller gives the times of leases and looks.
//
// One machine of one processor is one worker here.
package forecast
