// Package history reads, writes and records histories of shared objects (locks,
// semaphores, latches, registers) as files. It lets histories from production, or
// from Jepsen, be judged like simulated runs. Begin with [NewRecorder] to record
// one, and with [Read] to read one; "simrun judge" does the rest.
// docs/history-format.md describes the format for writers in other languages.
//
// Programs in production import it, so it depends on package model and not on the
// checkers.
//
// # Formats
//
// [NDJSON] is the format of this package: one JSON object a line, one operation a
// line. It is strict: a misspelt, missing or contradictory field is an error that
// names its line, and nothing is guessed.
//
// [EDN] is Jepsen's format (history.edn): one map an event, in the order of events.
//
// # Stamps
//
// A call and its return have stamps: numbers of which only the order counts. Best
// are event numbers from one shared counter, the default of [Recorder]. Where that
// is impossible, use wall-clock nanoseconds, with [Options].Uncertainty for the
// difference between the clocks. [Read] replaces stamps by unique event numbers;
// its comment says how it orders equal stamps.
package history
