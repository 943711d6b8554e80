package adapter_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/checker"
	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/go-sql-driver-v1.3.0"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: the INSERT that takes the lock is executed, and its answer is lost with the
// connection. The driver reports driver.ErrBadConn, which says that nothing was sent, so
// database/sql sends the INSERT again. The row is there by then: the lock is told that somebody
// else has it, and waits for itself. The next version reports that the outcome is open.
func TestTrackRecord(t *testing.T) {
	r := locktest.Explore(t, adapter.NewLock, locktest.On(adapter.Tables), locktest.Only("lost-reply"), locktest.Runs(300))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == checker.Progress && !f.Limit }) {
		t.Error("nobody waits for himself")
	}
}
