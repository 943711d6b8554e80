package page

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/traces"
)

func TestViewAttribution(t *testing.T) {
	trace := sampletraces.Attributed()
	page := view(t, trace)
	golden.File(t, "../testdata/attributed.card.html", `<div class="why">`+sampletraces.Between(t, page, `<div class="why">`, "</div>")+"</div>\n")
	facts := sampletraces.Between(t, page, `<dl class="facts">`, "</dl>")
	for _, want := range []string{"schedule 17 of seed 42, strategy portfolio", "from 66 deviations to 3, in 378 runs; found with rounds=2"} {
		if !strings.Contains(facts, want) {
			t.Errorf("no %q in %s", want, facts)
		}
	}
	overview := sampletraces.Between(t, page, `<svg id="overview"`, "</svg>")
	if n := strings.Count(overview, `class="ring"`); n != 2 {
		t.Errorf("%d rings, want one for each deviation that is needed", n)
	}
	if !strings.Contains(page, "the counterexample needs this</li>") {
		t.Error("the legend does not explain the rings")
	}
	plain := view(t, sampletraces.FailoverLoss())
	for _, without := range []string{`class="why"`, `class="ring"`, "shrunk"} {
		if strings.Contains(plain, without) {
			t.Errorf("a trace without attribution has %q", without)
		}
	}
}

// A deviation may show in what is no lane of the picture.
func TestViewAttributionOutsideOfLanes(t *testing.T) {
	trace := sampletraces.Attributed()
	for i := range trace.Events {
		if e := &trace.Events[i]; e.Seq == trace.Attribution.Deviations[2].Seq {
			e.Actor = "resets"
		}
	}
	if n := strings.Count(sampletraces.Between(t, view(t, trace), `<svg id="overview"`, "</svg>"), `class="ring"`); n != 1 {
		t.Errorf("%d rings, want 1", n)
	}
}

func TestViewWithoutDeviations(t *testing.T) {
	trace := sampletraces.FailoverLoss()
	trace.Attribution = &traces.Attribution{}
	page := view(t, trace)
	if !strings.Contains(page, "Needs nothing: the property is violated in the calm run.") || strings.Contains(page, "What would have helped") {
		t.Error("a calm counterexample is not told as one")
	}
}
