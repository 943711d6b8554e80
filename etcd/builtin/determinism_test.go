package builtin_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/etcd/builtin"
	"github.com/lockpick-dev/lockpick/internal/repeat"
)

// everything is what goes wrong in one run of clients with two threads each: connections
// break, clients stop, crash and are cut off, members crash, restart, hang and are parted from
// the others, which elect another leader, messages are late or lost, and contexts end.
var everything = repeat.Suite{Locks: builtin.Locks(), Scenario: "election", Params: [][2]string{
	{"threads", "2"}, {"rounds", "1"},
	{"resets", "4"}, {"pauses", "2"}, {"crashes", "1"}, {"cut-offs", "1"}, {"failovers", "1"}, {"restarts", "1"}, {"hangs", "1"},
	{"partitions", "1"}, {"lost-replies", "1"}, {"late-replies", "1"}, {"late-requests", "1"}, {"lags", "2"}, {"cancels", "4"},
}}

func TestMain(m *testing.M) { everything.Main(m) }

// TestRunsRepeat: runs come out the same in two processes.
func TestRunsRepeat(t *testing.T) { everything.Test(t) }

// TestRaceBuild: and in a binary with the race detector.
func TestRaceBuild(t *testing.T) { everything.TestRaceBuild(t) }
