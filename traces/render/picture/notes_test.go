package picture

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// TestNotesOfAnyStore: each noun has a lane, a subject without an owner has a row, a strip has bars
// and marks, and steps begin with the actor that the sentence begins with.
func TestNotesOfAnyStore(t *testing.T) {
	owner := model.Origin{Client: "c1", Conn: 1}
	trace := sampletraces.Noted(
		model.Observation{Owner: owner, Note: &model.Note{Event: "hired", Subject: "a", Place: model.PlaceLane, Phase: model.PhaseBegins, Noun: "boat", Label: "{owner}'s boat"}},
		model.Observation{Note: &model.Note{Event: "rises", Subject: "b", Place: model.PlaceLane, Phase: model.PhaseBegins, Noun: "tide", Label: "tide {subject}", Text: "{node}: the tide rises"}},
		model.Observation{Note: &model.Note{Event: "ebbs", Subject: "b", Place: model.PlaceLane, Phase: model.PhaseEnds, Bad: true, Label: "low water", Text: "{node}: the tide is out"}},
		model.Observation{Note: &model.Note{Event: "closed", Subject: "gate", Place: model.PlaceStrip, Phase: model.PhaseBegins, Label: "gate closed", Text: "{node} closes its gate"}},
		model.Observation{Owner: owner, Note: &model.Note{Event: "hailed", Place: model.PlaceStrip, Mark: "flag", Label: "{owner} hails", Text: "{owner} hails {node}"}},
	)
	p := New(story.Of(trace))
	var lanes []string
	for i := range p.Lanes {
		lanes = append(lanes, p.Lanes[i].Title)
	}
	if want := []string{"c1", "boats", "tides", "redis1", "redis2", "register"}; !slices.Equal(lanes, want) {
		t.Errorf("lanes %q, want %q", lanes, want)
	}
	var labels []string
	for _, l := range p.labels {
		labels = append(labels, l.Long)
	}
	for _, want := range []string{"c1's boat", "tide b", "low water", "gate closed", "c1 hails"} {
		if !slices.Contains(labels, want) {
			t.Errorf("no label says %q: %q", want, labels)
		}
	}
	if helps := p.MarkHelps(); len(helps) != 1 || helps[0].Text != "hailed" || helps[0].Path != glyphs[""].path {
		t.Errorf("legend: %+v", helps)
	}
	var steps []string
	for _, s := range p.Steps {
		steps = append(steps, s.Actor+" "+s.Text)
	}
	for _, want := range []string{"redis1 the tide is out", "redis1 closes its gate", "c1 hails redis1"} {
		if !slices.Contains(steps, want) {
			t.Errorf("no step %q in %q", want, steps)
		}
	}
}
