package builtin

import (
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/stores/redis"
)

// TestTold: what go test prints of a lock that fails: one story for each cause, in less than 60
// lines.
func TestTold(t *testing.T) {
	slowtest.SkipIfShort(t)
	if v := cell.Versions(redis.Store)["go-redis"]; v != "v9.0.5" {
		t.Skipf("the golden file was made with another go-redis than %s", v)
	}
	l, err := scenarios.Registry(Locks()).Lock("setpx-del")
	if err != nil {
		t.Fatal(err)
	}
	golden.Failing(t, "testdata/told.golden", 60, func(t *testing.T) {
		locktest.CheckSubject(t, l.Subject, locktest.On(l.Store), locktest.Ownership(l.Reading.Ownership), locktest.Only("contention", "gc-pause", "late-reply"))
	})
}
