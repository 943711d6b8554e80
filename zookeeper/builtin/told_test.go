package builtin

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestTold: what go test prints of a lock that fails: one story for each cause, in less than 60
// lines.
func TestTold(t *testing.T) {
	l, err := scenarios.Registry(Locks()).Lock("zklib")
	if err != nil {
		t.Fatal(err)
	}
	golden.Failing(t, "testdata/told.golden", 60, func(t *testing.T) {
		locktest.CheckSubject(t, l.Subject, locktest.On(l.Store), locktest.Ownership(l.Reading.Ownership), locktest.Only("contention", "gc-pause"), locktest.Runs(48))
	})
}
