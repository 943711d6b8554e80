package scenarios_test

import (
	"runtime"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/locktest"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// BenchmarkScenario is what a Check of one lock costs by default, scenario by
// scenario, on all cores: one operation is a search of all its schedules, with
// the portfolio, without shrinking.
func BenchmarkScenario(b *testing.B) {
	for _, s := range scenarios.All() {
		b.Run(s.ID, func(b *testing.B) {
			c := cells.Of(b, s.ID, "test-lease")
			runs := locktest.DefaultRuns
			if testing.Short() {
				runs = locktest.ShortRuns
			}
			schedules, events := 0, int64(0)
			for b.Loop() {
				sum, err := explore.Search{
					Worker: cells.Worker(b, 1), Cell: c.Encode(), Strategy: explore.PortfolioStrategy,
					Seed: 1, Schedules: runs, Jobs: runtime.NumCPU(), Happenings: len(s.Happenings),
				}.Run(b.Context())
				if err != nil || len(sum.Troubles) > 0 {
					b.Fatal(err, sum.Troubles)
				}
				schedules += sum.Schedules
				events += sum.Events
			}
			b.ReportMetric(float64(schedules)/float64(b.N), "schedules/op")
			b.ReportMetric(float64(schedules)/b.Elapsed().Seconds(), "schedules/s")
			b.ReportMetric(float64(events)/float64(schedules), "events/schedule")
		})
	}
}
