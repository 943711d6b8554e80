package explore

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/sim"
)

// strategy proposes the tapes of one block of a search, one after the other, and
// may learn from their outcomes. It depends only on the search's seed, the number
// of the block and what it has learnt, so a block has the same result on every
// machine.
type strategy interface {
	// Next returns the tape of the next schedule.
	Next() sim.Tape
	// Learn is called after each schedule that finished, before the next one. Taken
	// is valid during the call only.
	Learn(o *Outcome, taken []Taken)
}

// BlockSize is the number of schedules that a strategy proposes before it starts again
// without what it has learnt. Blocks are independent: they can be run at the same time,
// or by different machines.
const BlockSize = 256

// The strategies, by the names that they have on the command line.
const (
	RandomStrategy    = "random"
	SwarmStrategy     = "swarm"
	PCTStrategy       = "pct"
	POSStrategy       = "pos"
	GuidedStrategy    = "guided"
	BoundedStrategy   = "bounded"
	PortfolioStrategy = "portfolio"
)

var strategies = map[string]struct {
	about string
	make  func(seed uint64, first int) strategy
}{
	RandomStrategy:    {"every choice at random, each fault with its own odds", newRandomStrategy},
	SwarmStrategy:     {"random, but each schedule first draws which kinds of faults may strike and how likely", newSwarm},
	PCTStrategy:       {"random priorities of message chains, and a few changes and faults at random places (PCTCP)", newPCT},
	POSStrategy:       {"random priorities of events, drawn anew after a conflict (POS)", newPOS},
	GuidedStrategy:    {"each kind of fault, spread over all places of the protocol; further faults in schedules that showed something new", newGuided},
	BoundedStrategy:   {"every schedule with no deviation from calm, then with one, then with two, and so on", newBounded},
	PortfolioStrategy: {"all of these but bounded, most often those that keep finding new outcomes", newPortfolio},
}

// StrategyNames returns the names of all strategies, in alphabetical order.
func StrategyNames() []string { return slices.Sorted(maps.Keys(strategies)) }

// DescribeStrategy describes a strategy in one line.
func DescribeStrategy(name string) string { return strategies[name].about }

// newStrategy makes the strategy for the block of a search that begins with
// schedule first.
func newStrategy(name string, seed uint64, first int) (strategy, error) {
	s, ok := strategies[name]
	if !ok {
		return nil, fmt.Errorf("there is no strategy %q; there are %s", name, strings.Join(StrategyNames(), ", "))
	}
	return s.make(seed, first), nil
}

// Blocks returns the number of blocks in a search of the given number of schedules. A
// bounded search is one block.
func Blocks(strategy string, schedules int) int {
	if strategy == BoundedStrategy {
		return 1
	}
	return (schedules + BlockSize - 1) / BlockSize
}

// block returns the block of a schedule: the block's first schedule, and the one after
// its last.
func block(strategy string, schedule, schedules int) (first, end int) {
	if strategy == BoundedStrategy {
		return 0, schedules
	}
	first = schedule - schedule%BlockSize
	return first, min(first+BlockSize, schedules)
}

// SameBlock reports whether the block with the given number has the same schedules in
// two searches, which have one and other schedules in all.
func SameBlock(strategy string, number, one, other int) bool {
	if number >= Blocks(strategy, one) || number >= Blocks(strategy, other) {
		return false
	}
	_, end := block(strategy, number*BlockSize, one)
	_, otherEnd := block(strategy, number*BlockSize, other)
	return end == otherEnd
}

// unknownKind returns the text of a strategy's panic at a decision of an unknown kind.
// A default answer would hide that the kind was not searched.
func unknownKind(strategy string, d sim.Decision) string {
	return fmt.Sprintf("the strategy %q does not know decisions of kind %q (%s)", strategy, d.Kind, d.ID())
}

// draws returns the random source of one schedule of a strategy, or of a whole
// block.
func draws(strategy string, seed uint64, schedule int) *rand.Rand {
	var d sim.Digest
	d.String(strategy)
	d.Uint(seed)
	return rand.New(rand.NewPCG(d.Sum(), uint64(schedule)))
}

// deviate answers a decision about a fault: not calm once in odds times.
func deviate(rng *rand.Rand, d sim.Decision, odds int) int {
	if rng.IntN(max(odds, 1)) != 0 {
		return 0
	}
	return 1 + rng.IntN(d.Options-1)
}

// separate is a strategy with independent schedules: each tape makes random draws of
// its own.
type separate struct {
	forgetful
	name string
	seed uint64
	next int
	tape func(*rand.Rand) sim.Tape
}

func (s *separate) Next() sim.Tape {
	t := newSized(s.tape(draws(s.name, s.seed, s.next)), s.name, s.seed, s.next)
	s.next++
	return t
}

// forgetful is embedded by strategies that learn nothing.
type forgetful struct{}

func (forgetful) Learn(*Outcome, []Taken) {}
