package subhistory_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/checker/subhistory"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// illegal asks porcupine.
func illegal(spec model.Spec) func([]model.Call) bool {
	m := objects.Model(spec)
	return func(calls []model.Call) bool {
		return !porcupine.CheckOperations(m, objects.Operations(spec, calls))
	}
}

// builder makes histories.
type builder struct {
	calls []model.Call
	now   int64
}

// call adds a call with the next two events.
func (b *builder) call(client string, op model.OpKind, outcome model.Outcome, set ...func(*model.Call)) int {
	c := model.Call{ID: len(b.calls) + 1, Client: client, Object: "o", Op: op, Call: b.now + 1, Return: b.now + 2, Outcome: outcome}
	b.now += 2
	for _, f := range set {
		f(&c)
	}
	b.calls = append(b.calls, c)
	return c.ID
}

func try(c *model.Call) { c.Try = true }

// TestShortest finds the few operations of a long history that do not fit
// together.
func TestShortest(t *testing.T) {
	for _, test := range []struct {
		name  string
		spec  model.Spec
		wrong func(*builder) []int // adds what is wrong and returns what of it is to be left
	}{
		{"two holders", model.Spec{Kind: model.KindMutex}, func(b *builder) []int {
			b.call("x", model.Acquire, model.Failed)
			one := b.call("x", model.Acquire, model.OK)
			b.call("y", model.Acquire, model.Failed, try)
			return []int{one, b.call("y", model.Acquire, model.OK)}
		}},
		{"a free lock refused", model.Spec{Kind: model.KindMutex}, func(b *builder) []int {
			return []int{b.call("x", model.Acquire, model.Failed, try)}
		}},
		{"released by another", model.Spec{Kind: model.KindReentrant}, func(b *builder) []int {
			b.call("x", model.Acquire, model.OK)
			return []int{b.call("y", model.Release, model.OK)}
		}},
		{"too many permits", model.Spec{Kind: model.KindSemaphore, Permits: 2}, func(b *builder) []int {
			one := b.call("x", model.Acquire, model.OK)
			return []int{one, b.call("y", model.Acquire, model.OK, func(c *model.Call) { c.N = 2 })}
		}},
		{"a writer among readers", model.Spec{Kind: model.KindReadWrite}, func(b *builder) []int {
			b.call("x", model.AcquireRead, model.OK)
			two := b.call("y", model.AcquireRead, model.OK)
			b.call("x", model.ReleaseRead, model.OK)
			return []int{two, b.call("x", model.AcquireWrite, model.OK)}
		}},
		{"a value that was never written", model.Spec{Kind: model.KindRegister}, func(b *builder) []int {
			b.call("x", model.Write, model.OK, func(c *model.Call) { c.N = 5 })
			return []int{b.call("x", model.Read, model.OK, func(c *model.Call) { c.Value, c.Valued = 7, true })}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := &builder{}
			b.fill(test.spec, 20)
			want := test.wrong(b)
			b.fill(test.spec, 20)
			bad := illegal(test.spec)
			if !bad(b.calls) {
				t.Fatal("the history is legal")
			}
			last := b.calls[want[len(want)-1]-1].Return
			for _, hint := range []subhistory.Hint{{}, {At: last, Calls: want}, {At: 1, Calls: []int{1}}} {
				got := subhistory.Shortest(test.spec, b.calls, hint, bad, 1000)
				if ids := idsOf(got); !slices.Equal(ids, want) || !bad(got) {
					t.Errorf("with %+v left are %v, want %v, of %d", hint, ids, want, len(b.calls))
				}
			}
		})
	}
}

// fill adds legal rounds of two clients.
func (b *builder) fill(spec model.Spec, rounds int) {
	acquire, release := model.Acquire, model.Release
	switch spec.Kind {
	case model.KindRegister:
		acquire, release = model.Write, model.Read
	case model.KindReadWrite:
		acquire, release = model.AcquireRead, model.ReleaseRead
	}
	for i := range rounds {
		client := fmt.Sprintf("c%d", i%2)
		b.call(client, acquire, model.OK)
		b.call(client, release, model.OK)
	}
}

func idsOf(calls []model.Call) (ids []int) {
	for i := range calls {
		ids = append(ids, calls[i].ID)
	}
	return ids
}

// TestBudget: what is left is illegal, however little may be asked.
func TestBudget(t *testing.T) {
	spec := model.Spec{Kind: model.KindMutex}
	b := &builder{}
	b.fill(spec, 10)
	b.call("x", model.Acquire, model.OK)
	b.call("y", model.Acquire, model.OK)
	b.fill(spec, 10)
	last := len(b.calls) + 1
	for _, budget := range []int{0, 1, 3, 6, 10, 20} {
		asked := 0
		got := subhistory.Shortest(spec, b.calls, subhistory.Hint{}, func(calls []model.Call) bool { asked++; return illegal(spec)(calls) }, budget)
		if asked > budget || len(got) > last || !illegal(spec)(got) {
			t.Errorf("budget %d: asked %d times, %d left", budget, asked, len(got))
		}
		last = len(got)
	}
	if last != 2 {
		t.Errorf("%d left", last)
	}
}

// TestBeginning: what had not returned at the first violating event has an
// unknown outcome.
func TestBeginning(t *testing.T) {
	spec := model.Spec{Kind: model.KindMutex}
	calls := []model.Call{
		{ID: 1, Client: "a", Object: "o", Op: model.Acquire, Call: 1, Return: 2, Outcome: model.OK},
		{ID: 2, Client: "a", Object: "o", Op: model.Release, Call: 5, Return: 8, Outcome: model.OK},
		{ID: 3, Client: "b", Object: "o", Op: model.Acquire, Call: 3, Return: 4, Outcome: model.OK},
		{ID: 4, Client: "b", Object: "o", Op: model.Release, Call: 6, Return: 7, Outcome: model.OK},
	}
	got := subhistory.Shortest(spec, calls, subhistory.Hint{}, illegal(spec), 100)
	if !slices.Equal(idsOf(got), []int{1, 3}) {
		t.Errorf("left are %v", idsOf(got))
	}
}
