package builtin

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/golden"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestTold: what go test prints of a lock that fails: one story for each cause, in less than 60
// lines.
func TestTold(t *testing.T) {
	golden.Pinned(t, "go.etcd.io/etcd/client/v3")
	l, err := scenarios.FindLock(Locks(), "etcd-mutex")
	if err != nil {
		t.Fatal(err)
	}
	golden.Failing(t, "testdata/told.golden", 60, func(t *testing.T) {
		scenarios.Check(t, l.New, scenarios.On(l.Store), scenarios.Ownership(l.Ownership), scenarios.Only("contention", "gc-pause"), scenarios.Runs(100))
	})
}
