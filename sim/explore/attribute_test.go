package explore

import (
	"path/filepath"
	"runtime"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

// A long run that could not be shrunk has thousands of deviations. The tapes without each are not made before their
// turn comes: together they would take gigabytes.
func TestAttributeLongTape(t *testing.T) {
	tape := make([]sim.Choice, 10_000)
	for i := range tape {
		tape[i] = sim.Choice{Kind: sim.Order, Option: 1, Occurrence: i, Options: 2}
	}
	nobody := Worker{Command: []string{filepath.Join(t.TempDir(), "nobody")}} // the first run ends it
	w := &attributing{ctx: t.Context(), ahead: newAhead(t.Context(), nobody, 1), out: &Attribution{}}
	defer w.ahead.close()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := w.necessary(tape); err == nil {
		t.Fatal("a worker that is not there gives no error")
	}
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > 100<<20 {
		t.Errorf("one run of %d took %d MiB", len(tape), took>>20)
	}
}
