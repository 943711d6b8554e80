package etcd_test

import (
	"testing"

	etcd "github.com/lockpick-dev/lockpick/etcd/store"
	"github.com/lockpick-dev/lockpick/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m, newLock, etcd.Store) }

// TestRunsRepeat shows that the lock and its client are deterministic here. It tests
// Lockpick; tests of locks do not need it.
func TestRunsRepeat(t *testing.T) { storetest.Test(t, newLock, etcd.Store) }

// everything is what goes wrong in one run of clients with two threads each.
var everything = storetest.Suite{Locks: storetest.Locks(newLock, etcd.Store), Scenario: "election", Params: storetest.ElectionOfThreads}

// TestEverythingRepeats: runs come out the same in two processes.
func TestEverythingRepeats(t *testing.T) { everything.Test(t) }

// TestRaceBuild: and in a binary with the race detector.
func TestRaceBuild(t *testing.T) { everything.TestRaceBuild(t) }
