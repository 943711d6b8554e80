//go:build race

package sim_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestRace: what the race detector finds in a run is a failure of the run. It
// fails the test that it is found in, too, so that is another process's.
func TestRace(t *testing.T) {
	const inner = "LOCKPICK_TEST_RACE"
	if os.Getenv(inner) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRace$")
		cmd.Env = append(os.Environ(), inner+"=1", "GORACE=atexit_sleep_ms=0")
		out, _ := cmd.CombinedOutput() // it fails
		if !strings.Contains(string(out), "the run failed: the race detector has found a data race") {
			t.Errorf("the run said:\n%s", out)
		}
		return
	}
	shared := 0
	r := sim.Run(sim.Config{}, func(w *sim.World) {
		client(w, "c1", func(p *sim.Process) {
			done := make(chan bool)
			go func() { shared++; close(done) }()
			shared++
			<-done
		})
	})
	if r.Failure != nil {
		t.Logf("the run failed: %s", r.Failure.Reason)
	}
}
