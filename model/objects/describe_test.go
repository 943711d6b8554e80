package objects_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
	"pgregory.net/rapid"

	"github.com/lockpick-dev/lockpick/internal/test/golden"
	"github.com/lockpick-dev/lockpick/internal/test/histories"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// stories are a history of each kind.
var stories = []struct {
	spec  model.Spec
	calls string
}{
	{model.Spec{Kind: model.KindMutex}, "c1 acquire 1-2 ok; c2 acquire 3-4 failed try; c3 acquire 5-; c1 release 6-7 ok; c1 release 8-9 failed of=1"},
	{model.Spec{Kind: model.KindReentrant, Limit: 2}, "c1 acquire 1-2 ok owner=job; c2 acquire 3-4 ok owner=job thread=1; c1 release 5-6 ok owner=job; c1 crash 7-; c2 expire 8- of=2"},
	{model.Spec{Kind: model.KindLeased}, "c1 acquire 1-2 ok until=9; c1 extend 3-4 ok until=20; c2 acquire 21-22 failed; c2 acquire 23-"},
	{model.Spec{Kind: model.KindFenced}, "c1 acquire 1-2 ok token=7; c1 release 3-4 ok"},
	{model.Spec{Kind: model.KindReentrantFenced, Limit: 2}, "c1 acquire 1-2 ok; c1 acquire 3-4 ok token=7; c1 release 5-6 ok; c1 release 7-8 ok"},
	{model.Spec{Kind: model.KindReadWrite}, "c1 acquire-write 1-2 ok; c1 acquire-read 3-4 ok; c1 release-write 5-6 ok; c1 release-read 7-8 ok"},
	{model.Spec{Kind: model.KindSemaphore, Permits: 2}, "c1 acquire 1-2 ok n=2; c1 release 3-4 ok; c2 acquire 5-6 ok; c1 release 7-8 ok of=1"},
	{model.Spec{Kind: model.KindPermitSemaphore, Permits: 2}, "c1 acquire 1-2 ok permit=p1 until=9; c2 acquire 3-4 ok permit=p2; c2 release 5-6 ok permit=p1; c1 expire 7- permit=p2"},
	{model.Spec{Kind: model.KindFair}, "c1 acquire 1-2 ok; c2 acquire 3-8 ok queued=4; c3 acquire 5-10 failed queued=6; c1 release 7-7 ok"},
	{model.Spec{Kind: model.KindLatch, Count: 2}, "c1 count-down 1-2 ok; c1 count-down 3-4 ok n=2; c2 await 5-6 ok; c2 read 7-8 ok value=0"},
	{model.Spec{Kind: model.KindBarrier, Parties: 2}, "c1 await 1-4 ok value=0; c2 await 2-3 ok; c1 await 5-6 failed; c3 await 7-"},
	{model.Spec{Kind: model.KindRegister}, "c1 write 1-2 ok n=5 token=1; c2 read 3-4 ok value=5; c2 write 5-6 failed refused n=6 token=0; c2 cas 7-8 ok expected=5 n=8; c2 cas 9-10 failed refused expected=5 n=9"},
	{model.Spec{Kind: model.KindCounter}, "c1 add 1-2 ok n=-5 value=-5; c2 add 3- n=1"},
	{model.Spec{Kind: model.KindStock, Stock: []int64{2, 2}}, "c1 take 1-2 ok n=2 segment=1; c2 take 3-4 failed refused segment=1; c2 put 5-6 ok token=3; c2 read 7-8 ok value=0 segment=1"},
}

// TestDescriptions: the texts in pictures for operations, and for the states that they lead to.
func TestDescriptions(t *testing.T) {
	var w strings.Builder
	for _, story := range stories {
		describe(t, &w, story.spec, script(t, story.spec, story.calls))
	}
	golden.File(t, "testdata/descriptions.golden", w.String())
}

// describe writes the operations of one order of the calls, each with the state
// after it.
func describe(t *testing.T, w *strings.Builder, s model.Spec, calls []model.Call) {
	t.Helper()
	ops, m := objects.Operations(s, calls), objects.Model(s)
	result, info := porcupine.CheckOperationsVerbose(m, ops, 0)
	if result != porcupine.Ok {
		t.Fatalf("%s: illegal", s.Kind)
	}
	state := m.Init()
	fmt.Fprintf(w, "%s\n  %-60s %s\n", s.Kind, "", m.DescribeState(state))
	for _, op := range info.PartialLinearizationsOperations()[0][0] {
		_, state = m.Step(state, op.Input, op.Output)
		fmt.Fprintf(w, "  %-60s %s\n", m.DescribeOperation(op.Input, op.Output), m.DescribeState(state))
	}
}

// TestStates: of the states that histories lead to, those that are the same
// are equal and have one hash, and no others are equal. (That no others share a
// hash is not promised; that hardly any do is what makes the search fast.)
func TestStates(t *testing.T) {
	for _, kind := range model.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			collisions, pairs := 0, 0
			rapid.Check(t, func(rt *rapid.T) {
				s := histories.Spec(rt, kind)
				m := objects.Model(s)
				states := []any{m.Init()}
				for _, op := range objects.Operations(s, histories.Any(s, 8).Draw(rt, "calls")) {
					if legal, next := m.Step(states[rapid.IntRange(0, len(states)-1).Draw(rt, "from")], op.Input, op.Output); legal {
						states = append(states, next)
					}
				}
				for i, a := range states {
					for _, b := range states[:i] {
						same := dump(a) == dump(b)
						if m.Equal(a, b) != same {
							rt.Fatalf("%#v and %#v: equal is %v", a, b, !same)
						}
						if same && m.Hash(a) != m.Hash(b) {
							rt.Fatalf("%#v has two hashes", a)
						}
						pairs++
						if !same && m.Hash(a) == m.Hash(b) {
							collisions++
						}
					}
				}
			})
			if collisions > 0 {
				t.Errorf("%d of %d pairs of different states share a hash", collisions, pairs)
			}
		})
	}
}

// dump is all of a state. What is empty is so whether it is nil or not.
func dump(state any) string { return strings.ReplaceAll(fmt.Sprintf("%#v", state), "(nil)", "{}") }
