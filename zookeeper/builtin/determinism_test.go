package builtin_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/storetest"
	"github.com/lockpick-dev/lockpick/zookeeper/builtin"
)

// everything is what goes wrong in one run.
var everything = storetest.Suite{Locks: builtin.Locks(), Scenario: "election", Params: storetest.Election}

// ofThreads is the same for clients of two threads, which share a connection. It is for the lock that
// makes one request at a time, and of which no two waiters watch the same node.
var ofThreads = storetest.Suite{Scenario: "election", Params: storetest.ElectionOfThreads, Locks: slices.DeleteFunc(builtin.Locks(), func(l cell.Lock) bool {
	return l.ID != "zookeeper"
})}

func TestMain(m *testing.M) { everything.Main(m) }

// TestRunsRepeat: runs come out the same in two processes.
func TestRunsRepeat(t *testing.T) { everything.Test(t) }

// TestRunsOfThreadsRepeat: and where threads share a connection. The end of their session wakes all
// of them at once.
func TestRunsOfThreadsRepeat(t *testing.T) { ofThreads.Test(t) }

// TestRaceBuild: and in a binary with the race detector.
func TestRaceBuild(t *testing.T) { everything.TestRaceBuild(t); ofThreads.TestRaceBuild(t) }
