package choices

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/overlay"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/storetest"
)

// overlaid builds the tests of this package with the overlay, and with the race detector if this program has it. The first build on a machine
// takes a minute or two.
func overlaid(t *testing.T) (program string) {
	t.Helper()
	root, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	dir, err := overlay.Dir() // of a name that stays, as the go command's cache wants it
	if err != nil {
		t.Fatal(err)
	}
	name, err := overlay.Write(strings.TrimSpace(string(root)), runtime.Version(), dir)
	if err != nil {
		t.Fatal(err)
	}
	program = filepath.Join(t.TempDir(), "choices.test")
	args := []string{"test", "-c", "-overlay", name, "-o", program}
	if info, ok := debug.ReadBuildInfo(); ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		args = append(args, "-race")
	}
	build := exec.CommandContext(t.Context(), "go", append(args, ".")...)
	build.Env = append(os.Environ(), "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestOverlay: with the overlay every schedule repeats, on one processor and on two, and bugs are found that need another order of the goroutines
// which one event has woken; without it none is. A lock that connects by package net reaches the simulated network with it alone. LOCKPICK_LONG is how many schedules
// are compared, and takes 20 seeds.
func TestOverlay(t *testing.T) {
	slowtest.SkipIfShort(t)
	program := overlaid(t)
	t.Run("without", func(t *testing.T) { usesNetwork(t, self(t), of(t, "gc-pause", dialing.ID)) })
	for _, l := range append(choosing(), dialing) {
		t.Run(l.ID, func(t *testing.T) {
			count := storetest.Schedules()
			if differ := differing(t, of(t, "gc-pause", l.ID), count, worker(program, 1), worker(program, 2)); differ > 0 {
				t.Errorf("%d of %d schedules differ, want none", differ, count)
			}
		})
	}
	for _, l := range wrongOrders() {
		t.Run(l.ID, func(t *testing.T) {
			seeds, without := uint64(4), 100
			if cells.Long() {
				seeds, without = 20, 2000
			}
			c := of(t, "contention", l.ID)
			for seed := range seeds {
				r := found(t, worker(program, 1), c, seed+1, 2000)
				if r == nil {
					t.Errorf("seed %d finds nothing", seed+1)
					continue
				}
				replayed(t, worker(program, 2), self(t), c, r)
			}
			if found(t, self(t), c, 1, without) != nil {
				t.Error("it is found without the overlay")
			}
		})
	}
}

// replayed checks that a run repeats with the overlay, and that without it the replay says that it is missing.
func replayed(t *testing.T, with, without explore.Worker, c cell.Cell, r *explore.Result) {
	t.Helper()
	again, err := with.Replay(t.Context(), c.Encode(), r.Tape)
	if err != nil || again.Divergence != nil || again.Hash != r.Hash {
		t.Errorf("schedule %d does not repeat: %v", r.Schedule, err)
	}
	other, err := without.Replay(t.Context(), c.Encode(), r.Tape)
	if err != nil || other.Divergence == nil || !other.Divergence.Overlay {
		t.Errorf("schedule %d without the overlay: %+v, %v; want a divergence for it", r.Schedule, other.Divergence, err)
	}
}

// usesNetwork checks that a run is given up because it uses the real network.
func usesNetwork(t *testing.T, w explore.Worker, c cell.Cell) {
	t.Helper()
	err := w.Do(t.Context(), explore.Request{Cell: c.Encode(), Seed: 1, Count: 1}, func(r explore.Result) bool {
		if r.Trouble == nil || r.Trouble.Cause != explore.RealNetwork {
			t.Errorf("the run has the trouble %+v, want that of the real network", r.Trouble)
		}
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
}
