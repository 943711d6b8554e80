package mysql_test

import (
	"testing"

	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/go-mysql-lock-v0.0.6"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/mysql"
)

// TestTrackRecord: the failure of the version before is repaired.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, adapter.NewLock, locktest.On(mysql.Store), locktest.Only("gc-pause"), locktest.Properties("progress"))
}
