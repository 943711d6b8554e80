// Package stress runs a lock over real servers under random faults, round after round, and records the history of each round.
//
// A [Stand] has real servers and client processes, with a gate between each process and each server, and keeps them from one
// round to the next. In a round ([Stand.Round]) the clients acquire, use, extend and release the lock as fast as it lets them.
// [Faults] decides what goes wrong: the gate loses or delays what Faults says, connections are reset, processes are stopped or
// killed, the server fails over. At the end of a round the faults end, and each client acquires the lock once more.
//
// The gate lets one request at a time through and reads the server's records before its answer, so that a change of a record is
// known to be that request's. So the history is like that of a simulated run, and package checker judges it ([Stand.Judge]).
// That costs one request more for each request; it does not decide which client goes first.
//
// It lacks: clocks that jump, partitions between servers, members of an ensemble that fail, and objects that are no mutex. Which
// of two threads of a process has sent a request is a guess. Nothing here is deterministic: a seed fixes what is drawn, and not what happens.
//
// A Stand belongs to one goroutine.
package stress
