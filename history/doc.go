// Package history reads, writes and records histories of shared objects (locks,
// semaphores, latches, registers) as files, so that what clients did on a
// system in production, or under Jepsen, can be judged like a simulated run.
// Begin with [NewRecorder] to record one, and with [Read] to read one; "simrun
// judge" does the rest. docs/history-format.md describes the format for people
// who write it from other languages or from logs.
//
// It stands beside the checkers and not among them because programs in
// production import it: it depends on package model alone, and draws and
// waits for nothing.
//
// # Formats
//
// [NDJSON] is the format of this package: one JSON object a line, one operation
// a line. It is strict: what is misspelt, missing or contradictory is an error
// that names its line, and nothing is guessed.
//
// [EDN] is what Jepsen writes (history.edn): one map an event, in the order of
// events.
//
// # Stamps
//
// When an operation was called and when it returned are stamps: numbers of
// which the order counts, and nothing else. Best are event numbers, of one
// counter that all share, as [Recorder] has by default; where that is
// impossible, wall-clock nanoseconds, with [Options].Uncertainty saying how far
// the clocks may be apart. [Read] replaces stamps by event numbers, of which
// every event has its own. Equal stamps are read in one way: see [Read].
package history
