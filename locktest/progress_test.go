package locktest

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// TestProgress: a line is written once in a while, to a terminal only, and nothing that it says moves the cursor.
func TestProgress(t *testing.T) {
	var out strings.Builder
	p := &progress{w: &out, every: time.Hour, shown: time.Now(), test: "TestA/\x1b[2J", of: 3}
	p.watch("contention", 10)
	searching, shrinking := p.watch("gc-pause", 2000)
	s := &explore.Summary{Tally: explore.Tally{Schedules: 1234, Violations: map[model.Violation]int{{Property: "fencing"}: 2}}}
	searching(s)
	if out.Len() > 0 {
		t.Errorf("%q, and its time has not come", out.String())
	}
	p.shown = p.shown.Add(-time.Hour)
	searching(s)
	shrinking("fencing", 3, explore.ShrinkProgress{})
	if want := `lockpick: TestA/\x1b[2J: gc-pause (2 of 3): 1,234 of 2,000 schedules, 1 property violated` + "\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
	p.w, p.shown = nil, time.Time{}
	searching(s) // there is no terminal
}
