package sim_test

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/sim"
)

// TestServed: each sort of requests is in the report once, by its words and its task, and the run is
// the same without it.
func TestServed(t *testing.T) {
	run := func(serve func(*sim.World)) sim.Report {
		return sim.Run(sim.Config{}, func(w *sim.World) {
			a := w.NewActor("a")
			w.At(a, 0, sim.EventWork, sim.EventOptions{Vital: true}, func() { serve(w) })
		})
	}
	acquire, release := &sim.Task{Name: "acquire"}, &sim.Task{Name: "release", ID: 7}
	all := run(func(w *sim.World) {
		w.Served(acquire, "set", "6")
		w.Served(acquire, "set", "6")
		w.Served(release, "set", "6")
		w.Served(&sim.Task{Name: "release", ID: 8}, "set", "6")
		w.Served(nil, "set", "6")
		w.Served(nil, "set6")
	})
	if len(all.Served) != 4 || !slices.IsSorted(all.Served) {
		t.Errorf("served: %x, want 4 in order", all.Served)
	}
	none := run(func(*sim.World) {})
	if len(none.Served) != 0 || none.Hash != all.Hash || none.EventCount != all.EventCount {
		t.Errorf("a run without requests: served %x, hash %x, %d events; with them hash %x, %d events", none.Served, none.Hash, none.EventCount, all.Hash, all.EventCount)
	}
}
