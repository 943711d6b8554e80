// Command simrun searches for bugs in distributed locks by simulation.
//
//	simrun list                                   list scenarios, locks, properties
//	simrun run SCENARIO [--lock L] [--runs N]     search by a strategy
//	simrun check SCENARIO [--lock L] [--bound K]  search exhaustively, within a bound
//	simrun matrix [-o FILE]                       search every lock under every scenario, compare with expectations
//	simrun merge STATE...                         join the results of the shards of a search
//	simrun replay TRACE                           replay a recorded counterexample
//	simrun shrink TRACE                           shrink it, and determine what it needs
//	simrun judge HISTORY --model KIND             judge a history that was recorded elsewhere
//	simrun explain TRACE                          explain it as text
//	simrun diff A [B] [-o FILE]                   compare two runs, or a counterexample with its nearest passing run
//	simrun view TRACE [-o FILE]                   show it in a browser, or write it for another program
//	simrun report [DIR] [-o FILE]                 write all that searches left in a directory as one page
//	simrun doctor [--race]                        check that runs are deterministic here
//	simrun overlay                                print the file for go test -overlay, which searches the order of goroutines
//	simrun completion bash|zsh|fish               print a completion script
//
// # Exit codes
//
//	0    nothing found, or exhausted: nothing within the bound
//	1    a violation was found (or replayed)
//	2    the command line, or a file, could not be understood
//	3    inconclusive, incomplete or vacuous: no statement can be made
//	4    a replay diverged; or a run was nondeterministic, stalled, crashed or refused
//	5    internal error
//	130  interrupted; earlier results have been written
//
// These are the codes of run, check, merge, replay and judge. Shrink, explain, view and report
// exit with 0 if they succeed, whatever the trace shows. Diff exits with 0 if the runs are
// equal and with 1 if they differ; 2 and 4 are as above. Matrix exits with 0 if everything
// is as expected, with 1 if something forbidden was found or something required was not,
// and with 3 or 4 if something could not be determined. A shard's code covers that shard
// alone: merge decides whether the whole search has exhausted its bound, or was vacuous.
//
// # Experiments
//
// An experiment runs each of its variants with many seeds and reports medians. Its runs are
// spread over worker processes; the figures depend on the seeds and the parameters alone. It
// exits with 0 if all runs ended, whatever its claims are, and with 4 if one failed. With
// --draw or --trace it shows one run: that of --variant with --seed, cut at --to. Without
// --to, a trace of such a run is cut after about 2,000 events.
//
// # Searches
//
// A search keeps its state beside the traces, in files that end with .search.json (run) or
// .check.json (check): the result of each of its blocks. With --resume it continues from
// there after an interrupt. Merge joins the states of the shards of a search. Output and
// traces depend on the search alone: not on --jobs, on interrupts, or on which machine ran
// which shard.
//
// The state is written before the first schedule, then about once a second, and at the end. So a search can always be
// resumed, however it ended.
//
// Trace files are named by scenario, lock and property, with _limit at the end for limits of leases. Settings of the
// search that differ from the defaults (parameters, strategy, seed) are in between, as in
// gc-pause_pull_clients-3_seed-2_overrun_limit.json. Names of a check end with _check.json. Names of a shard and its state
// contain the shard, such as 2of3. Shrink makes x.shrunk.json of x.json. So all of them can share a directory. A search
// replaces the traces of an earlier one if it runs the same schedules or more, or is run by another version of simrun.
//
// A trace of more than 4 MiB is cut soon after its violation. A file of more than 1 MiB is compressed by gzip. Of a run of
// more than 20,000 events a trace has those around its violation, and notes the missing ones ([traces.Trace.Bounded]). A
// trace that is too long to be read ([traces.MaxSize]) is not written. If parameters make very long runs, a warning
// precedes the search.
//
// # Reports
//
// Report writes one page about the contents of a directory: the traces, by cause and each with its picture, and the states
// of searches with their printed results. It runs nothing and needs no lock. A matrix with --out writes its cells there,
// in matrix.ndjson.
//
// Results go to standard output. Progress goes to standard error, and only if that is a
// terminal.
package main

import (
	"github.com/lockpick-dev/lockpick/simrun"
	"github.com/lockpick-dev/lockpick/stores/builtin"
)

func main() {
	simrun.Main(
		simrun.Locks(builtin.Locks()...), simrun.Families(builtin.Families()...),
		simrun.Elsewhere(builtin.Elsewhere()),
	)
}
