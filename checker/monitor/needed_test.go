package monitor

import (
	"fmt"
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/test/histories"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// TestNeeded: what is left out before the search for an order does not change the verdict.
func TestNeeded(t *testing.T) {
	left, legal := 0, map[bool]int{}
	rapid.Check(t, func(t *rapid.T) {
		spec := histories.Spec(t, model.KindRegister)
		calls := histories.Any(spec, 8).Draw(t, "calls")
		for i := range calls {
			c := &calls[i]
			c.Fenced, c.Token = false, 0
			c.Refused = c.Refused && rapid.Bool().Draw(t, "refused")
		}
		want := porcupine.CheckOperations(objects.Model(spec), objects.Operations(spec, calls))
		if got := search(spec, calls, Bound{}, "").Status == model.Holds; got != want {
			t.Fatalf("%s\nlegal: %v, and without what is not needed: %v", histories.Text(calls), want, got)
		}
		left += len(calls) - len(needed(spec, calls))
		legal[want]++
	})
	if left == 0 || legal[true] == 0 || legal[false] == 0 {
		t.Errorf("%d calls were left out; legal: %v", left, legal)
	}
}

// TestManyCrashes: a register whose clients crash again and again is judged in few steps, as long as nobody reads what they write.
func TestManyCrashes(t *testing.T) {
	const most = 5000
	for _, last := range []int64{0, 1} {
		calls := []model.Call{{ID: 1, Client: "a", Object: "r", Op: model.Write, N: 0, Call: 1, Return: 2, Outcome: model.OK}}
		for i := range 100 {
			c := model.Call{ID: len(calls) + 1, Client: fmt.Sprint("c", i), Object: "r", Op: []model.OpKind{model.Read, model.Write, model.Cas}[i%3], Call: int64(i + 3), Outcome: model.Unknown}
			if c.Op != model.Read {
				c.N = int64(i + 10)
			}
			if c.Op == model.Cas {
				c.Expected = int64(i + 9) // what the call before would write
			}
			calls = append(calls, c)
		}
		calls = append(calls, model.Call{ID: len(calls) + 1, Client: "a", Object: "r", Op: model.Read, Value: last, Valued: true, Call: 200, Return: 201, Outcome: model.OK})
		r, err := Judge(model.Spec{Kind: model.KindRegister}, calls, Bound{Steps: most})
		if want := map[int64]model.Status{0: model.Holds, 1: model.Violated}[last]; err != nil || r.Status != want {
			t.Errorf("read %d: %s, want %s: %s %v", last, r.Status, want, r.Doubt, err)
		}
	}
}
