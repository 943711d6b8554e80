package sim

import (
	"slices"
	"testing"
)

// TestDoubts: reasons why a run may not repeat are reported once each, sorted, and leave no mark
// on its hash.
func TestDoubts(t *testing.T) {
	run := func(reasons ...string) Report {
		return Run(Config{}, func(w *World) {
			p := w.NewProcess("c1", ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() {
				for _, r := range reasons {
					p.Doubt(r)
				}
			})
		})
	}
	doubtful, sure := run("b", "a", "b"), run()
	if want := []string{"a", "b"}; !slices.Equal(doubtful.Doubts, want) || len(sure.Doubts) > 0 {
		t.Errorf("got %q and %q, want %q and none", doubtful.Doubts, sure.Doubts, want)
	}
	if doubtful.Hash != sure.Hash {
		t.Error("a doubt changes the hash")
	}
}
