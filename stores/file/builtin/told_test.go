package builtin_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/stores/file/builtin"
)

// TestTold: what go test prints of a lock that breaks another whose file is old: the file has become
// another one by then. In less than 40 lines.
func TestTold(t *testing.T) {
	slowtest.SkipIfShort(t)
	l, err := scenarios.Registry(builtin.Locks()).Lock("file-excl-stale")
	if err != nil {
		t.Fatal(err)
	}
	golden.Failing(t, "testdata/told.golden", 40, func(t *testing.T) {
		locktest.CheckSubject(t, l.Subject, locktest.On(l.Store), locktest.Ownership(l.Reading.Ownership), locktest.Only("contention", "gc-pause"),
			locktest.Properties(checker.MutualExclusion), locktest.Runs(48))
	})
}
