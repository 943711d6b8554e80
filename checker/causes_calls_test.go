package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestLateEffectOfAnother: a barrier lets two go because a late request of the third, which it had repeated, arrives when
// that has gone. If it is late by a lease or more, that is a limit: the store keeps no trace of an arrival for longer.
func TestLateEffectOfAnother(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name  string
		late  time.Duration
		by    int // whose request took effect last
		cause string
	}{
		{"late by more than a lease", 150 * ms, 1, HolderLate},
		{"late by less", 50 * ms, 1, NotEstablished},
		{"another's took effect", 150 * ms, 2, NotEstablished},
	} {
		s := new(script)
		s.h.TTL, s.h.Healed = 100*ms, time.Second
		s.call("c1", model.Await, 0)
		s.call("c2", model.Await, 0)
		s.see(model.Observation{Kind: model.Delayed, Node: "c1", By: s.origin(1), For: test.late})
		for id := range 2 {
			s.ok(id + 1)
		}
		s.call("c2", model.Await, 0)
		s.sleep(200 * ms)
		s.see(model.Observation{Kind: model.RecordChanged, Node: "r1", Authority: "r1", Key: "arrived", Owner: s.origin(test.by), By: s.origin(test.by)})
		s.ok(3)
		h := s.said(model.Call{ID: 1, Op: model.Await}, model.Call{ID: 2, Op: model.Await}, model.Call{ID: 3, Op: model.Await})
		v := Check(h, Options{Spec: model.Spec{Kind: model.KindBarrier, Parties: 2}}, Linearizable)[0]
		if v.Status != model.Violated || v.Cause != test.cause {
			t.Errorf("%s: %s, %s (%s), want %s", test.name, v.Status, v.Cause, v.Sentence, test.cause)
		}
	}
}
