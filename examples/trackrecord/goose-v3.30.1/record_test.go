package goose_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/locktest"
)

// TestTrackRecord: what version 3.30.0 does wrong is repaired.
func TestTrackRecord(t *testing.T) {
	locktest.CheckProgram(t, locking, locktest.Only("contention"))
}
