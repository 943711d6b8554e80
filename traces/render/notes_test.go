package render

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/internal/test/sampletraces"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// notesOf is a run of one client that asks for the lock, with notes of a store that nobody knows.
func notesOf(notes ...model.Observation) *traces.Trace {
	s := sampletraces.NewStage("s", "l", 1)
	a := s.Call(ms, "c1", model.Acquire, nil)
	for i, o := range notes {
		if o.Kind = model.Noted; o.Node == "" {
			o.Node = "redis1"
		}
		s.See(time.Duration(i+2)*ms, o)
	}
	s.Answer(time.Second, a, model.OK)
	return s.Build()
}

// TestNotesOfAnyStore: each noun has a lane, a subject without an owner has a row, a strip has bars
// and marks, and steps begin with the actor that the sentence begins with.
func TestNotesOfAnyStore(t *testing.T) {
	owner := model.Origin{Client: "c1", Conn: 1}
	trace := notesOf(
		model.Observation{Owner: owner, Note: &model.Note{Event: "hired", Subject: "a", Place: model.PlaceLane, Phase: model.PhaseBegins, Noun: "boat", Label: "{owner}'s boat"}},
		model.Observation{Note: &model.Note{Event: "rises", Subject: "b", Place: model.PlaceLane, Phase: model.PhaseBegins, Noun: "tide", Label: "tide {subject}", Text: "{node}: the tide rises"}},
		model.Observation{Note: &model.Note{Event: "ebbs", Subject: "b", Place: model.PlaceLane, Phase: model.PhaseEnds, Bad: true, Label: "low water", Text: "{node}: the tide is out"}},
		model.Observation{Note: &model.Note{Event: "closed", Subject: "gate", Place: model.PlaceStrip, Phase: model.PhaseBegins, Label: "gate closed", Text: "{node} closes its gate"}},
		model.Observation{Owner: owner, Note: &model.Note{Event: "hailed", Place: model.PlaceStrip, Mark: "flag", Label: "{owner} hails", Text: "{owner} hails {node}"}},
	)
	p := newPicture(newStory(trace))
	var lanes []string
	for i := range p.lanes {
		lanes = append(lanes, p.lanes[i].title)
	}
	if want := []string{"c1", "boats", "tides", "redis1", "redis2", "register"}; !slices.Equal(lanes, want) {
		t.Errorf("lanes %q, want %q", lanes, want)
	}
	var labels []string
	for _, l := range p.labels {
		labels = append(labels, l.long)
	}
	for _, want := range []string{"c1's boat", "tide b", "low water", "gate closed", "c1 hails"} {
		if !slices.Contains(labels, want) {
			t.Errorf("no label says %q: %q", want, labels)
		}
	}
	if helps := p.markHelps(); len(helps) != 1 || helps[0].Text != "hailed" || helps[0].Path != glyphs[""].path {
		t.Errorf("legend: %+v", helps)
	}
	expect(t, trace, "redis1 the tide is out", "redis1 closes its gate", "c1 hails redis1")
}

// TestNotesThatFitNowhere: notes that no store would make do no harm.
func TestNotesThatFitNowhere(t *testing.T) {
	trace := notesOf(
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
