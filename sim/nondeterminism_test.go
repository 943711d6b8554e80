package sim

import (
	"slices"
	"testing"
)

// TestNondeterminism: reasons why a run may not repeat are reported once each, sorted, and leave no mark
// on its hash.
func TestNondeterminism(t *testing.T) {
	run := func(reasons ...string) Report {
		return Run(Config{}, func(w *World) {
			p := w.NewProcess("c1", ProcessOptions{Host: "10.0.0.1"})
			p.Go(func() {
				for _, r := range reasons {
					p.NoteNondeterminism(r)
				}
			})
		})
	}
	unsure, sure := run("b", "a", "b"), run()
	if want := []string{"a", "b"}; !slices.Equal(unsure.Nondeterminism, want) || len(sure.Nondeterminism) > 0 {
		t.Errorf("got %q and %q, want %q and none", unsure.Nondeterminism, sure.Nondeterminism, want)
	}
	if unsure.Hash != sure.Hash {
		t.Error("a reason changes the hash")
	}
}
