package etcd_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/etcd"
	"github.com/lockpick-dev/lockpick/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, newLock, etcd.Store) }

// TestRunsRepeat shows that the lock and its client are deterministic here. It tests
// Lockpick; tests of locks do not need it.
func TestRunsRepeat(t *testing.T) { storetest.Test(t, newLock, etcd.Store) }
