// Command simrun puts distributed locks into simulated trouble and shows what
// breaks them.
//
//	simrun list                                   scenarios, locks, properties
//	simrun run SCENARIO [--lock L] [--runs N]     search at random
//	simrun replay TRACE                           run a recorded counterexample again
//	simrun explain TRACE                          tell it as text
//	simrun view TRACE [-o FILE]                   show it in a browser, as one offline HTML file
//	simrun doctor                                 check that runs are deterministic here
//	simrun completion bash|zsh|fish               completion for your shell
//
// # Exit codes
//
//	0    nothing found
//	1    a violation was found (or replayed)
//	2    the command line, or a file, could not be understood
//	3    inconclusive or vacuous: no statement can be made
//	4    a replay diverged; or a run was nondeterministic, stalled or crashed
//	5    internal error
//	130  interrupted; what was found by then has been written
//
// Results go to standard output, progress to standard error and only on a
// terminal.
package main
