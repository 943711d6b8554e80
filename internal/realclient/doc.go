// Package realclient runs the lock of a trace against real servers, in the process of the program or the test binary that
// has its code. It is the smaller half of a confirmation: the driver of servers and clients is in the module real, which
// this package does not need.
//
// [Serve] is such a process. The driver starts one for each client of the trace, and sends it orders: call the lock, set
// the clock, end a call. It starts another one as a [Subject], for everything else that depends on the lock: how its
// servers are set up, how much of a trace a violation needs, and how the history of a real run is judged. [Here] returns
// the Subject of a lock that the driver's own process has.
package realclient
