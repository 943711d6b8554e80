package mysql_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestTrackRecord: a statement whose answer is lost is not sent again; the lock hears that the
// outcome is open, and looks.
func TestTrackRecord(t *testing.T) {
	scenarios.Check(t, newLock, scenarios.On(tables), scenarios.Only("lost-reply"))
}
