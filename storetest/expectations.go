package storetest

import (
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
)

// Expectations searches the locks in the named scenarios, or in all, and fails the test for each difference
// from the families: a violation that was not allowed, one that was required and not found, and a search that
// decides nothing. Runs is the number of schedules of a lock in a scenario; where a required violation is
// missing, there may be 16 times as many. It is the search of simrun matrix. The package needs the TestMain of a
// [Suite] that has the locks.
func Expectations(t *testing.T, locks []cell.Lock, families []expect.Family, runs int, ids ...string) {
	t.Helper()
	w, err := worker()
	if err != nil {
		t.Fatal(err)
	}
	m, err := matrix.New(matrix.Options{
		Known: scenarios.Registry(locks), Families: families, Scenarios: ids, Worker: w, Runs: runs, Seed: 1, Jobs: 2, Program: "simrun",
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Search(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, c := range m.Cells() {
		for _, p := range c.Problems() {
			t.Error(p.Text)
		}
	}
	if m.Totals().Cells == 0 {
		t.Error("no scenario applies to a lock of the families")
	}
}
