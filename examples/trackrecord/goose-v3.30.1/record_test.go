package goose_test

import (
	"testing"

	adapter "github.com/lockpick-dev/lockpick/examples/trackrecord/goose-v3.30.0"
	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: what version 3.30.0 does wrong is repaired.
func TestTrackRecord(t *testing.T) {
	locktest.CheckProgram(t, adapter.Locking, locktest.Only("contention"))
}
