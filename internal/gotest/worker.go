package gotest

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/traces"
)

// The environment variables of processes that a test binary is started again as.
const (
	// WorkerVariable names the call of Check or Explore that the process serves.
	WorkerVariable = "SIMRUN_WORKER"
	// ServesVariable says what the process is if it is no worker that makes runs: ServesClient or ServesCommands.
	ServesVariable = "SIMRUN_SERVES"
)

// What a process may be besides a worker.
const (
	ServesClient   = "client"   // a client process of a confirmation
	ServesCommands = "commands" // it carries out simrun's commands about a trace
)

// Call names a call of Check or Explore, as the value of [WorkerVariable].
func Call(t traces.Test) string { return fmt.Sprintf("%s#%d", t.Name, t.Call) }

// Arguments returns the arguments by which a test binary runs up to a call.
func Arguments(t traces.Test) []string {
	return []string{"-test.run=" + Pattern(t.Name), "-test.timeout=0"}
}
