package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// arrivalForgotten has what the store kept of an operation's arrival end by itself.
func (s *script) arrivalForgotten(op int) {
	s.see(model.Observation{Kind: model.RecordExpired, Node: "r1", Authority: "r1", Key: "passed", Owner: s.origin(op)})
}

// TestLateEffectOfAnother: a barrier lets two go because a late request of the third, which it had repeated, arrives when
// that has gone. If it is late by a lease or more, that is a limit, if the store kept the trace of an arrival for as long, and
// has forgotten it: one that keeps none is at fault.
func TestLateEffectOfAnother(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name  string
		late  time.Duration
		by    int // whose request took effect last
		ended int // whose trace has ended before, nobody's if 0
		cause string
	}{
		{"late by more than a lease", 150 * ms, 1, 1, model.HolderLate},
		{"late by more than a lease, and the other's trace has ended", 150 * ms, 1, 2, model.HolderLate},
		{"late by more than a lease, and the store keeps nothing for one", 150 * ms, 1, 0, model.NotEstablished},
		{"late by less", 50 * ms, 1, 1, model.NotEstablished},
		{"another's took effect", 150 * ms, 2, 1, model.NotEstablished},
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
		if test.ended > 0 {
			s.arrivalForgotten(test.ended)
		}
		s.see(model.Observation{Kind: model.RecordChanged, Node: "r1", Authority: "r1", Key: "arrived", Owner: s.origin(test.by), By: s.origin(test.by)})
		s.ok(3)
		h := s.said(model.Call{ID: 1, Op: model.Await}, model.Call{ID: 2, Op: model.Await}, model.Call{ID: 3, Op: model.Await})
		v := Check(h, Options{Spec: model.Spec{Kind: model.KindBarrier, Parties: 2}}, Linearizable)[0]
		if v.Status != model.Violated || v.Cause != test.cause {
			t.Errorf("%s: %s, %s (%s), want %s", test.name, v.Status, v.Cause, v.Sentence, test.cause)
		}
	}
}

// TestLateRepetition: the same, and the third was not told that it had been let go. Its late request arrives after the one that repeated
// it, on another connection; or the answer is late, and the repetition arrives when the store has forgotten the request. That is a limit
// if the store had to remember it for a lease.
func TestLateRepetition(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name       string
		node       string        // whose message is late: the request of c1, or the answer of r1
		late, gone time.Duration // between the two effects
		conn       int           // of the second effect, the first one's is 1; negative if the store keeps no trace of that
		cause      string
	}{
		{"a request, a lease after its repetition", "c1", 150 * ms, 100 * ms, 2, model.HolderLate},
		{"a request, of which the store keeps nothing for a lease", "c1", 150 * ms, 100 * ms, -2, model.NotEstablished},
		{"a request, less than a lease after it", "c1", 150 * ms, 90 * ms, 2, model.NotEstablished},
		{"a request that is late by less than a lease", "c1", 90 * ms, 100 * ms, 2, model.NotEstablished},
		{"a request without a repetition", "c1", 150 * ms, 100 * ms, 1, model.NotEstablished},
		{"an answer, a lease before the repetition", "r1", 150 * ms, 100 * ms, 2, model.HolderLate},
		{"an answer, of which the store keeps nothing for a lease", "r1", 150 * ms, 100 * ms, -2, model.NotEstablished},
		{"an answer, less than a lease before it", "r1", 150 * ms, 90 * ms, 2, model.NotEstablished},
		{"an answer that is late by less than a lease", "r1", 90 * ms, 100 * ms, 2, model.NotEstablished},
		{"an answer without a repetition", "r1", 150 * ms, 100 * ms, 1, model.NotEstablished},
	} {
		s := new(script)
		s.h.TTL, s.h.Healed = 100*ms, time.Second
		s.call("c1", model.Await, 0)
		s.call("c2", model.Await, 0)
		late := func() {
			s.see(model.Observation{Kind: model.Delayed, Node: test.node, By: model.Origin{Client: test.node, Op: 1}, For: test.late})
		}
		arrives := func(conn int) {
			by := s.origin(1)
			by.Conn = conn
			s.see(model.Observation{Kind: model.RecordChanged, Node: "r1", Authority: "r1", Key: "arrived", Owner: by, By: by})
		}
		if test.node == "c1" {
			late()
			s.sleep(100 * ms)
		}
		arrives(1)
		if test.node == "r1" {
			late()
		}
		s.ok(2)
		s.call("c2", model.Await, 0)
		s.sleep(test.gone)
		if test.conn > 0 {
			s.arrivalForgotten(1)
		}
		arrives(max(test.conn, -test.conn))
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

// TestForgottenEffectOfAnother: what the store has lost was written for a client that the calls without an order do not
// name; or it has lost nothing, since nothing was there.
func TestForgottenEffectOfAnother(t *testing.T) {
	for _, test := range []struct{ lost, cause string }{{"counts", model.StoreForgot}, {"", model.NotEstablished}} {
		s := new(script)
		s.h.TTL, s.h.Healed = lease, time.Second
		count := s.call("c1", model.CountDown, 0)
		if test.lost != "" {
			s.see(model.Observation{Kind: model.RecordCreated, Node: "r1", Authority: "r1", Key: test.lost, Owner: s.origin(count), By: s.origin(count)})
		}
		s.ok(count)
		s.world(model.Crashed, "r1")
		s.world(model.Promoted, "r2")
		s.ok(s.call("c2", model.Await, 0))
		h := s.said(model.Call{ID: 1, Op: model.CountDown, N: 1}, model.Call{ID: 2, Op: model.Await})
		v := Check(h, Options{Spec: model.Spec{Kind: model.KindLatch, Count: 2}}, Linearizable)[0]
		if v.Status != model.Violated || v.Cause != test.cause {
			t.Errorf("%s: %s, %s (%s), want %s", test.lost, v.Status, v.Cause, v.Sentence, test.cause)
		}
	}
}
