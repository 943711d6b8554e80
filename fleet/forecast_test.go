package fleet

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/fleet/internal/forecast"
	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/wording"
)

// preset is what a flag is if it is not given.
func preset(t *testing.T, command any, field string) string {
	t.Helper()
	f, there := reflect.TypeOf(command).FieldByName(field)
	if !there || f.Tag.Get("default") == "" {
		t.Fatalf("%T has no %s with a default", command, field)
	}
	return f.Tag.Get("default")
}

// rules are those of this fleet, with its flags as they are if none is given.
func rules(t *testing.T) forecast.Rules {
	t.Helper()
	lease, err := time.ParseDuration(preset(t, serveCmd{}, "Lease"))
	if err != nil {
		t.Fatal(err)
	}
	tries, err := strconv.Atoi(preset(t, serveCmd{}, "Tries"))
	if err != nil {
		t.Fatal(err)
	}
	const natsWaits = 5 * time.Second // that is the client's own time-out
	return forecast.Rules{Lease: lease, Beat: lease / beats, Alive: aliveEvery(lease), Look: soon, Again: natsWaits, Tries: tries, Readers: readers}
}

// world is what docs/fleet.md assumes.
func world(workers int) forecast.World {
	return forecast.World{
		Seed: 1, Workers: workers, Schedule: 800 * time.Microsecond, Slowest: 60, Fastest: 140, Spread: 10, Queue: 5 * time.Millisecond, Bucket: 50 * time.Millisecond,
		Names: 1000, Read: 2 * time.Millisecond, Merge: 2 * time.Millisecond, Processors: 2,
	}
}

// rough is a world in which much goes wrong.
func rough(workers int) forecast.World {
	w := world(workers)
	w.Life, w.Away, w.Calm, w.Pause, w.Down = 2*time.Hour, 2*time.Minute, 2*time.Hour, time.Minute, 20*time.Second
	return w
}

// TestForecast: docs/fleet.md has what searches of many machines come to by the rules of this fleet, as simulated.
func TestForecast(t *testing.T) {
	searches, fleets := []int{1_000_000, 10_000_000, 100_000_000, 1_000_000_000}, []int{1, 8, 100, 1000}
	var calm, bad strings.Builder
	fmt.Fprintf(&calm, "%13s %7s %6s %9s %8s %10s %6s %6s %6s %10s\n", "schedules", "workers", "pieces", "time", "speed-up", "efficiency", "tail", "merge", "server", "messages/s")
	fmt.Fprintf(&bad, "%13s %7s %9s %8s %10s %6s %6s %6s %5s %5s %8s %5s %8s\n", "schedules", "workers", "time", "speed-up", "efficiency", "tail", "deaths", "pauses", "again", "found", "lost", "twice", "twice")
	for _, n := range searches {
		for _, workers := range fleets {
			o := forecast.Run(n, rules(t), world(workers))
			fmt.Fprintf(&calm, "%13s %7s %6s %9s %8.1f %8.0f %% %6s %6s %4.0f %% %10.0f\n", wording.Grouped(n), wording.Grouped(workers), wording.Grouped(o.Pieces), clockText(o.Wall), o.SpeedUp, 100*o.Efficiency,
				clockText(o.Tail), clockText(o.Merge), 100*o.Server, o.Messages)
			if o.Results != o.Pieces || o.Again+o.Doubles != 0 {
				t.Errorf("%d schedules, %d workers: %+v", n, workers, o)
			}
			r := forecast.Run(n, rules(t), rough(workers))
			fmt.Fprintf(&bad, "%13s %7s %9s %8.1f %8.0f %% %6s %6d %6d %5d %5d %6.2f %% %5d %6.2f %%\n", wording.Grouped(n), wording.Grouped(workers), clockText(r.Wall), r.SpeedUp, 100*r.Efficiency, clockText(r.Tail),
				r.Deaths, r.Pauses, r.Again, r.Found, share(r.Lost, r.Work), r.Doubles, share(r.Twice, r.Work))
			if r.Results != r.Pieces || r.Aside != 0 {
				t.Errorf("%d schedules, %d workers, much goes wrong: %+v", n, workers, r)
			}
		}
	}
	golden.File(t, "testdata/forecast.txt", calm.String())
	golden.File(t, "testdata/forecast-rough.txt", bad.String())
	golden.Quotes(t, "../docs/fleet.md", 2)
}

func share(part, of time.Duration) float64 { return 100 * float64(part) / float64(of) }

// clockText is a time in at most two units.
func clockText(d time.Duration) string {
	switch {
	case d >= 24*time.Hour:
		return fmt.Sprintf("%dd %02dh", d/(24*time.Hour), d%(24*time.Hour)/time.Hour)
	case d >= time.Hour:
		return fmt.Sprintf("%dh %02dm", d/time.Hour, d%time.Hour/time.Minute)
	case d >= time.Minute:
		return fmt.Sprintf("%dm %02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	return fmt.Sprintf("%.1fs", d.Seconds())
}
