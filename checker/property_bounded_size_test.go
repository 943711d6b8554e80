package checker

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

func TestBoundedSize(t *testing.T) {
	kept := func(n int) func(*model.Operation) {
		return func(op *model.Operation) { op.Sizes = []model.Size{{What: "local locks", N: n, Most: 1}} }
	}
	free := func(s *script, client string, x, n int) { s.ok(s.release(client, x), kept(n)) }
	judgeCases(t, BoundedSize, []testCase{
		{name: "nothing is said", want: model.NotApplicable, write: func(s *script) { s.free("c1", s.hold("c1")) }},
		{name: "as many as were said", want: model.Holds, write: func(s *script) { free(s, "c1", s.hold("c1"), 1) }},
		{name: "one more", want: model.Violated, write: func(s *script) {
			free(s, "c1", s.hold("c1"), 1)
			free(s, "c1", s.hold("c1"), 2)
		}, sentence: "c1 kept 2 local locks when none of its threads held the lock or waited for it, and has said that 1 is the most.", ops: []int{4}},
		{name: "while another thread waits", want: model.NotApplicable, write: func(s *script) {
			x := s.hold("c1")
			s.acquire("c1/1")
			free(s, "c1", x, 2)
		}},
		{name: "while another thread holds", want: model.NotApplicable, write: func(s *script) {
			x := s.hold("c1")
			s.hold("c1/1")
			free(s, "c1", x, 2)
		}},
		{name: "while another process holds", want: model.Violated, write: func(s *script) {
			x := s.hold("c1")
			s.hold("c2")
			free(s, "c1", x, 2)
		}},
	})
}
