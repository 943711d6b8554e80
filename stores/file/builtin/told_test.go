package builtin_test

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/locktest"
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

// TestTold: what go test prints of a lock that breaks another whose file is old: the file has become
// another one by then. In less than 40 lines.
func TestTold(t *testing.T) {
	l, err := scenarios.Registry(builtin.Locks()).Lock("file-excl-stale")
	if err != nil {
		t.Fatal(err)
	}
	golden.Failing(t, "testdata/told.golden", 40, func(t *testing.T) {
		locktest.CheckSubject(t, l.Subject, locktest.On(l.Store), locktest.Ownership(l.Reading.Ownership), locktest.Only("contention", "gc-pause"),
			locktest.Properties(checker.MutualExclusion), locktest.Runs(48))
	})
}
