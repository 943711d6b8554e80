package together

import (
	"slices"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/stores/redis"
	"github.com/lockpick-dev/lockpick/traces/render"
)

// TestTold: a run over Redis and MySQL is told and drawn with each node in its store's words. In it both
// primaries crash and are replaced.
func TestTold(t *testing.T) {
	golden.Pinned(t, "github.com/redis/go-redis/v9")
	golden.Pinned(t, "github.com/go-sql-driver/mysql")
	c := of(t, "failover-loss", using(redis.Store, database))
	c.Params.Faults = c.Params.Faults.With(c.Params.Faults[0].Fault, 2)
	var out explore.Outcome
	for n := 0; ; n++ {
		if n == 2000 {
			t.Fatal("in none of 2,000 schedules both primaries are replaced")
		}
		out = c.Run(explore.Run{Tape: explore.Random(1, n), Record: true})
		crashed := func(node string) bool {
			return slices.ContainsFunc(out.Recording.Events, func(e sim.Event) bool {
				return e.Kind == sim.EventFault && e.Actor == node && strings.HasPrefix(e.Detail, string(sim.FaultCrash))
			})
		}
		if crashed("redis1") && crashed("mysql1") {
			break
		}
	}
	trace := c.Trace(1, 0, "", out)
	for _, a := range trace.Actors {
		if want, _, _ := strings.Cut(strings.TrimRight(a.Name, "0123456789"), "-"); (want == "redis" || want == "mysql") && (a.Store != want || a.Terms == nil) {
			t.Errorf("%s is of %q, with the terms %v", a.Name, a.Store, a.Terms)
		}
	}
	var text, picture strings.Builder
	if err := render.Explain(&text, trace, render.Style{}); err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/told.golden", text.String())
	if err := render.Draw(&picture, trace); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Redis", "MySQL", "redis2", "mysql2"} {
		if !strings.Contains(picture.String(), want) {
			t.Errorf("the picture lacks %s", want)
		}
	}
	golden.File(t, "testdata/told.svg", picture.String())
}
