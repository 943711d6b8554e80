package render

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/render/picture"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// TestExperiment: the picture and the steps of an experiment's run begin where the trace says,
// and nothing is said of properties.
func TestExperiment(t *testing.T) {
	trace := sampletraces.Calm()
	all := story.Steps(trace)
	from := all[len(all)/2].At
	trace.Experiment = &traces.Experiment{From: from}
	trace.Scenario, trace.Lock, trace.Seed, trace.Verdicts = "hotspot", "with the handler", 7, nil
	page := viewed(t, trace)
	for _, want := range []string{"A run of the experiment hotspot: with the handler.", "seed 7", "variant <b>"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	if strings.Contains(page, "What was judged") || strings.Contains(page, "No violation") {
		t.Error("the page tells of properties")
	}
	s := story.Of(trace)
	steps := story.Steps(trace)
	if w := picture.StoryWindow(s); w.From > from || w.From < from-trace.EndAt()/8 || w.To < trace.EndAt() {
		t.Errorf("the picture is of %v to %v; want %v to %v", w.From, w.To, from, trace.EndAt())
	}
	if len(steps) >= len(all) {
		t.Errorf("%d steps from %v on, and %d of the whole run", len(steps), from, len(all))
	}
	var text bytes.Buffer
	if err := Explain(&text, trace, Style{}); err != nil || !strings.HasPrefix(text.String(), "experiment hotspot: with the handler, seed 7; ") {
		t.Errorf("%v\n%s", err, text.String())
	}
	trace.Experiment.From = trace.EndAt() + time.Hour
	viewed(t, trace) // nothing is left to show, and that is no panic
}
