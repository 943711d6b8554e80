// Package explore searches the schedules of a simulated world: it makes tapes,
// runs them, keeps what it finds, and survives what goes wrong on the way.
//
// It knows no scenario and no lock. It is given a [Runner], a function from a
// tape to an [Outcome], and the rest follows from "a run is a pure function of
// its tape":
//
//   - [Random] and [Replay] are tapes. A search is many random tapes; a
//     counterexample is one recorded tape.
//   - [Search] runs the schedules of a seed in a worker process and sums up
//     what they came to. Every finding is run a second time before it is
//     reported; one that does not repeat is reported as nondeterministic.
//   - [Serve] is the worker's side: a program that calls it can be a [Worker].
//     Code under test may panic, spin, or block the run for ever: that ends a
//     worker, becomes a [Trouble] with its stacks, and the search goes on.
//   - [Compare] runs schedules twice, in two processes that differ in all that
//     must not matter, and names the first event that differs.
//
// # Threads
//
// Everything here is for one goroutine at a time. One process runs one world
// at a time, since a run holds the process-wide random sources.
package explore
