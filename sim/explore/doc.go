// Package explore searches the runs of something under test: it knows tapes,
// strategies, worker processes and outcomes, and nothing of locks or scenarios.
// It is given a [Runner], and cells, which are names for what is to be run.
//
// # Tapes
//
// A [sim.Tape] decides a run. [Random] draws its choices; [Replay] repeats
// recorded ones exactly and says where they stopped fitting; [Lenient] makes a
// few choices wherever they fit and is calm otherwise. Others are put around a
// tape: [Watched] remembers what was asked and answered, [Expecting] checks that
// a run begins as another did.
//
// # Strategies
//
// A [Strategy] proposes one tape after another and may learn from what came of
// them: at random (random, swarm), by priorities of messages and events (pct,
// pos), by the places of the protocol and by what was new (guided), by the
// number of deviations (bounded), or all of these by turns (portfolio). A search
// is cut into blocks of [BlockSize] schedules that know nothing of each other.
// That is why it comes out the same however many workers there are, on however
// many machines, and after having been interrupted.
//
// # Searching and checking
//
// [Search] runs so many schedules of a strategy. A property is found violated as a
// fault of what is under test or as a limit of its kind ([model.Violation]): these
// are findings of their own. The first of each is run again, in another process,
// before it is told: what the second run does not show is no finding, and where the
// two differ otherwise that is told beside it. [Check] runs all schedules with at
// most so many deviations from calm, the fewest first, and leaves out those that
// differ from others only in the order of independent events; reduce.go has the
// argument why that is sound within the bound. [State] is what has come of
// either so far: to go on later, or to join the shards of several machines.
//
// # Counterexamples
//
// [Shrink] makes one smaller, a fault as a fault and a limit as a limit, and [Attribute] says what it needs and what would
// have helped. Both use all workers: what may be wanted next is run ahead, and
// looked at in the order in which one worker would have come to it. Their budgets
// count events, of which a search has an [Allowance], and no clock: what comes of
// it is the same on every machine.
//
// # Workers
//
// Runs happen in worker processes, since code under test can take its process
// with it: a worker is any program that calls [Serve], usually the same one
// again ([Self]). [Hand] keeps one and gives it request after request. A worker
// that dies is a [Trouble] with the tape that killed it, and another goes on. In
// the worker, a watchdog proves from the stacks that a run can never go on,
// because a goroutine holds a mutex across simulated time, or gives one up that
// stands still.
package explore
