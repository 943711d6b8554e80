package builtin_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/postgres/builtin"
	"github.com/lockpick-dev/lockpick/storetest"
)

// everything is what goes wrong in one run: connections break, clients stop, are cut off and give up, servers
// crash, hang and are parted from the others, sessions are ended, and messages are late or lost.
var everything = storetest.Suite{Locks: builtin.Locks(), Scenario: "contention", Params: params()}

func params(more ...[2]string) [][2]string {
	return append(more, [][2]string{
		{"clients", "3"}, {"replicas", "1"},
		{"resets", "4"}, {"pauses", "2"}, {"cut-offs", "1"}, {"failovers", "1"}, {"hangs", "1"}, {"partitions", "1"},
		{"lost-replies", "1"}, {"late-replies", "1"}, {"late-requests", "1"}, {"cancels", "2"}, {"terminations", "1"},
	}...)
}

func TestMain(m *testing.M) { everything.Main(m) }

// TestRunsRepeat: runs come out the same in two processes.
func TestRunsRepeat(t *testing.T) { everything.Test(t) }

// TestRaceBuild: and in a binary with the race detector.
func TestRaceBuild(t *testing.T) { everything.TestRaceBuild(t) }

// threaded is the same with two threads on each client's pool, and behind is the same behind a pooler.
var (
	threaded = storetest.Suite{Locks: builtin.Locks(), Scenario: "contention", Params: params([2]string{"threads", "2"})}
	behind   = storetest.Suite{Locks: builtin.Locks(), Scenario: "contention", Params: params([2]string{"pooler", "transaction"}, [2]string{"pooler-connections", "2"})}
)

func TestRunsOfThreadsRepeat(t *testing.T) {
	slowtest.SkipIfShort(t)
	threaded.Test(t)
}

func TestRaceBuildOfThreads(t *testing.T) { threaded.TestRaceBuild(t) }

func TestRunsBehindPoolerRepeat(t *testing.T) {
	slowtest.SkipIfShort(t)
	behind.Test(t)
}

func TestRaceBuildBehindPooler(t *testing.T) { behind.TestRaceBuild(t) }

// exhausted is clients whose threads wait for connections, while some break.
var exhausted = storetest.Suite{Locks: builtin.Locks(), Scenario: "pool-exhausted", Params: [][2]string{
	{"threads", "4"}, {"connections", "2"}, {"resets", "2"}, {"pauses", "1"}, {"cancels", "2"}, {"lost-replies", "1"},
}}

// TestRunsOfPoolsRepeat: several threads wait for a connection of their pool at once.
func TestRunsOfPoolsRepeat(t *testing.T) {
	slowtest.SkipIfShort(t)
	exhausted.Test(t)
}

func TestRaceBuildOfPools(t *testing.T) { exhausted.TestRaceBuild(t) }
