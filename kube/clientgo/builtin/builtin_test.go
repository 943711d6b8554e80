package builtin_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/kube/clientgo/builtin"
	"github.com/lockpick-dev/lockpick/storetest"
)

// everything is what goes wrong in one run of clients with two threads each.
var everything = storetest.Suite{Locks: builtin.Locks(), Scenario: "election", Params: storetest.ElectionOfThreads}

func TestMain(m *testing.M) { everything.Main(m) }

// TestRunsRepeat: runs come out the same in two processes.
func TestRunsRepeat(t *testing.T) { everything.Test(t) }

// TestRaceBuild: and in a binary with the race detector.
func TestRaceBuild(t *testing.T) { everything.TestRaceBuild(t) }
