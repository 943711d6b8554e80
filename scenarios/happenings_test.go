package scenarios_test

import (
	"testing"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
)

// TestReplaced: what crashes while a client holds the lock is a failover if another node of its own server is
// promoted before it is back, however late that is; a promotion elsewhere, or after a client's crash, is none.
func TestReplaced(t *testing.T) {
	s, err := scenarios.Find("failover-loss")
	if err != nil {
		t.Fatal(err)
	}
	happened := s.Happenings[0]
	run := cell.RunContext{Servers: [][]string{{"a1", "a2"}, {"b1", "b2"}}}
	for _, test := range []struct {
		name             string
		crashed, changed string
		kind             model.ObservationKind
		want             bool
	}{
		{"its replica is promoted", "a1", "a2", model.Promoted, true},
		{"it is back, and promoted", "a1", "a1", model.Promoted, false},
		{"another server's replica is promoted", "a1", "b2", model.Promoted, false},
		{"a client crashes, and a replica is promoted", "c1", "a2", model.Promoted, false},
		{"it is back", "a1", "a1", model.Returned, false},
	} {
		h := &model.History{
			End: model.Stamp{Seq: 9},
			Operations: []model.Operation{
				{ID: 1, Client: "c1", Kind: model.Acquire, Acquisition: 1, Call: model.Stamp{Seq: 1}, Return: model.Stamp{Seq: 2}, Result: model.OK},
				{ID: 2, Client: "c1", Kind: model.Release, Acquisition: 1, Call: model.Stamp{Seq: 4}, Return: model.Stamp{Seq: 5}, Result: model.OK},
			},
			Observations: []model.Observation{
				{Stamp: model.Stamp{Seq: 3}, Kind: model.Crashed, Node: test.crashed},
				{Stamp: model.Stamp{Seq: 6}, Kind: test.kind, Node: test.changed},
			},
		}
		if got := happened.Reads(h, run); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}
