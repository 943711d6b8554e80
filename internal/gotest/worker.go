package gotest

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/traces"
)

// The environment variables of processes that run a test binary again.
const (
	// WorkerVariable names the call of Check or Explore that the process serves.
	WorkerVariable = "SIMRUN_WORKER"
	// ServesVariable is the role of a process that is no worker: ServesClient or ServesCommands.
	ServesVariable = "SIMRUN_SERVES"
)

// The roles of processes besides workers.
const (
	ServesClient   = "client"   // a client process of a confirmation
	ServesCommands = "commands" // it carries out simrun's commands about a trace
)

// Call identifies a call of Check or Explore, as the value of [WorkerVariable].
func Call(t traces.Test) string { return fmt.Sprintf("%s#%d", t.Name, t.Call) }

// Arguments returns the arguments with which a test binary runs up to a call.
func Arguments(t traces.Test) []string {
	return []string{"-test.run=" + Pattern(t.Name), "-test.timeout=0"}
}
