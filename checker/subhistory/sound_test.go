package subhistory

import (
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/test/histories"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

func legal(spec model.Spec, calls []model.Call) bool {
	return porcupine.CheckOperations(objects.Model(spec), objects.Operations(spec, calls))
}

// TestSound: what may be left out keeps legal histories legal.
func TestSound(t *testing.T) {
	for _, kind := range model.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			seen := 0
			rapid.Check(t, func(t *rapid.T) {
				spec := histories.Spec(t, kind)
				calls := inOrder(histories.Any(spec, 6).Draw(t, "calls"))
				if len(calls) == 0 || !legal(spec, calls) {
					return
				}
				seen++
				if part := beginning(calls, rapid.SampledFrom(ends(spec, calls)).Draw(t, "event")); !legal(spec, part) {
					t.Fatalf("%v is legal, and its beginning %v is not", histories.Text(calls), histories.Text(part))
				}
				s := &search{calls: calls}
				for _, groups := range removable(spec, calls) {
					pick := rapid.SliceOfNDistinct(rapid.IntRange(0, len(groups)-1), 1, -1, rapid.ID[int]).Draw(t, "groups")
					var out [][]int
					for _, i := range pick {
						out = append(out, groups[i])
					}
					if part := s.without(out); !legal(spec, part) {
						t.Fatalf("%v is legal, and without %v it is not", histories.Text(calls), out)
					}
				}
				for _, at := range rests(calls) {
					if held(spec.Kind) && !legal(spec, calls[at:]) {
						t.Fatalf("%v is legal, and %v is not", histories.Text(calls), histories.Text(calls[at:]))
					}
				}
			})
			if seen == 0 {
				t.Error("no history was legal")
			}
		})
	}
}

// removable are the lists of groups that may be left out of the calls.
func removable(spec model.Spec, calls []model.Call) (all [][][]int) {
	add := func(groups [][]int) {
		if len(groups) > 0 {
			all = append(all, groups)
		}
	}
	add(idle(spec, calls))
	if held(spec.Kind) && !triesFailed(calls) {
		add(holds(calls))
	}
	if spec.Kind == model.KindRegister {
		add(unread(calls))
	}
	return all
}
