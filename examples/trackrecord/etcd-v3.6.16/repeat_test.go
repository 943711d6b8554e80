package etcd_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/internal/test/repeat"
)

func TestMain(m *testing.M) { repeat.Main(m, newProgram, etcd.Store) }

// TestRunsRepeat shows that the lock and its client are deterministic here. It tests
// Lockpick; tests of locks do not need it.
func TestRunsRepeat(t *testing.T) { repeat.Test(t, newProgram, etcd.Store) }
