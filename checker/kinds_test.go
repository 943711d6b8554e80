package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// said completes a history by what its operations asked of an object that is no
// mutex.
func (s *script) said(calls ...model.Call) *model.History {
	for i := range calls {
		c := &calls[i]
		op := s.h.Operation(c.ID)
		c.Client, c.Thread, c.Object = op.Client, op.Thread, lockName
		c.Call, c.Return, c.Outcome = op.Call.Seq, op.Return.Seq, op.Result
	}
	s.h.Calls = calls
	return &s.h
}

// TestKinds: two who hold at once, as different objects judge it.
func TestKinds(t *testing.T) {
	two := func() *script {
		s := new(script)
		for _, client := range []string{"c1", "c2"} {
			s.ok(s.acquire(client))
		}
		s.ok(s.release("c1", 1))
		s.ok(s.release("c2", 2))
		return s
	}
	entries := func(first, second, third, fourth model.OpKind, n int64) []model.Call {
		return []model.Call{{ID: 1, Op: first, N: n}, {ID: 2, Op: second, N: n}, {ID: 3, Op: third, N: n, Of: 1}, {ID: 4, Op: fourth, N: n, Of: 2}}
	}
	const acquire, release = model.Acquire, model.Release
	const read, write, unread, unwrite = model.AcquireRead, model.AcquireWrite, model.ReleaseRead, model.ReleaseWrite
	for _, e := range []struct {
		name  string
		spec  model.Spec
		calls []model.Call
		want  model.Status
	}{
		{"readers", model.Spec{Kind: model.KindReadWrite}, entries(read, read, unread, unread, 0), model.Holds},
		{"reader and writer", model.Spec{Kind: model.KindReadWrite}, entries(read, write, unread, unwrite, 0), model.Violated},
		{"writer and reader", model.Spec{Kind: model.KindReadWrite}, entries(write, read, unwrite, unread, 0), model.Violated},
		{"two permits of two", model.Spec{Kind: model.KindSemaphore, Permits: 2}, entries(acquire, acquire, release, release, 1), model.Holds},
		{"four permits of three", model.Spec{Kind: model.KindSemaphore, Permits: 3}, entries(acquire, acquire, release, release, 2), model.Violated},
		{"re-entry of two", model.Spec{Kind: model.KindReentrant}, entries(acquire, acquire, release, release, 0), model.Violated},
	} {
		h := two().said(e.calls...)
		for _, v := range Check(h, Options{Spec: e.spec}, MutualExclusion, Linearizable) {
			if v.Status != e.want {
				t.Errorf("%s: %s: %s, want %s: %s", e.name, v.Property, v.Status, e.want, v.Sentence)
			}
		}
	}
}

// TestProgressOfMeetings: who awaits others is owed them, unless one of them has
// crashed.
func TestProgressOfMeetings(t *testing.T) {
	s := new(script)
	s.call("c1", model.Await, 0)
	s.sleep(2 * time.Second)
	s.tick()
	h := s.said(model.Call{ID: 1, Op: model.Await})
	o := Options{Spec: model.Spec{Kind: model.KindBarrier, Parties: 2}, ProgressBound: time.Second}
	if v := Check(h, o, Progress)[0]; v.Status != model.Violated {
		t.Errorf("nobody comes: %s: %s", v.Status, v.Sentence)
	}
	h.Calls = append(h.Calls, model.Call{ID: 2, Client: "c2", Op: model.Crash, Call: 2, Outcome: model.Unknown})
	if v := Check(h, o, Progress)[0]; v.Status != model.NotApplicable || v.Sentence == "" {
		t.Errorf("who should come has crashed: %s: %s", v.Status, v.Sentence)
	}
	if v := Check(h, o, MutualExclusion)[0]; v.Status != model.NotApplicable {
		t.Errorf("a barrier is held by somebody: %s", v.Status)
	}
}
