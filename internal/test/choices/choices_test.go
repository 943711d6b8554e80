package choices

import (
	"os"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/cells"
	"github.com/lockpick-dev/lockpick/internal/test/repeat"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

const workerMark = "LOCKPICK_CHOICES_WORKER"

func TestMain(m *testing.M) {
	if os.Getenv(workerMark) == "" {
		os.Exit(m.Run())
	}
	if err := explore.ServeStdio(scenarios.Registry(append(Locks(), cells.Locks()...)).Resolve); err != nil {
		os.Exit(1)
	}
}

// TestRepeat compares schedules that are run forward in one process with the same, run backward in another, with any of the
// locks. LOCKPICK_LONG is how many.
func TestRepeat(t *testing.T) {
	locks := Locks()
	for _, l := range cells.Locks() {
		if l.ID == "test-quorum-retries" || l.ID == "setpx" {
			locks = append(locks, l)
		}
	}
	for _, l := range locks {
		t.Run(l.ID, func(t *testing.T) {
			c, err := scenarios.Registry(locks).Cell("gc-pause", l.ID, nil)
			if err != nil {
				t.Fatal(err)
			}
			w, err := explore.Self()
			if err != nil {
				t.Fatal(err)
			}
			w.Env = []string{workerMark + "=1"}
			count, differ, compared := repeat.Schedules(), 0, 0
			hashes := map[int]uint64{}
			for _, reverse := range []bool{false, true} {
				q := explore.Request{Cell: c.Encode(), Seed: 1, Count: count, Reverse: reverse}
				if err := w.Do(t.Context(), q, func(r explore.Result) bool {
					if r.Trouble != nil {
						t.Errorf("schedule %d: %s", r.Schedule, r.Trouble.Reason)
					}
					if old, known := hashes[r.Schedule]; known {
						compared++
						if old != r.Hash {
							differ++
						}
					}
					hashes[r.Schedule] = r.Hash
					return true
				}); err != nil {
					t.Fatal(err)
				}
			}
			t.Logf("%d of %d schedules differ", differ, count)
			most := 1 + count/1000
			if l.ID == "four-channels" { // two tickers of one select and one period go in the order of their channels' addresses in memory
				most = 1 + count/20
			}
			if differ > most || compared != count {
				t.Errorf("%d of %d schedules differ, and %d were compared", differ, count, compared)
			}
		})
	}
}
