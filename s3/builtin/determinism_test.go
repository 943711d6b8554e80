package builtin_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/s3/builtin"
	"github.com/lockpick-dev/lockpick/storetest"
)

// everything is what goes wrong in one run: connections break, clients stop, are cut off and give up, the server hangs,
// restarts and fails, its clock jumps, and messages are late or lost.
var everything = storetest.Suite{Locks: builtin.Locks(), Scenario: "contention", Params: [][2]string{
	{"clients", "3"},
	{"resets", "4"}, {"pauses", "2"}, {"cut-offs", "1"}, {"restarts", "1"}, {"hangs", "1"}, {"partitions", "1"}, {"server-clock-jumps", "1"},
	{"lost-replies", "1"}, {"late-replies", "1"}, {"late-requests", "1"}, {"cancels", "2"},
	{"slow-downs", "2"}, {"internal-errors", "2"}, {"server-errors", "2"},
}}

// conflicting is PUTs at the time of a deletion, for a lock that deletes its object.
var conflicting = storetest.Suite{Locks: builtin.Locks()[1:2], Scenario: "contention", Params: [][2]string{{"clients", "3"}, {"conflicts", "4"}}}

// threaded is the same with two threads, which share a client.
var threaded = storetest.Suite{Locks: builtin.Locks(), Scenario: "contention", Params: append([][2]string{{"threads", "2"}}, everything.Params...)}

func TestMain(m *testing.M) { everything.Main(m) }

// TestRunsRepeat: runs come out the same in two processes.
func TestRunsRepeat(t *testing.T) { everything.Test(t) }

// TestRunsOfThreadsRepeat: and where threads share a client.
func TestRunsOfThreadsRepeat(t *testing.T) { threaded.Test(t) }

// TestRunsOfConflictsRepeat: and where S3 refuses PUTs since it deletes.
func TestRunsOfConflictsRepeat(t *testing.T) { conflicting.Test(t) }

// TestRaceBuild: and in a binary with the race detector.
func TestRaceBuild(t *testing.T) { everything.TestRaceBuild(t); threaded.TestRaceBuild(t) }
