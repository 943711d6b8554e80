package checker

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

func TestLinearizable(t *testing.T) {
	judgeCases(t, Linearizable, []testCase{
		{name: "nobody acquired", want: model.NotApplicable, write: func(s *script) {
			s.failed(s.acquire("c1"))
		}},
		{name: "leases", want: model.NotApplicable, write: func(s *script) {
			s.hold("c1")
			s.hold("c2", until(time.Hour))
		}},
		{name: "leases that notify", want: model.NotApplicable, write: func(s *script) {
			s.hold("c1", notifies)
		}},
		{name: "one after the other", want: model.Holds, write: func(s *script) {
			s.free("c1", s.hold("c1"))
			s.failed(s.acquire("c1"))
			s.notHeld(s.release("c2", s.hold("c2")))
			s.hold("c1")
		}},
		{name: "both", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			s.key(model.RecordExpired, a, 0)
			s.granted("c2")
			s.free("c1", a)
		},
			sentence: "c2 acquired the lock while c1 held it and had not begun to release it: c1's key expired on r1.",
			ops:      []int{1, 2, 3}, seqs: []int64{2, 4, 6}},
		{name: "again", want: model.Violated, write: func(s *script) {
			s.hold("c1")
			s.hold("c1")
		}, sentence: "c1 acquired the lock again while it held it and had not begun to release it."},
		{name: "acquired during the release", want: model.Holds, write: func(s *script) {
			r := s.release("c1", s.hold("c1"))
			s.hold("c2")
			s.ok(r)
		}},
		{name: "release of unknown outcome", want: model.Holds, write: func(s *script) {
			s.unknown(s.release("c1", s.hold("c1")))
			s.free("c2", s.hold("c2"))
			s.release("c1", s.hold("c1"))
			s.hold("c2")
		}},
		{name: "unknown and pending acquires", want: model.Holds, write: func(s *script) {
			s.acquire("c3")
			s.hold("c1")
			s.unknown(s.acquire("c2"))
		}},
		{name: "crash of the holder", want: model.Holds, write: func(s *script) {
			s.hold("c1")
			s.world(model.Crashed, "c1")
			s.free("c2", s.hold("c2"))
			s.hold("c1") // a new life
		}},
		{name: "acquired before the crash of the holder", want: model.Violated, write: func(s *script) {
			s.hold("c1")
			s.hold("c2")
			s.world(model.Crashed, "c1")
		}},
		{name: "second release: not held, and OK", want: model.Holds, write: func(s *script) {
			a := s.hold("c1")
			s.free("c1", a)
			s.notHeld(s.release("c1", a))
			b := s.hold("c2")
			s.free("c1", a) // frees nothing of c2's
			s.free("c2", b)
			s.hold("c3")
		}},
		{name: "second release does not free another's hold", want: model.Violated, write: func(s *script) {
			a := s.hold("c1")
			s.free("c1", a)
			s.hold("c2")
			s.free("c1", a)
			s.hold("c3")
		}, ops: []int{3, 5}},
		{name: "tokens", want: model.Holds, write: func(s *script) {
			s.free("c1", s.hold("c1", token(-3)))
			s.free("c2", s.hold("c2", token(7)))
			s.free("c2", s.hold("c2")) // carries none
			s.free("c1", s.hold("c1", token(8)))
		}},
		{name: "equal tokens", want: model.Violated, write: func(s *script) {
			s.free("c1", s.hold("c1", token(0)))
			s.free("c2", s.hold("c2", token(0)))
		}, sentence: "c2 held the lock with token 0 after c1 had held it with token 0.", ops: []int{1, 3}},
		{name: "a token that comes late", want: model.Violated, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.world(model.Paused, "c1")
			s.key(model.RecordExpired, a, 0)
			s.freed("c2", s.granted("c2", token(2)))
			s.ok(a, token(1))
		}, sentence: "c1 held the lock with token 1 after c2 had held it with token 2: " +
			"c1's key expired on r1 while c1 was paused, before c1 had its answer."},
		{name: "touching", want: model.Holds, write: func(s *script) {
			// In one event c1 calls Release and c2's Acquire returns: closed
			// intervals, so either may come first.
			a := s.hold("c1")
			b := s.acquire("c2")
			s.ok(b)
			s.free("c1", a)
			s.h.Operation(3).Call = s.h.Operation(b).Return
		}},
	})
}

// TestSearch is of histories which are not well formed, so that only
// porcupine can judge them.
func TestSearch(t *testing.T) {
	together := func(s *script, ids ...int) {
		for _, id := range ids {
			s.h.Operation(id).Return = s.h.End
		}
	}
	judgeCases(t, Linearizable, []testCase{
		{name: "two at once", want: model.Violated, write: func(s *script) {
			a, b := s.hold("c1"), s.hold("c2")
			together(s, a, b)
			s.tick()
			s.free("c1", a)
		}, ops: []int{1, 2, 3}},
		{name: "a release before the hold", want: model.Holds, write: func(s *script) {
			a := s.acquire("c1")
			r := s.release("c1", a)
			s.ok(a)
			s.hold("c2")
			s.ok(r)
		}},
		{name: "no pair", want: model.Violated, write: func(s *script) {
			// c1's release has returned before its Acquire was called, so c1
			// holds the lock ever after; the monitor takes the hold for empty.
			a := s.acquire("c1")
			s.free("c1", a)
			s.h.Operation(a).Call = s.tick()
			s.ok(a)
			s.acquire("c3")
			s.hold("c2")
		}, sentence: "No order of the operations explains c2's acquire after c1's acquire.", ops: []int{1, 4}},
	})
}

// TestTimeOut checks that a search without an end is not taken for a pass, nor
// for a failure: nothing that the search has seen says so.
func TestTimeOut(t *testing.T) {
	var s script
	const n = 24
	for i := range n {
		client := "c" + string(rune('a'+i))
		a := s.hold(client)
		s.free(client, a)
		s.release(client, a) // pending: at any time, and without effect
	}
	a, b := s.hold("x1"), s.hold("x2")
	s.h.Operation(a).Return = s.h.Operation(b).Return
	v := Check(s.history(), Options{SearchSteps: 1000}, Linearizable)[0]
	if v.Status != model.Undecided || !strings.Contains(v.Sentence, "1000 steps") {
		t.Errorf("%s: %s", v.Status, v.Sentence)
	}
}
