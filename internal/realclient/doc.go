// Package realclient runs the lock of a trace against real servers, in the process of the program or the test binary that has its code. It
// is the smaller half of a confirmation: what drives the servers and the clients is in the module real, which this one does not need.
//
// [Serve] is such a process. The driver starts one for each client of the trace, and sends it orders: call the lock, set the clock, end a
// call. It starts another one for what depends on the lock besides: a [Subject] says how its servers are set up, how much of a trace a
// violation needs, and how the history of a real run is judged. [Here] is the Subject of a lock that the driver's own process has.
package realclient
