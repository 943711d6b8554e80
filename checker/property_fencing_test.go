package checker

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

func TestFencing(t *testing.T) {
	judgeCases(t, Fencing, []testCase{
		{name: "no tokens", want: model.NotApplicable, write: func(s *script) {
			s.freed("c1", s.granted("c1"))
			s.set(s.acquire("c2"), model.Failed, token(1))
		}},
		{name: "growing", want: model.Holds, write: func(s *script) {
			s.freed("c1", s.granted("c1", token(1)))
			s.freed("c2", s.granted("c2", token(2)))
			s.freed("c2", s.granted("c2"))
			s.granted("c1", token(9))
		}},
		{name: "equal", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", token(4))
			s.key(model.RecordExpired, a, 0)
			s.granted("c2", token(4))
		}, sentence: "c2 was granted token 4 after c1 had been granted token 4.", ops: []int{1, 2}, seqs: []int64{2, 6}},
		{name: "forgotten by a failover", want: model.Violated, write: func(s *script) {
			s.freed("c2", s.granted("c2", token(1)))
			s.granted("c1", token(2))
			s.world(model.Promoted, "r2")
			b := s.acquire("c2")
			s.key(model.RecordCreated, b, b, on("r2"))
			s.ok(b, token(2))
		}, sentence: "c2 was granted token 2 after c1 had been granted token 2: r2 was promoted without c1's key."},
		{name: "forgotten once it was free", want: model.Violated, write: func(s *script) {
			s.freed("c1", s.granted("c1", token(1)))
			s.world(model.Promoted, "r2")
			b := s.acquire("c1")
			s.key(model.RecordCreated, b, b, on("r2"))
			s.ok(b, token(1))
		}, sentence: "c1 was granted token 1 after it had been granted token 1: r2 was promoted in between.", seqs: []int64{2, 7, 9}},
		{name: "granted in the other order than returned", want: model.Holds, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.key(model.RecordExpired, a, 0)
			s.granted("c2", token(2))
			s.ok(a, token(1))
		}},
		{name: "returned in order, granted in the other", want: model.Violated, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.key(model.RecordExpired, a, 0)
			s.granted("c2", token(1))
			s.ok(a, token(2))
		}, sentence: "c2 was granted token 1 after c1 had been granted token 2."},
		{name: "the last of several tries", want: model.Holds, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a) // its reply is lost
			s.key(model.RecordExpired, a, 0)
			b := s.granted("c2", token(2))
			s.key(model.RecordDeleted, b, s.release("c2", b))
			s.key(model.RecordCreated, a, a)
			s.ok(a, token(3))
			s.granted("c2", token(4))
			s.key(model.RecordCreated, a, a) // a late one, after the answer
		}},
		{name: "by overwriting", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", token(2))
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, s.from(a))
			s.ok(b, token(1))
		}},
		{name: "a change of one's own is no grant", want: model.Holds, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			b := s.acquire("c2")
			s.key(model.RecordCreated, b, b)
			s.key(model.RecordChanged, a, a, s.from(a))
			s.ok(a, token(1))
			s.ok(b, token(2))
		}},
		{name: "not observed, overlapping", want: model.Holds, write: func(s *script) {
			a, b := s.acquire("c1"), s.acquire("c2")
			s.ok(a, token(2))
			s.ok(b, token(1))
		}},
		{name: "not observed, one after the other", want: model.Violated, write: func(s *script) {
			s.hold("c1", token(2))
			s.hold("c2", token(1))
		}, ops: []int{1, 2}, seqs: []int64{}},
		{name: "observed on a replica only", want: model.Holds, write: func(s *script) {
			a, b := s.acquire("c1"), s.acquire("c2")
			s.key(model.RecordCreated, a, a, replica)
			s.key(model.RecordCreated, b, b, replica)
			s.ok(a, token(2))
			s.ok(b, token(1))
		}},
		{name: "one observed, one not", want: model.Violated, write: func(s *script) {
			s.hold("c1", token(2))
			s.granted("c2", token(1))
		}, ops: []int{1, 2}},
		{name: "independent nodes", want: model.Holds, write: func(s *script) {
			a, b := s.acquire("c1"), s.acquire("c2")
			s.key(model.RecordCreated, b, b, on("n1"))
			s.key(model.RecordCreated, b, b, on("n2"))
			s.key(model.RecordCreated, a, a, on("n3"))
			s.ok(a, token(1))
			s.ok(b, token(2))
		}},
		{name: "independent nodes that fail over", want: model.Holds, write: func(s *script) {
			a, b := s.acquire("c1"), s.acquire("c2")
			s.world(model.Promoted, "n4")
			s.world(model.Promoted, "n5")
			s.key(model.RecordCreated, b, b, on("n1"))
			s.key(model.RecordCreated, b, b, on("n2"))
			s.key(model.RecordCreated, a, a, on("n4"))
			s.ok(a, token(1))
			s.ok(b, token(2))
		}},
	})
}

// TestFencingByOwner: a record that an Acquire makes, and that grants nothing yet, is no
// grant. The store grants the lock when the record names an owner.
func TestFencingByOwner(t *testing.T) {
	owner := func(name string) func(*model.Observation) {
		return func(o *model.Observation) { o.Value, o.ExpiresAt = name, 0 }
	}
	view := model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		if r.Value.Text == "" {
			return nil, nil
		}
		return []model.Share{{Holder: r.Value.Text, Count: 1}}, nil
	})
	var s script
	a := s.acquire("c1")
	s.key(model.RecordCreated, a, a, owner(""))
	s.key(model.RecordCreated, a, a, owner(""), replica)
	b := s.acquire("c2")
	s.key(model.RecordChanged, b, b, owner("y"), s.from(a))
	s.ok(b, token(1))
	s.world(model.Crashed, "r1")
	s.world(model.Promoted, "r2")
	s.key(model.RecordChanged, a, a, owner("x"), on("r2"), s.from(a))
	s.ok(a, token(1))
	s.world(model.Returned, "r1") // which drops what the new authority lacks
	v := Check(s.history(), Options{Ownership: view, Servers: [][]string{{"r1", "r2"}}}, Fencing)[0]
	if want := "c1 was granted token 1 after c2 had been granted token 1"; v.Status != model.Violated || !strings.HasPrefix(v.Sentence, want) {
		t.Errorf("%s: %s", v.Status, v.Sentence)
	}
}
