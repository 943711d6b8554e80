package builtin_test

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/stores/file"
	"github.com/lockpick-dev/lockpick/stores/file/builtin"
)

// TestSummaries: what scenarios say of files is true of a single server that keeps them: it has no followers, and
// comes back with all of them.
func TestSummaries(t *testing.T) {
	applied := 0
	for _, s := range scenarios.All() {
		c, err := scenarios.Registry(builtin.Locks()).Cell(s.ID, "file-excl", nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.Lacks() != "" {
			continue
		}
		applied++
		if strings.Contains(s.Summary, "{follower}") {
			t.Errorf("%s: %q", s.ID, c.Summary())
		}
		if kept := file.Store.Terms().Kept[0]; s.ID == "node-restart" && !strings.Contains(c.Summary(), kept) {
			t.Errorf("%s: %q does not say that it comes back %s", s.ID, c.Summary(), kept)
		}
	}
	if applied < 10 {
		t.Errorf("only %d scenarios apply to files", applied)
	}
}
