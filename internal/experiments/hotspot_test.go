package experiments

import (
	"testing"

	"github.com/lockpick-dev/lockpick/scenarios"
)

// seeds is how many seeds a test takes.
func seeds(t *testing.T) int {
	t.Helper()
	if testing.Short() {
		return 3
	}
	return 20
}

// run runs an experiment as the test has changed it.
func run(t *testing.T, e *Experiment, locks []scenarios.Lock, change Values) Results {
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
	r, err := Here(t.Context(), e, v, locks, 1, seeds(t))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The published shape: the handler keeps 70 % of the requests away, and more tries succeed.
func TestHotspot(t *testing.T) {
	report := hotspot.Tell(run(t, hotspot, nil, nil))
	for _, c := range report.Claims {
		if c.Holds != c.Of {
			t.Errorf("%s It holds for %d of %d seeds.", c.Sentence, c.Holds, c.Of)
		}
	}
	for i, row := range report.Tables[0].Rows {
		for j, published := range hotspotPublished[i][:2] {
			if got := row.Cells[j].Median; got < published/2 || got > 2*published {
				t.Errorf("%s: %s is %.0f; published is %.0f", row.Name, report.Tables[0].Columns[j].Name, got, published)
			}
		}
	}
}
