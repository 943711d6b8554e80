package hunt_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/hunt"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// hunted is a hunt of a lock whose runs differ, though it has no other fault in the cell.
func hunted(t *testing.T, shard explore.Shard) (*hunt.Hunt, map[int]explore.Tally) {
	t.Helper()
	blocks := map[int]explore.Tally{}
	return &hunt.Hunt{
		Search:  hunt.Search{Strategy: explore.PortfolioStrategy, Seed: 1, Schedules: 2 * explore.BlockSize, Shard: shard},
		Cell:    cells.Of(t, "contention", "test-own-random"),
		Reducer: hunt.Reducer{Worker: cells.Worker(t, 1), Jobs: 1, Known: scenarios.Registry(cells.Locks())},
		OnBlock: func(n int, b explore.Tally) { blocks[n] = b },
	}, blocks
}

func run(t *testing.T, h *hunt.Hunt) *hunt.Result {
	t.Helper()
	r, err := h.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// differs reports whether a tally has a schedule whose runs differ.
func differs(t *explore.Tally) bool {
	return slices.ContainsFunc(t.Troubles, func(o explore.Trouble) bool { return o.Kind == explore.Nondeterministic })
}

// TestSample: the first shard makes the sample, and what that shows is in its state; so a search that
// goes on and one that joins states know it, and the other shard makes none.
func TestSample(t *testing.T) {
	t.Parallel()
	first, state := hunted(t, explore.Shard{Index: 1, Of: 2})
	if r := run(t, first); r.Word != string(explore.Nondeterministic) || !differs(r.Tally) {
		t.Errorf("the first shard comes to %s, %+v", r.Word, r.Troubles)
	}
	if block := state[0]; !differs(&block) {
		t.Errorf("the first block is kept with %+v", block.Troubles)
	}
	second, other := hunted(t, explore.Shard{Index: 2, Of: 2})
	if r := run(t, second); r.Word != explore.NoneFound {
		t.Errorf("the second shard comes to %s", r.Word)
	}

	resumed, _ := hunted(t, explore.Shard{})
	resumed.State = &explore.State{Blocks: state}
	if r := run(t, resumed); r.Word != string(explore.Nondeterministic) || len(r.Troubles) != 1 {
		t.Errorf("resumed, it comes to %s with %d troubles", r.Word, len(r.Troubles))
	}
	maps.Copy(other, state)
	joined, _ := hunted(t, explore.Shard{})
	joined.State, joined.KnownOnly = &explore.State{Blocks: other}, true
	if r := run(t, joined); r.Word != string(explore.Nondeterministic) || len(r.Missing) > 0 {
		t.Errorf("joined, it comes to %s, without %v", r.Word, r.Missing)
	}
}
