package scenarios_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// pictured are the counterexamples that docs/properties.md shows, one of each
// property.
var pictured = []struct {
	property, scenario, lock string
	set                      []string
}{
	{checker.MutualExclusion, "failover-loss", "setpx", nil},
	{checker.Linearizable, "gc-pause", "setpx", nil},
	{checker.OwnerOnlyRelease, "two-step-release", "setpx-twostep", nil},
	{checker.Fencing, "node-restart", "setpx-fenced", nil},
	{checker.NoLostUpdate, "gc-pause", "setpx", nil},
	{checker.Progress, "contention", "test-never-woken", nil},
	{checker.Overrun, "gc-pause", "test-lease", nil},
	{checker.LeaseHonesty, "two-step-release", "test-lease-counts-late", nil},
	{checker.TimelyLoss, "watchdog-late", "test-watchdog-mute", nil},
	{checker.TruthfulAcquire, "late-reply", "setpx", nil},
	{checker.TruthfulRelease, "gc-pause", "test-lease-lies-in-release", nil},
	{checker.TruthfulExtend, "gc-pause", "test-lease-lies-in-extend", nil},
	{checker.NoOrphan, "cancel", "test-lease-dead-context", nil},
	{checker.PromptCancel, "cancel", "test-lease-ignores-context", nil},
	{checker.BoundedWakeup, "contention", "test-lease-sleeps", nil},
}

// TestPictures draws the counterexamples of docs/properties.md anew: found by
// search, and shrunk.
func TestPictures(t *testing.T) {
	page, err := os.ReadFile("../docs/properties.md")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, p := range pictured {
		shown[p.property] = true
		if !strings.Contains(string(page), "properties/"+p.property+".svg") {
			t.Errorf("docs/properties.md does not show %s", p.property)
		}
		path := filepath.Join("..", "docs", "properties", p.property+".svg")
		if _, err := os.Stat(path); err != nil && !*golden.Update {
			t.Errorf("%v: go test ./scenarios -run TestPictures/%s -update draws it", err, p.property)
		}
		if !*golden.Update && !cells.Sampled(p.property, 3) {
			continue
		}
		t.Run(p.property, func(t *testing.T) {
			t.Parallel()
			picture(t, path, drawn(t, cells.Of(t, p.scenario, p.lock, p.set...), p.property))
		})
	}
	for _, p := range checker.Properties() {
		id := p.ID
		if !shown[id] && p.Usual() {
			t.Errorf("there is no picture of %s: add a line to pictured", id)
		}
		if !strings.Contains(string(page), "## "+id+"\n") && !strings.Contains(string(page), "`"+id+"`:") {
			t.Errorf("docs/properties.md does not explain %s: go test ./checker -run TestDocs -update does", id)
		}
	}
}

// drawn searches, shrinks and draws.
func drawn(t *testing.T, c cell.Cell, property string) string {
	t.Helper()
	tape, v := firstTape(t, c, property)
	shrink := explore.Shrink{Worker: cells.Worker(t, 1), Cell: c.Encode(), Property: property, Limit: v.Limit, Smaller: c.Smaller}
	small, err := shrink.Run(t.Context(), tape)
	if err != nil {
		t.Fatal(err)
	}
	smaller, err := scenarios.Registry(cells.Locks()).Decode(small.Cell)
	if err != nil {
		t.Fatal(err)
	}
	var file bytes.Buffer
	if err := render.Draw(&file, smaller.Trace(1, 0, property, small.Outcome)); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// picture compares a drawing with a file, or rewrites it.
func picture(t *testing.T, path, got string) {
	t.Helper()
	if cells.GoRedis() != cells.OldestGoRedis && !*golden.Update {
		t.Logf("%s was made with another go-redis: not compared", path)
		return
	}
	golden.File(t, path, got)
}
