// Package explore searches the runs of code under test. It knows tapes, strategies, worker processes and outcomes,
// and nothing of locks or scenarios. The caller provides a [Runner], and cells, which name the things to run.
//
// # Tapes
//
// A [sim.Tape] decides a run. [Random] draws its choices; [Replay] repeats recorded ones exactly and says where they
// stopped fitting; [Lenient] makes a few choices wherever they fit and is calm otherwise. [Watched] wraps a tape, and
// records its decisions and answers.
//
// # Strategies
//
// A strategy proposes one tape after another and may learn from their outcomes: at random (random, swarm), by
// priorities of messages and events (pct, pos), by places in the protocol and new outcomes (guided), by the number of
// deviations (bounded), or by turns (portfolio). A search consists of independent blocks of [BlockSize] schedules.
// Its result is therefore the same for any number of workers and machines, and after an interruption.
//
// # Searching and checking
//
// [Search] runs a number of schedules of a strategy. A property violated as a fault and the same property violated as
// a limit ([model.Violation]) are two findings. The first of each is run again, in another process, before it is
// reported. If the second run does not show the violation, there is no finding; other differences between the two
// runs are reported with the finding. [Check] runs all schedules with at most a number of deviations from calm, the
// fewest first. It omits those that differ from others only in the order of independent events; reduce.go argues why
// that is sound within the bound. [State] keeps the progress of either, to continue later or to join the shards of
// several machines.
//
// # Counterexamples
//
// [Shrink] makes one smaller, and keeps a fault a fault and a limit a limit. [Attribute] finds which
// deviations it needs, and which remedies prevent it. Both use all workers: they run candidates
// ahead, and look at the results in the order of a single worker. Their budgets count events, out of
// the search's [Allowance], not time, so the results are the same on every machine.
//
// # Workers
//
// Runs happen in worker processes, since code under test can end its process. A worker is any program that calls
// [Serve], usually another instance of the same program ([Self]). [Hand] keeps one and gives it request after
// request. If a worker dies, that is a [Trouble] with the tape that killed it, and another worker continues. In the
// worker, a watchdog proves from the stacks that a run can never go on, because a goroutine holds a mutex across
// simulated time, or gives up a run that does not move. [Here] makes the runs in the same process instead, one at a
// time, where no process can be started.
package explore
