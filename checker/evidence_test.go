package checker

import (
	"slices"
	"testing"

	"github.com/lockpick-dev/lockpick/checker/endings"
	"github.com/lockpick-dev/lockpick/model"
)

// TestEvidence: each cause that makes a violation a limit has observations on which it rests, and is no limit without
// them, nor if they are of clients and nodes that the violation does not concern.
func TestEvidence(t *testing.T) {
	overlap := func(befalls func(*script)) func(*script) {
		return func(s *script) {
			a := s.leasedOut("c1")
			befalls(s)
			s.expired(a)
			s.leasedOut("c2")
		}
	}
	histories := map[string]struct {
		o     Options
		write func(*script)
	}{
		model.StoreForgot: {write: func(s *script) {
			s.leasedOut("c1", until(90*ms))
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.takenOn("r2", "c2")
		}},
		model.TwoMasters: {write: func(s *script) {
			s.before()
			s.elected("r2", 1)
			s.grantedOn("r1", "c1")
			s.grantedOn("r2", "c2")
		}},
		model.Migration: {o: twoServers(true), write: func(s *script) {
			s.assigned("r1", "r2")
			s.assigned("r1", "")
			s.leasedOut("c1")
			s.takenOn("r2", "c2")
		}},
		model.StoreClockJumped: {write: func(s *script) {
			a := s.leasedOut("c1", until(90*ms))
			s.clock("r1", 200*ms)
			s.key(model.RecordExpired, a, 0)
			s.leasedOut("c2")
		}},
		model.ClientClockOff: {write: func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.clock("c1", -80*ms)
			s.grantFor(a, a)
			s.ok(a, until(150*ms))
			s.expired(a)
			s.leasedOut("c2")
		}},
		model.HolderStopped: {write: overlap(func(s *script) { s.paused("c1", 200*ms) })},
		model.HolderLate:    {write: overlap(func(s *script) { s.late("c1", s.call("c1", model.Write, 1), 150*ms) })},
		model.HolderCutOff:  {write: overlap(func(s *script) { s.see(model.Observation{Kind: model.Parted, Node: "r1", For: 150 * ms}) })},
	}
	for _, cause := range model.Causes() {
		kinds := endings.Evidence(cause.ID)
		known := len(kinds) > 0
		if c, is := histories[cause.ID]; known != cause.Limit || is != cause.Limit {
			t.Errorf("%s: a limit: %t, in the table: %t, in this test: %t", cause.ID, cause.Limit, known, is)
		} else if is {
			restsOnEvidence(t, cause.ID, kinds, c.o, c.write)
		}
	}
}

func restsOnEvidence(t *testing.T, cause string, kinds []model.ObservationKind, o Options, write func(*script)) {
	t.Helper()
	var s script
	write(&s)
	h := s.history()
	v := Check(h, o, MutualExclusion)[0]
	if v.Cause != cause || !v.Limit {
		t.Fatalf("%s: %s, %q (%s)", cause, v.Status, v.Cause, v.Sentence)
	}
	is := func(o model.Observation) bool { return slices.Contains(kinds, o.Kind) }
	without := *h
	without.Observations = slices.DeleteFunc(slices.Clone(h.Observations), is)
	strange := *h
	strange.Observations = slices.Clone(h.Observations)
	for i := range strange.Observations {
		if o := &strange.Observations[i]; is(*o) { // of a client that has no part in it
			o.Node, o.Owner, o.By = "c9", model.Origin{Client: "c9"}, model.Origin{Client: "c9"}
		}
	}
	strange.Operations = append(slices.Clone(h.Operations), model.Operation{ID: len(h.Operations) + 1, Client: "c9", Kind: model.Acquire, Call: h.End, Result: model.Unknown})
	for name, other := range map[string]*model.History{"removed": &without, "of another": &strange} {
		if cause == model.HolderCutOff && name == "of another" {
			continue // a network that is parted concerns all
		}
		if v := Check(other, o, MutualExclusion)[0]; v.Limit {
			t.Errorf("%s: with its evidence %s, it is the limit %s (%s)", cause, name, v.Cause, v.Sentence)
		}
		j := newJudge(other, o)
		if got := j.established(v); got.Limit || got.Cause != model.NotEstablished || got.Sentence != v.Sentence {
			t.Errorf("%s: with its evidence %s, established made it %q", cause, name, got.Cause)
		}
	}
	j := newJudge(h, o)
	if got := j.RestsOn(v.Cause, v.Operations, v.To.Seq); got == nil || !is(*got) || got.Seq > v.To.Seq {
		t.Errorf("%s: it rests on %+v", cause, got)
	}
	v.To.Seq = 0
	if got := j.established(v); got.Limit {
		t.Errorf("%s: it rests on what came later", cause)
	}
}
