package mysql_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/mysql"
)

// TestTrackRecord: the failure of the version before is repaired.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(mysql.Store), locktest.Only("gc-pause"), locktest.Properties("progress"))
}
