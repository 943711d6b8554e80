package subhistory

import (
	"fmt"
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/model"
)

// specs are the kinds of which more than the beginning can be left out.
var specs = []model.Spec{
	{Kind: model.KindMutex}, {Kind: model.KindReentrant, Limit: 2}, {Kind: model.KindLeased}, {Kind: model.KindFenced},
	{Kind: model.KindReentrantFenced}, {Kind: model.KindReadWrite}, {Kind: model.KindSemaphore, Permits: 2},
	{Kind: model.KindPermitSemaphore, Permits: 1}, {Kind: model.KindFair}, {Kind: model.KindLatch, Count: 1},
	{Kind: model.KindRegister}, {Kind: model.KindCounter}, {Kind: model.KindStock, Stock: []int64{2}},
}

func legal(spec model.Spec, calls []model.Call) bool {
	return porcupine.CheckOperations(spec.Model(), model.Operations(spec, calls))
}

// TestSound: what may be left out keeps legal histories legal.
func TestSound(t *testing.T) {
	for _, spec := range specs {
		t.Run(string(spec.Kind), func(t *testing.T) {
			seen := 0
			rapid.Check(t, func(t *rapid.T) {
				calls := arbitrary(t, spec)
				if len(calls) == 0 || !legal(spec, calls) {
					return
				}
				seen++
				if part := beginning(calls, rapid.SampledFrom(ends(spec, calls)).Draw(t, "event")); !legal(spec, part) {
					t.Fatalf("%v is legal, and its beginning %v is not", shown(calls), shown(part))
				}
				s := &search{calls: calls}
				for _, groups := range removable(spec, calls) {
					pick := rapid.SliceOfNDistinct(rapid.IntRange(0, len(groups)-1), 1, -1, rapid.ID[int]).Draw(t, "groups")
					var out [][]int
					for _, i := range pick {
						out = append(out, groups[i])
					}
					if part := s.without(out); !legal(spec, part) {
						t.Fatalf("%v is legal, and without %v it is not", shown(calls), out)
					}
				}
				for _, at := range rests(calls) {
					if held(spec.Kind) && !legal(spec, calls[at:]) {
						t.Fatalf("%v is legal, and %v is not", shown(calls), shown(calls[at:]))
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

// arbitrary draws calls of two clients that are about as often legal as not.
func arbitrary(t *rapid.T, spec model.Spec) (calls []model.Call) {
	ops := spec.Kind.Ops()
	clients := 2
	free := make([]int64, clients) // when each may call again
	for i := range rapid.IntRange(1, 6).Draw(t, "calls") {
		who := rapid.IntRange(0, clients-1).Draw(t, "client")
		at := int64(i+1) * 10
		c := model.Call{
			ID: i + 1, Client: fmt.Sprintf("c%d", who), Object: "o", Op: rapid.SampledFrom(ops).Draw(t, "op"),
			Call: max(at, free[who]), Outcome: rapid.SampledFrom([]model.Outcome{model.OK, model.OK, model.OK, model.Failed, model.Unknown}).Draw(t, "outcome"),
		}
		c.Return = c.Call + rapid.Int64Range(1, 25).Draw(t, "length")
		c.Try = acquires(c.Op) && rapid.Bool().Draw(t, "try")
		fill(t, spec, &c, calls)
		if c.Op == model.Crash || c.Op == model.Expire {
			c.Outcome, c.Return = model.Unknown, 0
		} else {
			free[who] = c.Return + 1
		}
		if spec.Check(&c) == nil {
			calls = append(calls, c)
		}
	}
	return calls
}

// fill draws arguments and results.
func fill(t *rapid.T, spec model.Spec, c *model.Call, before []model.Call) {
	small := rapid.Int64Range(0, 2)
	switch spec.Kind {
	case model.KindRegister, model.KindCounter, model.KindStock:
		c.Fenced = rapid.IntRange(0, 3).Draw(t, "fenced") == 0
		c.Refused = c.Outcome == model.Failed && rapid.Bool().Draw(t, "refused")
		if c.Op != model.Read {
			c.N = small.Draw(t, "n")
		} else {
			c.Value, c.Valued = small.Draw(t, "value"), true
		}
	case model.KindFenced, model.KindReentrantFenced:
		c.Fenced = c.Op == model.Acquire && rapid.Bool().Draw(t, "fenced")
	case model.KindSemaphore:
		c.N = small.Draw(t, "n")
	case model.KindPermitSemaphore:
		c.Permit = rapid.SampledFrom([]string{"p", "q"}).Draw(t, "permit")
	}
	if c.Fenced {
		c.Token = small.Draw(t, "token")
	}
	if (spec.Kind == model.KindLeased || spec.Kind == model.KindPermitSemaphore) && c.Outcome == model.OK && (c.Op == model.Acquire || c.Op == model.Extend) {
		c.Until = c.Call + rapid.Int64Range(1, 40).Draw(t, "until")
	}
	if c.Op != model.Expire && !rapid.Bool().Draw(t, "of") || c.Op == model.Extend && spec.Kind == model.KindPermitSemaphore {
		return
	}
	for _, other := range before {
		if acquires(other.Op) && !acquires(c.Op) && held(spec.Kind) && c.Op != model.Crash {
			c.Of = other.ID
		}
	}
}

func shown(calls []model.Call) string {
	text := ""
	for _, op := range calls {
		text += fmt.Sprintf("\n%+v", op)
	}
	return text
}
