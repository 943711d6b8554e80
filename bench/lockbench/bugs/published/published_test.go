package published

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestNothingExtended: an untrue Extend is this bug if it has changed nothing on any server, and another one if it was late.
func TestNothingExtended(t *testing.T) {
	h := &model.History{Operations: []model.Operation{
		{ID: 1, Client: "c1", Kind: model.Acquire, Result: model.OK, Call: model.Stamp{Seq: 1}, Return: model.Stamp{Seq: 3}},
		{ID: 2, Client: "c1", Kind: model.Extend, Result: model.OK, Call: model.Stamp{Seq: 5}, Return: model.Stamp{Seq: 9}},
	}}
	v := &model.Verdict{Operations: []int{1, 2}}
	for _, c := range []struct {
		name, client string
		seq          int64
		want         bool
	}{
		{"by its client during the call", "c1", 7, false},
		{"by its client before the call", "c1", 4, true},
		{"by another client", "c2", 7, true},
	} {
		h.Observations = []model.Observation{{Stamp: model.Stamp{Seq: c.seq}, Kind: model.RecordChanged, By: model.Origin{Client: c.client}}}
		if got := nothingExtended(h, v); got != c.want {
			t.Errorf("a change %s: %t, want %t", c.name, got, c.want)
		}
	}
}
