package checker

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

func TestNeedlessFailure(t *testing.T) {
	// before has c1 hold the lock once, a while before.
	before := func(s *script) int {
		a := s.leasedOut("c1")
		s.freed("c1", a)
		s.sleep(2 * lease)
		return a
	}
	fails := func(s *script, meanwhile func(id int)) {
		id := s.acquire("c2")
		if meanwhile != nil {
			meanwhile(id)
		}
		s.failed(id)
	}
	judgeCases(t, NeedlessFailure, []testCase{
		{name: "nobody failed", want: model.NotApplicable, write: func(s *script) { before(s) }},
		{name: "it is not known who has the lock", want: model.NotApplicable, write: func(s *script) {
			s.free("c1", s.hold("c1"))
			fails(s, nil)
		}},
		{name: "nobody had it", want: model.Violated, write: func(s *script) {
			before(s)
			fails(s, nil)
		}, sentence: "c2's acquire failed, though nobody had the lock or asked for it.", ops: []int{3}},
		{name: "it had it itself, and lost it", want: model.Violated, write: func(s *script) {
			before(s)
			fails(s, func(id int) {
				s.grantFor(id, id)
				s.key(model.RecordDeleted, id, id)
			})
		}, ops: []int{3}},
		{name: "it is unknown whether it got it", want: model.NotApplicable, write: func(s *script) {
			before(s)
			s.unknown(s.acquire("c2"))
		}},
		{name: "its context ended", want: model.Holds, write: func(s *script) {
			before(s)
			fails(s, func(id int) { s.h.Operation(id).Cancelled = s.tick() })
		}},
		{name: "another held it", want: model.Holds, write: func(s *script) {
			s.leasedOut("c1")
			fails(s, nil)
		}},
		{name: "another's lease ended in it", want: model.Holds, write: func(s *script) {
			a := s.leasedOut("c1")
			fails(s, func(int) { s.expired(a) })
		}},
		{name: "what another failed to release was still there", want: model.Holds, write: func(s *script) {
			a := s.leasedOut("c1")
			s.unknown(s.release("c1", a))
			fails(s, nil)
		}},
		{name: "another asked for it", want: model.Holds, write: func(s *script) {
			before(s)
			x := s.acquire("c3")
			fails(s, nil)
			s.unknown(x)
		}},
		{name: "another had asked for it before", want: model.Violated, write: func(s *script) {
			before(s)
			s.unknown(s.acquire("c3"))
			fails(s, nil)
		}, ops: []int{4}},
		{name: "a fault had struck just before", want: model.Holds, write: func(s *script) {
			before(s)
			s.world(model.Promoted, "r2")
			fails(s, nil)
		}},
		{name: "a fault had struck long before", want: model.Violated, write: func(s *script) {
			before(s)
			s.world(model.Promoted, "r2")
			s.sleep(2 * lease)
			fails(s, nil)
		}, ops: []int{3}},
		{name: "it has been cut off for long", want: model.Holds, write: func(s *script) {
			before(s)
			s.world(model.Parted, "c2")
			s.sleep(2 * lease)
			fails(s, nil)
			s.world(model.United, "c2")
		}},
	})
}
