package mysql_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: a statement whose answer is lost is not sent again; the lock hears that the
// outcome is open, and looks.
func TestTrackRecord(t *testing.T) {
	locktest.Check(t, newLock, locktest.On(tables), locktest.Only("lost-reply"))
}
