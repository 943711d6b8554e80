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

// TestLateRepetition: the same, and the third was not told that it had been let go: its late request arrives after the one that
// repeated it, on another connection.
func TestLateRepetition(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name       string
		late, gone time.Duration // since the repetition took effect
		conn       int           // of the late request; the repetition's is 2
		cause      string
	}{
		{"a lease after the repetition", 150 * ms, 100 * ms, 1, HolderLate},
		{"less than a lease after it", 150 * ms, 90 * ms, 1, NotEstablished},
		{"late by less than a lease", 99 * ms, 100 * ms, 1, NotEstablished},
		{"no repetition", 150 * ms, 100 * ms, 2, NotEstablished},
	} {
		s := new(script)
		s.h.TTL, s.h.Healed = 100*ms, time.Second
		s.call("c1", model.Await, 0)
		s.call("c2", model.Await, 0)
		s.see(model.Observation{Kind: model.Delayed, Node: "c1", By: s.origin(1), For: test.late})
		arrives := func(conn int) {
			by := s.origin(1)
			by.Conn = conn
			s.see(model.Observation{Kind: model.RecordChanged, Node: "r1", Authority: "r1", Key: "arrived", Owner: by, By: by})
		}
		s.sleep(100 * ms)
		arrives(2)
		s.ok(2)
		s.call("c2", model.Await, 0)
		s.sleep(test.gone)
		arrives(test.conn)
		s.ok(3)
		h := s.said(model.Call{ID: 1, Op: model.Await}, model.Call{ID: 2, Op: model.Await}, model.Call{ID: 3, Op: model.Await})
		v := Check(h, Options{Spec: model.Spec{Kind: model.KindBarrier, Parties: 2}}, Linearizable)[0]
		if v.Status != model.Violated || v.Cause != test.cause {
			t.Errorf("%s: %s, %s (%s), want %s", test.name, v.Status, v.Cause, v.Sentence, test.cause)
		}
	}
}

// TestLateAnswer: the same, and it is the answer that is late, to the request that let them go: the repetition arrives when the
// store has forgotten it.
func TestLateAnswer(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name       string
		late, gone time.Duration // since the request took effect
		conn       int           // of the repetition; the request's is 1
		cause      string
	}{
		{"a lease after the request", 150 * ms, 100 * ms, 2, HolderLate},
		{"less than a lease after it", 150 * ms, 90 * ms, 2, NotEstablished},
		{"late by less than a lease", 90 * ms, 100 * ms, 2, NotEstablished},
		{"no repetition", 150 * ms, 100 * ms, 1, NotEstablished},
	} {
		s := new(script)
		s.h.TTL, s.h.Healed = 100*ms, time.Second
		s.call("c1", model.Await, 0)
		s.call("c2", model.Await, 0)
		arrives := func(conn int) {
			by := s.origin(1)
			by.Conn = conn
			s.see(model.Observation{Kind: model.RecordChanged, Node: "r1", Authority: "r1", Key: "arrived", Owner: by, By: by})
		}
		arrives(1)
		s.see(model.Observation{Kind: model.Delayed, Node: "r1", By: model.Origin{Client: "r1", Op: 1}, For: test.late})
		s.ok(2)
		s.call("c2", model.Await, 0)
		s.sleep(test.gone)
		arrives(test.conn)
		s.ok(3)
		h := s.said(model.Call{ID: 1, Op: model.Await}, model.Call{ID: 2, Op: model.Await}, model.Call{ID: 3, Op: model.Await})
		v := Check(h, Options{Spec: model.Spec{Kind: model.KindBarrier, Parties: 2}}, Linearizable)[0]
		if v.Status != model.Violated || v.Cause != test.cause {
			t.Errorf("%s: %s, %s (%s), want %s", test.name, v.Status, v.Cause, v.Sentence, test.cause)
		}
	}
}

// TestCallsWithoutEffect: a call that asks for something, and of which nothing is known but that none of its requests
// changed anything, had no effect. Clients that try while nobody serves leave many of these, and a search for their order would
// not end.
func TestCallsWithoutEffect(t *testing.T) {
	for _, test := range []struct {
		name    string
		effect  bool // of the call
		outside int  // its client changes something outside of any call, before (1) or later (2)
		told    bool // of any effects
		want    model.Status
	}{
		{"no effect", false, 0, true, model.Violated},
		{"an effect before", false, 1, true, model.Violated},
		{"an effect", true, 0, true, model.Holds},
		{"perhaps an effect", false, 2, true, model.Holds},
		{"nothing is told of effects", false, 0, false, model.Holds},
	} {
		s := new(script)
		s.h.Healed = time.Second
		write := func(id int) {
			if test.told {
				s.see(model.Observation{Kind: model.RecordChanged, Node: "r1", Authority: "r1", Key: "arrived", By: model.Origin{Client: "c1", Op: id}})
			}
		}
		if test.outside == 1 {
			write(0)
		}
		lost := s.call("c1", model.Await, 0)
		if test.effect {
			write(lost)
		}
		s.unknown(lost)
		if test.outside == 2 {
			write(0)
		}
		other := s.call("c2", model.Await, 0)
		if test.told {
			s.see(model.Observation{Kind: model.RecordChanged, Node: "r1", Authority: "r1", Key: "arrived", By: s.origin(other)})
		}
		s.ok(other) // which takes two to arrive
		h := s.said(model.Call{ID: lost, Op: model.Await}, model.Call{ID: other, Op: model.Await})
		v := Check(h, Options{Spec: model.Spec{Kind: model.KindBarrier, Parties: 2}}, Linearizable)[0]
		if v.Status != test.want {
			t.Errorf("%s: %s (%s), want %s", test.name, v.Status, v.Sentence, test.want)
		}
	}
}

// TestReleaseWithoutEffect: the lease of a release that had no effect ends by itself, for which the call stands.
func TestReleaseWithoutEffect(t *testing.T) {
	s := new(script)
	s.h.Healed = time.Second
	take := func(client string) int {
		id := s.acquire(client)
		s.see(model.Observation{Kind: model.RecordChanged, Node: "r1", Authority: "r1", Key: "permits", By: s.origin(id)})
		s.ok(id)
		return id
	}
	first := take("c1")
	free := s.release("c1", first)
	s.unknown(free)
	second := take("c2")
	h := s.said(model.Call{ID: first, Op: model.Acquire, N: 1}, model.Call{ID: free, Op: model.Release, N: 1, Of: first}, model.Call{ID: second, Op: model.Acquire, N: 1})
	if v := Check(h, Options{Spec: model.Spec{Kind: model.KindSemaphore, Permits: 1}}, Linearizable)[0]; v.Status != model.Holds {
		t.Errorf("%s: %s", v.Status, v.Sentence)
	}
}
