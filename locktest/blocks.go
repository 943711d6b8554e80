package locktest

import (
	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// shardOf returns the shard's part of a scenario. The blocks of all scenarios are numbered consecutively, so that searches
// of few blocks each have work for more shards.
func (x *session) shardOf(s *cell.Scenario) explore.Shard {
	shard := x.part.Shard
	shard.Index = remainder(shard.Index-1-x.blocksBefore(s), shard.Of) + 1
	return shard
}

// ownerOf returns the number of the shard that has a block, or another part, of a scenario.
func (x *session) ownerOf(s *cell.Scenario, block, of int) int {
	return (x.blocksBefore(s)+block)%of + 1
}

func remainder(a, n int) int { return (a%n + n) % n }

// blocksBefore returns the number of blocks of the scenarios before one. An exhaustive search counts as one: its number of
// parts is not known yet.
func (x *session) blocksBefore(s *cell.Scenario) (n int) {
	for _, one := range x.scenarios() {
		if one.ID == s.ID {
			break
		}
		n += x.blocks(one)
	}
	return n
}

func (x *session) blocks(s *cell.Scenario) int {
	if x.bound != nil {
		return 1
	}
	return explore.Blocks(explore.PortfolioStrategy, x.schedules(s.ID))
}

// hasPart reports whether a shard has any block of a scenario. An exhaustive search decides that itself.
func (x *session) hasPart(s *cell.Scenario, shard explore.Shard) bool {
	return x.bound != nil || shard.Index <= x.blocks(s)
}
