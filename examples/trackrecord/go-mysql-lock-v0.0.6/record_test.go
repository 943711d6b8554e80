package adapter_test

import (
	"slices"
	"testing"

	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/go-mysql-lock-v0.0.6"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/mysql"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestTrackRecord: a try that fails keeps its connection for ever. When all of the pool's are
// gone, the next try waits for one without end, and so does everything else in the program
// that needs the database. A connection that nobody closes also keeps its goroutine. The next
// version repaired both.
func TestTrackRecord(t *testing.T) {
	r := locktest.Explore(t, adapter.NewLock, locktest.On(mysql.Store), locktest.Only("gc-pause"), locktest.Properties("progress"), locktest.Runs(300))
	if !slices.ContainsFunc(r.Findings, func(f locktest.Finding) bool { return f.Property == "progress" && !f.Limit }) {
		t.Error("nobody waits for ever")
	}
	if !slices.ContainsFunc(r.Results[0].Troubles, func(x explore.Trouble) bool { return x.Leaked }) {
		t.Error("no goroutine is left behind")
	}
}
