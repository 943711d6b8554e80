// Command simrun puts distributed locks into simulated trouble and shows what
// breaks them.
//
//	simrun list                                   scenarios, locks, properties
//	simrun run SCENARIO [--lock L] [--runs N]     search by a strategy
//	simrun check SCENARIO [--lock L] [--bound K]  search exhaustively, within a bound
//	simrun matrix [-o FILE]                       every lock under every scenario, against what is expected
//	simrun merge STATE...                         join what the shards of a search found
//	simrun replay TRACE                           run a recorded counterexample again
//	simrun shrink TRACE                           make it smaller, and say what it needs
//	simrun judge HISTORY --model KIND             judge a history that was recorded elsewhere
//	simrun explain TRACE                          tell it as text
//	simrun view TRACE [-o FILE]                   show it in a browser, as one offline HTML file
//	simrun doctor [--race]                        check that runs are deterministic here
//	simrun completion bash|zsh|fish               completion for your shell
//
// # Exit codes
//
//	0    nothing found, or exhausted: nothing within the bound
//	1    a violation was found (or replayed)
//	2    the command line, or a file, could not be understood
//	3    inconclusive, incomplete or vacuous: no statement can be made
//	4    a replay diverged; or a run was nondeterministic, stalled or crashed
//	5    internal error
//	130  interrupted; what was found by then has been written
//
// These are of run, check, merge, replay and judge. Shrink, explain and view exit with
// 0 when they have done their work: that the trace shows a violation is no news.
// Matrix exits with 0 if everything is as expected, with 1 if something was found
// that must never be, or was not that must be, and with 3 or 4 if something could
// not be told. A shard exits with what came of that shard alone: whether the search has
// exhausted its bound, or was vacuous, is for merge to say.
//
// # Searches
//
// A search keeps its state beside the traces, in files that end with
// .search.json (run) or .check.json (check): what came of each of its blocks.
// With --resume it goes on from there after an interrupt, and merge joins those
// of the shards of a search. What is printed and what the traces say depends on
// the search alone: not on --jobs, nor on interrupts, nor on who ran which
// shard.
//
// The state is written before the first schedule is run, then about once a second,
// and at the end: whenever a search is ended, it can be resumed.
//
// Traces are named by scenario, lock and property, with _limit behind it for one
// that is violated as a limit of leases, and by what of the search is not as usual:
// parameters, strategy and seed, such as gc-pause_pull_clients-3_seed-2_overrun_limit.json. Those of a check end with
// _check.json, those of a shard and its state have it in their names, such as
// 2of3, and shrink makes x.shrunk.json of x.json: all can share a directory. A
// later search replaces what an earlier one has left there if it runs the same
// schedules, or more of them, or with another version.
//
// The run of a trace of more than 4 MiB is cut soon after its violation, and a trace
// that is longer than one that can be read ([traces.MaxSize]) is not written.
//
// Results go to standard output, progress to standard error and only on a
// terminal.
package main
