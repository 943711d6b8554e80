package objects_test

import (
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/model/objects"
)

// step is an operation on a sequential model, and whether it is legal then.
type step struct {
	in    objects.LockInput
	out   objects.LockOutput
	legal bool
}

func acquire(acquisition int, out objects.LockOutput, legal bool) step {
	return step{objects.LockInput{Kind: model.Acquire, Client: "c", Acquisition: acquisition}, out, legal}
}

func release(acquisition int, out objects.LockOutput) step {
	return step{objects.LockInput{Kind: model.Release, Client: "c", Acquisition: acquisition}, out, true}
}

func TestModels(t *testing.T) {
	ok := objects.LockOutput{Result: model.OK}
	failed := objects.LockOutput{Result: model.Failed}
	unknown := objects.LockOutput{Result: model.Unknown}
	notHeld := objects.LockOutput{Result: model.Failed, NotHeld: true}
	token := func(n int64) objects.LockOutput { return objects.LockOutput{Result: model.OK, Fenced: true, Token: n} }
	cases := []struct {
		name  string
		model porcupine.Model
		steps []step
	}{
		{"turns", objects.MutexModel(), []step{
			acquire(1, ok, true), acquire(2, ok, false), release(1, ok), acquire(2, ok, true)}},
		{"failed", objects.MutexModel(), []step{
			acquire(1, failed, true), acquire(2, ok, true), acquire(3, failed, true), release(2, ok), acquire(4, ok, true)}},
		{"unknown", objects.MutexModel(), []step{
			acquire(1, unknown, true), acquire(2, ok, false), release(1, unknown),
			acquire(2, ok, true), acquire(3, unknown, true), release(3, ok), acquire(4, ok, false)}},
		{"releases", objects.MutexModel(), []step{
			release(1, notHeld), acquire(2, ok, true), release(1, ok), acquire(3, ok, false),
			release(2, notHeld), release(2, ok), acquire(3, ok, true)}},
		{"tokens do not matter", objects.MutexModel(), []step{
			acquire(1, token(5), true), release(1, ok), acquire(2, token(5), true)}},
		{"tokens", objects.FencedMutexModel(), []step{
			acquire(1, token(-5), true), release(1, ok), acquire(2, token(-5), false), acquire(3, token(0), true),
			release(3, ok), acquire(4, ok, true), release(4, ok), acquire(5, token(0), false), acquire(6, token(1), true),
			acquire(7, token(2), false)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			state := c.model.Init()
			for i, s := range c.steps {
				legal, next := c.model.Step(state, s.in, s.out)
				if legal != s.legal {
					t.Errorf("step %d, %s when %s: legal %v", i, c.model.DescribeOperation(s.in, s.out), c.model.DescribeState(state), legal)
				}
				if legal {
					state = next
				}
			}
		})
	}
}

func TestDescribe(t *testing.T) {
	m := objects.FencedMutexModel()
	in := objects.LockInput{Kind: model.Acquire, Client: "c1", Acquisition: 3}
	crash := objects.LockInput{Kind: model.Release, Client: "c1", Thread: 2, Acquisition: 3, Crash: true}
	for _, c := range []struct {
		in   objects.LockInput
		out  objects.LockOutput
		want string
	}{
		{in, objects.LockOutput{Result: model.Unknown}, "c1 acquire #3: unknown"},
		{in, objects.LockOutput{Result: model.OK, Fenced: true, Token: 7}, "c1 acquire #3: ok, token 7"},
		{crash, objects.LockOutput{Result: model.Unknown}, "c1/2 crashed, holding #3"},
		{objects.LockInput{Kind: model.Release, Client: "c1", Acquisition: 3}, objects.LockOutput{Result: model.Failed, NotHeld: true}, "c1 release #3: not held"},
	} {
		if got := m.DescribeOperation(c.in, c.out); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
	_, held := m.Step(m.Init(), in, objects.LockOutput{Result: model.OK})
	if got := m.DescribeState(m.Init()) + ", " + m.DescribeState(held); got != "free, held by acquisition 3" {
		t.Errorf("states: %s", got)
	}
}

func TestLockOperations(t *testing.T) {
	at := func(seq int64) model.Stamp { return model.Stamp{Seq: seq} }
	h := &model.History{
		Operations: []model.Operation{
			{ID: 1, Client: "c1", Kind: model.Acquire, Acquisition: 1, Call: at(1), Return: at(2), Result: model.Unknown},
			{ID: 2, Client: "c1", Kind: model.Acquire, Acquisition: 2, Call: at(3), Return: at(4), Result: model.OK, Fenced: true, Token: 7},
			{ID: 3, Client: "c2", Thread: 1, Kind: model.Acquire, Acquisition: 3, Call: at(5), Result: model.Unknown},
			{ID: 4, Client: "c1", Kind: model.Write, Acquisition: 2, Call: at(6), Return: at(7), Result: model.OK},
			{ID: 5, Client: "c3", Kind: model.Acquire, Acquisition: 5, Call: at(8), Return: at(9), Result: model.OK},
			{ID: 6, Client: "c3", Kind: model.Release, Acquisition: 5, Call: at(10), Return: at(11), Result: model.Failed, NotHeld: true},
		},
		Observations: []model.Observation{
			{Stamp: at(12), Kind: model.Crashed, Node: "c3"}, // holds nothing
			{Stamp: at(13), Kind: model.Crashed, Node: "c1"},
			{Stamp: at(20), Kind: model.Promoted, Node: "r2"},
		},
		End: at(15),
	}
	type flat struct {
		client      int
		call, end   int64
		id          int
		result      model.Outcome
		kind        model.OpKind
		acquisition int
		crash       bool
		notHeld     bool
		token       int64
	}
	var got []flat
	for _, op := range objects.LockOperations(h) {
		in, out := op.Input.(objects.LockInput), op.Output.(objects.LockOutput)
		got = append(got, flat{op.ClientId, op.Call, op.Return, op.Metadata.(int), out.Result,
			in.Kind, in.Acquisition, in.Crash, out.NotHeld, out.Token})
	}
	want := []flat{
		{0, 1, 21, 1, model.Unknown, model.Acquire, 1, false, false, 0},
		{1, 3, 4, 2, model.OK, model.Acquire, 2, false, false, 7},
		{2, 5, 22, 3, model.Unknown, model.Acquire, 3, false, false, 0},
		{3, 8, 9, 5, model.OK, model.Acquire, 5, false, false, 0},
		{3, 10, 11, 6, model.Failed, model.Release, 5, false, true, 0},
		{4, 13, 23, 2, model.Unknown, model.Release, 2, true, false, 0},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%+v\nwant\n%+v", got, want)
	}
}
