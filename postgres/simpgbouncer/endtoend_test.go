package simpgbouncer_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/postgres/simpgbouncer"
	"github.com/lockpick-dev/lockpick/postgres/simpostgres"
	"github.com/lockpick-dev/lockpick/sim"
)

// TestSimulated: a simulated pooler in front of a simulated server answers as the real ones have.
func TestSimulated(t *testing.T) {
	for _, path := range scripts(t) {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
			want := read(t, path)
			var got string
			report := sim.Run(sim.Config{}, func(w *sim.World) {
				c := simpostgres.New(w, simpostgres.Options{}, func(model.Observation) {})
				node := c.Primary()
				p := simpgbouncer.New(w, options(t, want), func() simpgbouncer.Node { return node }, func(model.Observation) {})
				s := newSimulated(w, p, node.Host)
				s.acts["server down"] = node.Crash
				s.acts["server up"] = func() {
					if err := c.Restart(node); err != nil {
						t.Error(err)
					}
				}
				s.process.Go(func() {
					s.prime()
					got = (&player{place: s}).play(want)
				})
			})
			if strings.Contains(want, "The simulated server refuses") {
				if f := report.Failure; f == nil || !f.Refused || !strings.Contains(f.Reason, "client_encoding") {
					t.Errorf("the run was not refused: %v", f)
				}
				return
			}
			if report.Failure != nil {
				t.Fatalf("the run failed: %v\n%s", report.Failure, report.Failure.Stack)
			}
			compare(t, path, want, got)
		})
	}
}
