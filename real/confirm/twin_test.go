package confirm

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestTwin: a divergence says that it may be of two threads whose requests look alike if there are two at the same time, and else does not.
func TestTwin(t *testing.T) {
	op := func(client string, thread int, kind model.OpKind, from, to int64) *model.Operation {
		o := &model.Operation{Client: client, Thread: thread, Kind: kind, Call: model.Stamp{Seq: from}}
		o.Return.Seq = to
		return o
	}
	mine := op("c1", 0, model.Acquire, 10, 20)
	for name, test := range map[string]struct {
		other *model.Operation
		want  bool
	}{
		"another thread":                {op("c1", 1, model.Acquire, 15, 30), true},
		"another that does not return":  {op("c1", 1, model.Acquire, 5, 0), true},
		"the same thread":               {op("c1", 0, model.Acquire, 15, 30), false},
		"another client":                {op("c2", 1, model.Acquire, 15, 30), false},
		"another kind":                  {op("c1", 1, model.Release, 15, 30), false},
		"another thread, before it":     {op("c1", 1, model.Acquire, 5, 9), false},
		"another thread, after it":      {op("c1", 1, model.Acquire, 21, 30), false},
		"another thread, at the border": {op("c1", 1, model.Acquire, 20, 30), true},
	} {
		d := &driver{plan: &plan{steps: []step{
			{kind: call, client: test.other.Client, op: test.other}, {kind: returned, client: "c1", op: mine, seq: 20}, {kind: pauses, client: "c1", seq: 21},
		}}}
		for position, want := range map[int]bool{1: test.want, 2: false} {
			d.position = position
			if text := d.diverged("it is late").Error(); strings.Contains(text, "; another thread of c1 was in the same call (acquire), ") != want {
				t.Errorf("%s: %s", name, text)
			}
		}
	}
}
