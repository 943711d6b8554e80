package mysql_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/mysql"
)

// TestTrackRecord: the failure of the version before is repaired.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.On(mysql.Store), scenarios.Only("gc-pause"), scenarios.Properties("progress"))
}
