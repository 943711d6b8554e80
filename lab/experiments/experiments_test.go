package experiments

import (
	"context"
	"os"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/internal/test/slowtest"
	"github.com/lockpick-dev/lockpick/lab"
	"github.com/lockpick-dev/lockpick/lab/labreport"
)

// long is set when tests may take an hour.
func long() bool { return os.Getenv("LOCKPICK_LONG") != "" }

// run runs an experiment with so many seeds, with some values changed.
func run(t *testing.T, e *Experiment, locks []cell.Lock, seeds int, change Values) Results {
	t.Helper()
	v := e.Defaults()
	for name, value := range change { // unordered: each sets another value
		if _, known := v[name]; !known {
			t.Fatalf("the experiment %s has no parameter %s", e.ID, name)
		}
		v[name] = value
	}
	if err := e.Usable(v); err != nil {
		t.Fatal(err)
	}
	r, err := Here(t.Context(), e, v, locks, 1, seeds)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What the documents say holds in nineteen of twenty seeds with the published parameters, or
// is known not to hold with others: a claim that no figures could refute is none.
func TestClaims(t *testing.T) {
	tests := map[string]struct {
		experiment *Experiment
		change     Values
		seeds      int
		long       bool
		holds      string // y, n, or u for a claim that no seed could test
	}{
		"hotspot":               {hotspot, nil, 1, false, "yy"},
		"hotspot, twenty seeds": {hotspot, nil, 20, true, "yy"},
		"hotspot, one thread each": {
			hotspot, Values{"threads": 1, "instances": 12, "tries": 240}, 1, false, "nn",
		},
		"retry, as published": {retry, nil, 20, true, "yyyyyy"},
		"retry, less load":    {retry, Values{"concurrent": 100, "requests": 200, "workers": 50}, 1, false, "unynny"},
		"segments":            {segments, Values{"items": 300, "instances": 2}, 1, false, "yyyyn"},
		"segments, published": {segments, nil, 20, true, "yyyyy"},
		"segments without enough clients": {
			segments, Values{"items": 100, "instances": 1, "threads": 4}, 1, false, "ynyyy",
		},
		"random-sleep":            {randomSleep, Values{"clients": 50}, 2, false, "yyyy"},
		"random-sleep, published": {randomSleep, nil, 20, true, "yyyy"},
		"random-sleep of hardly any randomness": {
			randomSleep, Values{"clients": 50, "random": 1, "sleep": 100}, 2, false, "nyyn",
		},
		"check without competition": {check, Values{"clients": 1, "duration": 1000}, 1, false, "ynny"},
		"check, published":          {check, nil, 3, true, "yyyy"},
		"load":                      {load, nil, 1, false, "yy"},
		"load, twenty seeds":        {load, nil, 20, true, "yy"},
		"watchdog":                  {watchdog, nil, 20, true, "yyy"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if test.experiment == load || test.experiment == retry || test.experiment == hotspot && test.change == nil {
				slowtest.SkipIfShort(t)
			}
			if test.long && !long() {
				t.Skip("it takes minutes; set LOCKPICK_LONG")
			}
			report := test.experiment.Report(run(t, test.experiment, nil, test.seeds, test.change))
			if len(report.Claims) != len(test.holds) {
				t.Fatalf("there are %d claims, want %d", len(report.Claims), len(test.holds))
			}
			for i, c := range report.Claims {
				got := 'n'
				switch {
				case c.Of == 0:
					got = 'u'
				case c.Of != test.seeds:
					t.Errorf("%q is judged in %d seeds, want %d", c.Sentence, c.Of, test.seeds)
				case 20*c.Holds >= 19*c.Of:
					got = 'y'
				}
				if want := rune(test.holds[i]); got != want {
					t.Errorf("%q holds in %d of %d seeds: %c, want %c", c.Sentence, c.Holds, c.Of, got, want)
				}
			}
		})
	}
}

// The figures of the hotspot experiment are those that were published, within a factor of two.
func TestHotspotFigures(t *testing.T) {
	slowtest.SkipIfShort(t)
	report := hotspot.Report(run(t, hotspot, nil, 1, nil))
	for i, row := range report.Tables[0].Rows {
		for j, published := range hotspotPublished[i][:2] {
			if got := row.Cells[j].Median; got < published/2 || got > 2*published {
				t.Errorf("%s: %s is %.0f; published is %.0f", row.Name, report.Tables[0].Columns[j].Name, got, published)
			}
			if got := row.Cells[j].Published; got != published {
				t.Errorf("%s: the published %s is told as %.0f, want %.0f", row.Name, report.Tables[0].Columns[j].Name, got, published)
			}
		}
	}
}

// Published figures stand beside those of the published parameters only.
func TestOthersThanPublished(t *testing.T) {
	report := segments.Report(run(t, segments, nil, 1, Values{"items": 40, "segments": 2}))
	for _, row := range report.Tables[0].Rows {
		if p := row.Cells[0].Published; p == p {
			t.Errorf("%s has a published figure, %v, of another stock", row.Name, p)
		}
	}
}

// A longer tail needs a longer lease, and losses become fewer as leases become longer.
func TestWatchdogCurve(t *testing.T) {
	v := watchdog.Defaults()
	v["holds"] = 100
	variants, err := watchdog.Variants(v, nil)
	if err != nil {
		t.Fatal(err)
	}
	rate := func(tail, lease int) float64 {
		s, _, err := lab.Run(variants[tail*len(leases)+lease].Plan, lab.Tape(1), false)
		if err != nil {
			t.Fatal(err)
		}
		return lossFigure(losses([]*lab.Sample{s})).Median
	}
	last := len(tails) - 1
	if short, long := rate(last, 0), rate(last, len(leases)-1); short < 1000 || long > 0 {
		t.Errorf("with the longest tail %v of 10,000 holds with a lease of %v are lost, and %v with one of %v", short, leases[0], long, leases[len(leases)-1])
	}
	if calm := rate(0, 2); calm > 0 {
		t.Errorf("with the shortest tail %v of 10,000 holds with a lease of %v are lost", calm, leases[2])
	}
}

func TestSmallestLease(t *testing.T) {
	cells := func(first ...float64) (list []labreport.Figure) {
		for i := range leases {
			v := 0.0
			if i < len(first) {
				v = first[i]
			}
			list = append(list, certain(v))
		}
		return list
	}
	bad := make([]float64, len(leases))
	for i := range bad {
		bad[i] = 7
	}
	for name, test := range map[string]struct {
		cells []labreport.Figure
		want  float64
	}{
		"all hold":                 {cells(), 10},
		"some are lost":            {cells(40, 3, 0.5), 50},
		"a lucky lease in between": {cells(40, 0, 3), 100},
	} {
		if got := smallestLease(test.cells, 1); got != test.want {
			t.Errorf("%s: got %v, want %v", name, got, test.want)
		}
	}
	if got := smallestLease(cells(bad...), 1); got == got {
		t.Errorf("no lease holds: got %v", got)
	}
}

// The published lock deadlocks with fewer connections than workers: who waits keeps one, and
// the holder needs another.
func TestConnectionsRunOut(t *testing.T) {
	v := retry.Defaults()
	v["concurrent"], v["requests"], v["workers"], v["connections"] = 20, 20, 20, 10
	variants, err := retry.Variants(v, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, _, err := lab.Run(variants[no3].Plan, lab.Tape(1), false)
	if err != nil {
		t.Fatal(err)
	}
	if n := failedTasks(s); n == 0 {
		t.Error("20 workers share 10 connections, and all requests were answered")
	}
}

func TestSettings(t *testing.T) {
	tests := map[string]struct {
		experiment  string
		name, value string
		wrong       string
	}{
		"a number":        {"hotspot", "threads", "8", ""},
		"a time":          {"hotspot", "wait", "1.5s", ""},
		"no wait":         {"hotspot", "wait", "0", "wait is 0; it must be between 1ms and 1h"},
		"no number":       {"hotspot", "threads", "many", `threads is "many"; it is a whole number`},
		"no time":         {"hotspot", "wait", "long", `wait is "long"; it is a time such as 3s`},
		"too fine a time": {"hotspot", "wait", "10us", "wait is 10us; it must be a multiple of 1ms"},
		"no parameter":    {"hotspot", "speed", "1", `there is no parameter of the experiment hotspot "speed"; there are instances, threads`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e, err := Find(test.experiment)
			if err != nil {
				t.Fatal(err)
			}
			err = e.Set(e.Defaults(), test.name, test.value)
			if got := text(err); test.wrong == "" && err != nil || !strings.HasPrefix(got, test.wrong) {
				t.Errorf("got %q, want %q", got, test.wrong)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// Values that do not fit each other are refused.
func TestUsable(t *testing.T) {
	tests := map[string]struct {
		experiment *Experiment
		change     Values
		want       string
	}{
		"more segments than items": {segments, Values{"segments": 30, "items": 20}, "there are more segments (30) than items (20)"},
		"less tries than threads":  {hotspot, Values{"tries": 11}, "there are less tries than threads"},
		"no time to sleep":         {randomSleep, Values{"sleep": 5}, "the random part is twice the mean or more"},
		"less requests":            {retry, Values{"requests": 10}, "there are less requests than concurrent ones"},
	}
	for name, test := range tests {
		v := test.experiment.Defaults()
		for k, value := range test.change { // unordered: each sets another value
			v[k] = value
		}
		if got := text(test.experiment.Usable(v)); !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: got %q, want %q", name, got, test.want)
		}
	}
	for _, e := range All {
		if err := e.Usable(e.Defaults()); err != nil {
			t.Errorf("the defaults of %s: %v", e.ID, err)
		}
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Here(ctx, hotspot, hotspot.Defaults(), nil, 1, 1); err == nil {
		t.Error("an interrupted experiment gave results")
	}
}

// TestCheckNotes: what the notes say of the others' tries is what the figures show.
func TestCheckNotes(t *testing.T) {
	slowtest.SkipIfShort(t)
	const busy, idle = "hardly ever idle", "leaves the Redis of the lock time"
	for _, test := range []struct {
		pause      int // in microseconds
		want, lack string
	}{{50, busy, idle}, {10_000, idle, busy}} {
		r := run(t, check, nil, 1, Values{"clients": 100, "duration": 200, "pause": test.pause})
		notes := strings.Join(check.Report(r).Notes, "\n")
		if !strings.Contains(notes, test.want) || strings.Contains(notes, test.lack) {
			t.Errorf("with a pause of %d µs:\n%s", test.pause, notes)
		}
	}
}
