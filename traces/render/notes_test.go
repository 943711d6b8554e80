package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
)

// TestNotesThatFitNowhere: notes that no store would make do no harm.
func TestNotesThatFitNowhere(t *testing.T) {
	trace := sampletraces.Noted(
		model.Observation{Note: &model.Note{Event: "1", Subject: "x", Phase: model.PhaseMoves}},
		model.Observation{Note: &model.Note{Event: "2", Subject: "x", Place: "moon", Phase: model.PhaseBegins, Title: "{refs} {held} {later}"}},
		model.Observation{Node: "redis2", Note: &model.Note{Event: "3", Subject: "x", Place: model.PlaceStrip, Phase: model.PhaseBegins}},
		model.Observation{Node: "redis2", Note: &model.Note{Event: "4", Subject: "x", Place: model.PlaceStrip, Phase: model.PhaseMoves}},
		model.Observation{Node: "redis2", Note: &model.Note{Event: "5", Subject: "x", Place: model.PlaceStrip, Phase: model.PhaseTold, Line: "{owner}"}},
		model.Observation{Note: &model.Note{Event: "6", Subject: "y", Place: model.PlaceRecord, Phase: model.PhaseBegins, Record: "lock"}},
		model.Observation{Note: &model.Note{Event: "7", Subject: "y", Place: model.PlaceRecord, Phase: model.PhaseEnds, Record: "lock", Bad: true, Refs: []string{"y", "z"}, Text: "{refs} wait"}},
		model.Observation{Node: "nobody", Note: &model.Note{Event: "8", Role: model.RoleAlone, Text: "{owner} is gone"}},
	)
	var out bytes.Buffer
	if err := Explain(&out, trace, Style{}); err != nil {
		t.Fatal(err)
	}
	if err := View(&out, trace, ""); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(out.String(), "moon") {
		t.Error("a place that there is not is shown")
	}
}
