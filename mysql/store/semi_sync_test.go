package store

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// TestSemiSync: with 1 a commit waits for MySQL's default, and with 2 for longer than any run.
func TestSemiSync(t *testing.T) {
	for value, want := range []time.Duration{0, 0, 24 * 365 * time.Hour} {
		var p stage.Params
		p.Own = p.Own.With(semiSync.Name, value)
		if got := semiSyncTimeout(p); got != want {
			t.Errorf("semi-sync=%d waits for %v, want %v", value, got, want)
		}
	}
}
