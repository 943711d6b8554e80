package together

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/file"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/zookeeper"
)

// worlds are those of the tests: some stores in different orders, and all.
var worlds = [][]stage.Store{
	{redis.Store, database},
	{zookeeper.Store, redis.Store},
	{database, file.Store},
	{redis.Store, database, zookeeper.Store, file.Store},
}

func name(stores []stage.Store) string {
	var ids []string
	for _, s := range stores {
		ids = append(ids, s.ID())
	}
	return strings.Join(ids, "+")
}

// of is a cell of a program in a scenario.
func of(t *testing.T, scenario string, p cell.Program) cell.Cell {
	t.Helper()
	l, err := p.Lock()
	if err != nil {
		t.Fatal(err)
	}
	c, err := scenarios.Registry([]cell.Lock{l}).Cell(scenario, l.ID, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRunsRepeat: the same tape gives the same run, whatever the stores, and in every world each store
// answers and is struck by faults. With LOCKPICK_HASHES the hashes are written to that file, to compare
// them with those of another build.
func TestRunsRepeat(t *testing.T) {
	schedules := 300
	if testing.Short() {
		schedules = 10
	}
	var hashes strings.Builder
	for _, stores := range worlds {
		t.Run(name(stores), func(t *testing.T) {
			c := of(t, scenarios.Storm, using(stores...))
			hits, calls := map[string]int{}, map[string]int{}
			for n := range schedules {
				run := func() explore.Outcome { return c.Run(explore.Run{Tape: explore.Random(1, n), Record: true}) }
				one, two := run(), run()
				if one.Failure != nil {
					t.Fatalf("schedule %d: %s\n%s", n, one.Failure.Reason, one.Failure.Stack)
				}
				if one.Hash != two.Hash {
					t.Errorf("schedule %d differs: %s", n, explore.FirstDifference(one.Recording, two.Recording))
				}
				fmt.Fprintf(&hashes, "%s %d %x\n", name(stores), n, one.Hash)
				count(c, &one, hits, calls)
			}
			for _, s := range stores {
				if calls[s.ID()] < schedules || hits[s.ID()] == 0 && !testing.Short() {
					t.Errorf("vacuous: %s has answered %d calls, and faults struck it %d times", s.ID(), calls[s.ID()], hits[s.ID()])
				}
			}
			t.Logf("answered %v, struck %v", calls, hits)
		})
	}
	if path := os.Getenv("LOCKPICK_HASHES"); path != "" {
		if err := os.WriteFile(path, []byte(hashes.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// count counts what has been answered, and what has been struck, by store.
func count(c cell.Cell, out *explore.Outcome, hits, calls map[string]int) {
	for _, s := range out.Recording.History.Statements {
		if id, is := strings.CutSuffix(s.Name, " answers"); is && s.OK && s.Kind == model.SaidSometimes {
			calls[id]++
		}
	}
	for _, e := range out.Recording.Events {
		if part := stage.PartOf(c.Lock.Store, c.Params, e.Actor); e.Kind == sim.EventFault && part != c.Lock.Store {
			hits[part.ID()]++
		}
	}
}

// TestEveryScenario: every scenario that applies runs with all stores.
func TestEveryScenario(t *testing.T) {
	slowtest.SkipIfShort(t)
	for _, s := range scenarios.All() {
		t.Run(s.ID, func(t *testing.T) {
			c := of(t, s.ID, using(worlds[len(worlds)-1]...))
			if lacks := c.Lacks(); lacks != "" {
				t.Skip(lacks)
			}
			for n := range 40 {
				run := func() explore.Outcome { return c.Run(explore.Run{Tape: explore.Random(2, n), Record: true}) }
				one, two := run(), run()
				if one.Failure != nil {
					t.Fatalf("schedule %d: %s\n%s", n, one.Failure.Reason, one.Failure.Stack)
				}
				if one.Hash != two.Hash {
					t.Errorf("schedule %d differs: %s", n, explore.FirstDifference(one.Recording, two.Recording))
				}
			}
		})
	}
}

// TestUnique: no two nodes of a world have one name or one address.
func TestUnique(t *testing.T) {
	for _, topology := range []int{redis.Replicas, redis.Sentinel, redis.Cluster} {
		all, err := stage.Together(worlds[len(worlds)-1]...)
		if err != nil {
			t.Fatal(err)
		}
		p := cell.Lock{ID: "x", Store: all}.AtLeast(scenarios.Calm().Params)
		p.Own = p.Own.With(stage.Topology, topology)
		sim.Run(sim.Config{Tape: sim.Calm{}}, func(w *sim.World) {
			var seen []string
			see := func(what string) {
				if slices.Contains(seen, what) {
					t.Errorf("%s is there twice", what)
				}
				seen = append(seen, what)
			}
			for _, s := range all.Build(w, p, func(model.Observation) {}) {
				for _, a := range s.Addresses() {
					see(a)
				}
				for _, n := range slices.Concat(s.Nodes(), s.Electors()) {
					see(n.Actor().Name())
				}
			}
		})
	}
}

// TestAbsentStore: who connects to a store that the program has not named is told what to add.
func TestAbsentStore(t *testing.T) {
	p := using(redis.Store, database)
	p.Main = func(p *cell.Process) error {
		zookeeper.Connect(p)
		return nil
	}
	out := of(t, scenarios.Calm().ID, p).Run(explore.Run{Tape: sim.Calm{}})
	const want = "the program connects to zookeeper, and its Stores are redis+mysql: add zookeeper.Store to them"
	if out.Failure == nil || !strings.Contains(out.Failure.Reason, want) {
		t.Errorf("%+v, want %s", out.Failure, want)
	}
}
