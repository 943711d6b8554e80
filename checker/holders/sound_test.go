package holders

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestSound: each invariant holds of tenures that follow each other, and is found to be broken.
func TestSound(t *testing.T) {
	h := &model.History{Operations: []model.Operation{{ID: 1, Kind: model.Acquire}, {ID: 2, Kind: model.Release, Acquisition: 1}}}
	seen := func(seq int64) *model.Observation { return &model.Observation{Stamp: model.Stamp{Seq: seq}} }
	for _, test := range []struct {
		name string
		do   func(first, second *Tenure)
		want string
	}{
		{"sound", func(_, _ *Tenure) {}, ""},
		{"at once on two nodes", func(first, _ *Tenure) { first.Node, first.Over = "r2", nil }, ""},
		{"at once on one node", func(first, _ *Tenure) { first.Over = nil }, "before the one ends"},
		{"ends before it begins", func(_, second *Tenure) { second.Over = seen(5) }, "before it begins"},
		{"goes on from a later one", func(first, _ *Tenure) { first.First = 1 }, "no first one"},
		{"was written later", func(_, second *Tenure) { second.Wrote = seen(8) }, "before its record was written"},
		{"of a release", func(_, second *Tenure) { second.Acquisition = 2 }, "no Acquire"},
		{"of somebody unknown, and of an acquisition", func(first, _ *Tenure) { first.Unknown = true }, "unknown holder"},
	} {
		first := Tenure{Node: "r1", Key: "lock", From: model.Stamp{Seq: 3}, Wrote: seen(3), Over: seen(6), Acquisition: 1}
		second := Tenure{Node: "r1", Key: "lock", From: model.Stamp{Seq: 6}, Wrote: seen(6), Over: seen(7), First: 1}
		test.do(&first, &second)
		err := New(h, Options{}).sound([]Tenure{first, second})
		if got := ""; err != nil {
			if got = err.Error(); test.want == "" || !strings.Contains(got, test.want) {
				t.Errorf("%s: %s, want %q", test.name, got, test.want)
			}
		} else if test.want != "" {
			t.Errorf("%s: is sound, want %q", test.name, test.want)
		}
	}
}
