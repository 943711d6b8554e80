package fleet

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/lockpick-dev/lockpick/fleet/internal/bucket"
	"github.com/lockpick-dev/lockpick/fleet/internal/pieces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

func sampleStatus() Status {
	return Status{
		Title: "gc-pause <lock setpx>", Bucket: "/bucket", Pieces: 10, Done: 4, Waiting: 3, Out: 2, Aside: 1, Redelivered: 5, Planned: 2560, Schedules: 1024, Classes: 900,
		Spent: 90 * time.Second, Found: []Found{{Property: "mutual-exclusion", Schedules: 12, First: 17, Causes: causes(map[string]int{"never-granted": 4, "held-too-long": 8})}, {Property: "overrun", Limit: true, Schedules: 3, First: 4}},
		Happened: []Happening{{"a process paused", 1000}, {"a lease ended", 0}},
		Workers:  []seen{{Name: "m-1", Last: time.Now(), Slots: 2, Done: 4}, {Name: "m-2", Last: time.Now().Add(-time.Hour)}},
	}
}

// TestMetrics: a collector gets what the status says.
func TestMetrics(t *testing.T) {
	reader := sdk.NewManualReader()
	m, err := newMetrics(t.Context(), reader)
	if err != nil {
		t.Fatal(err)
	}
	m.saw(sampleStatus())
	var got metricdata.ResourceMetrics
	if err := reader.Collect(t.Context(), &got); err != nil {
		t.Fatal(err)
	}
	values := map[string]float64{}
	for _, scope := range got.ScopeMetrics {
		for _, one := range scope.Metrics {
			switch data := one.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					values[one.Name] += float64(p.Value)
				}
			case metricdata.Gauge[int64]:
				for _, p := range data.DataPoints {
					values[one.Name] += float64(p.Value)
				}
			case metricdata.Sum[float64]:
				values[one.Name] += data.DataPoints[0].Value
			}
		}
	}
	for name, want := range map[string]float64{ // unordered: each by itself
		"lockpick.fleet.schedules": 1024, "lockpick.fleet.violations": 15, "lockpick.fleet.classes": 900, "lockpick.fleet.redeliveries": 5,
		"lockpick.fleet.processor.time": 90, "lockpick.fleet.pieces": 10, "lockpick.fleet.workers": 1, "lockpick.fleet.failures": 0,
	} {
		if value, there := values[name]; !there || value != want {
			t.Errorf("%s is %v, want %v", name, value, want)
		}
	}
	if err := m.close(); err != nil {
		t.Error(err)
	}
}

// TestPage: a page has what the status says, goes on where it was, and takes no other file's place.
func TestPage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fleet.html")
	for i := range 3 {
		p, err := newPage(path, &sayer{out: os.Stderr})
		if err != nil {
			t.Fatal(err)
		}
		s := sampleStatus()
		s.Schedules += i
		p.saw(s)
		if len(p.points) != i+1 {
			t.Errorf("%d points, want %d", len(p.points), i+1)
		}
	}
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"gc-pause &lt;lock setpx&gt;", "1,026 of 2,560 schedules", "overrun", "a limit of leases", "It has not happened so far that a lease ended.", "http-equiv=\"refresh\"", "<polyline", "m-2", "mutual-exclusion: never-granted", "no grant of the store covers the claim"} {
		if !strings.Contains(string(raw), want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(string(raw), "http://") || strings.Contains(string(raw), "https://") {
		t.Error("the page needs something from elsewhere")
	}
	p, err := newPage(path, &sayer{out: os.Stderr})
	if err != nil {
		t.Fatal(err)
	}
	for i := range mostPoints - len(p.points) { // without a page for each
		p.points = append(p.points, point{At: time.Now(), Schedules: 2000 + i})
	}
	late := sampleStatus()
	late.Schedules = 5000
	if p.saw(late); len(p.points) != mostPoints/2+1 || p.points[mostPoints/2].Schedules != 5000 {
		t.Errorf("%d points", len(p.points))
	}
	s := sampleStatus()
	s.Done, s.Aside = s.Pieces, 0
	p.saw(s)
	if raw, err := os.ReadFile(path); err != nil || strings.Contains(string(raw), "http-equiv") || !strings.Contains(string(raw), "All is searched.") {
		t.Errorf("%v: the page goes on loading itself", err)
	}
	if err := os.WriteFile(path, []byte("<p>mine</p>"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := newPage(path, nil); err == nil || !strings.Contains(err.Error(), "there is another file of that name") {
		t.Errorf("a page of another sort: %v", err)
	}
}

// TestCauses: the status has the causes of all pieces, the most frequent first, each with what it means.
func TestCauses(t *testing.T) {
	known := newTrack(pieces.NewPlan(4, 1))
	limit := model.Violation{Property: "mutual-exclusion", Limit: true}
	for n, counts := range []map[string]int{{"holder-late": 1}, {"holder-stopped": 2}, {"holder-late": 3}} {
		tally := blockTally(n, 1)
		tally.Violations[limit], tally.First[limit] = 3, explore.Found{Schedule: n * explore.BlockSize}
		tally.Causes = map[model.Violation]map[string]int{limit: counts}
		b := pieces.NewBuilder(known.plan, known.plan.Range(n))
		b.Add(n, tally)
		r, err := b.Result(false)
		if err != nil {
			t.Fatal(err)
		}
		known.add(bucket.Kept{Range: known.plan.Range(n)}, r, pieces.Made{Tries: 1}, false)
	}
	for range 2 { // to ask changes nothing
		s := known.status()
		if len(s.Found) != 1 || s.Found[0].Schedules != 9 || len(s.Found[0].Causes) != 2 {
			t.Fatalf("%+v", s.Found)
		}
		first, second := s.Found[0].Causes[0], s.Found[0].Causes[1]
		if first.Cause != "holder-late" || first.Schedules != 4 || second.Schedules != 2 || !strings.Contains(second.Text, "was stopped while its lease ended") {
			t.Errorf("%+v", s.Found[0].Causes)
		}
		var text strings.Builder
		s.print(&text, time.Now())
		if !strings.Contains(text.String(), "holder-late        in 4: a message from or to the holder was late") {
			t.Errorf("%s", text.String())
		}
	}
}
