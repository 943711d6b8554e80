package mysql_test

import (
	"testing"

	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/go-sql-driver-v1.3.0"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: a statement whose answer is lost is not sent again; the lock hears that the
// outcome is open, and looks.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, adapter.NewLock, locktest.On(adapter.Tables), locktest.Only("lost-reply"))
}
