package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestRaceBinary compares a sample of runs of the plain binary with those of
// one that was built with the race detector, which schedules goroutines in
// quite another way.
func TestRaceBinary(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a binary with the race detector")
	}
	if _, err := exec.LookPath("gcc"); err != nil && os.Getenv("CI") == "" {
		t.Skip("the race detector needs a C compiler: ", err)
	}
	binary := filepath.Join(t.TempDir(), "simrun-race")
	build := exec.Command("go", "build", "-race", "-o", binary, ".")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	plain, err := explore.Self("worker")
	if err != nil {
		t.Fatal(err)
	}
	plain.Env = []string{mark + "=1"}
	race := explore.Worker{Command: []string{binary, "worker"}, Procs: 2}
	const share = 10 // of the scenarios, those that a lock is tried under
	for i, s := range scenarios.All() {
		for j, l := range scenarios.Locks() {
			if (i+j)%share != 0 {
				continue
			}
			c, err := scenarios.NewCell(s.ID, l.ID, nil, scenarios.Locks())
			if err != nil {
				t.Fatal(err)
			}
			differ, err := explore.Compare(t.Context(), plain, race, c.Encode(), 7, 25)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range differ {
				t.Errorf("%s, %s, schedule %d: %s", s.ID, l.ID, d.Schedule, d.What)
			}
		}
	}
}
