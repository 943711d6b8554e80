package storetest

import (
	"context"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/matrix"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/expect"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Expectations searches the locks in the named scenarios, or in all, and fails the test for each difference from
// the families: a violation that was not allowed, one that was required and not found, and a search that decides
// nothing. Runs is the number of schedules of a lock in a scenario; if a required violation is missing, up to 16
// times as many are run. It is the search of simrun matrix. The package needs the TestMain of a [Suite] that has
// the locks.
func Expectations(t *testing.T, locks []cell.Lock, families []expect.Family, runs int, ids ...string) {
	t.Helper()
	w, err := worker()
	if err != nil {
		t.Fatal(err)
	}
	unlike, err := differences(t.Context(), w, locks, families, runs, ids)
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range unlike {
		t.Error(text)
	}
}

// differences returns a sentence for each difference from the families.
func differences(ctx context.Context, w explore.Worker, locks []cell.Lock, families []expect.Family, runs int, ids []string) (unlike []string, err error) {
	m, err := matrix.New(matrix.Options{
		Known: scenarios.Registry(locks), Families: families, Scenarios: ids, Worker: w, Runs: runs, Seed: 1, Jobs: 2, Program: "simrun",
	})
	if err == nil {
		err = m.Search(ctx)
	}
	if err != nil {
		return nil, err
	}
	for _, c := range m.Cells() {
		for _, p := range c.Problems() {
			unlike = append(unlike, p.Text)
		}
	}
	if m.Totals().Cells == 0 {
		unlike = append(unlike, "no scenario applies to a lock of the families")
	}
	return unlike, nil
}
