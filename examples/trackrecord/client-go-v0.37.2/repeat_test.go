package clientgo_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/kube"
	"github.com/lockpick-dev/lockpick/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, newLock, kube.Store) }

// TestRunsRepeat shows that the elector and its client are deterministic here. It tests
// Lockpick; tests of locks do not need it.
func TestRunsRepeat(t *testing.T) { storetest.Test(t, newLock, kube.Store) }
