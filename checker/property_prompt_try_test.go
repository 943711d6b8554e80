package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// tries calls TryAcquire, which returns after a while with the result.
func (s *script) tries(client string, after time.Duration, result model.Outcome, meanwhile func(id int)) int {
	id := s.acquire(client)
	if meanwhile != nil {
		meanwhile(id)
	}
	s.sleep(after)
	s.set(id, result, func(op *model.Operation) { op.Try = true })
	return id
}

func TestPromptTry(t *testing.T) {
	judgeCases(t, PromptTry, []testCase{
		{name: "nobody tried", want: model.NotApplicable, write: func(s *script) { s.granted("c1") }},
		{name: "told at once", want: model.Holds, write: func(s *script) {
			s.leasedOut("c1")
			s.tries("c2", 8*ms, model.Failed, nil)
		}},
		{name: "told after the bound", want: model.Violated, write: func(s *script) {
			s.leasedOut("c1")
			s.tries("c2", 15*ms, model.Failed, nil)
		}, sentence: "c2's TryAcquire took 16ms, and waited for 16ms of it while c1 held the lock.", ops: []int{1, 2}},
		{name: "waits until it has the lock", want: model.Violated, write: func(s *script) {
			a := s.leasedOut("c1")
			s.tries("c2", 0, model.OK, func(int) {
				s.sleep(15 * ms)
				s.freed("c1", a)
			})
		}, ops: []int{1, 2}},
		{name: "the holder releases before it would be long", want: model.Holds, write: func(s *script) {
			a := s.leasedOut("c1")
			s.tries("c2", 50*ms, model.OK, func(int) { s.freed("c1", a) })
		}},
		{name: "two held it, one after the other", want: model.Violated, write: func(s *script) {
			a := s.leasedOut("c1")
			s.tries("c3", 8*ms, model.Failed, func(int) {
				s.sleep(6 * ms)
				s.freed("c1", a)
				s.leasedOut("c2")
			})
		}, ops: []int{1, 2, 4}},
		{name: "it is an Acquire", want: model.NotApplicable, write: func(s *script) {
			s.leasedOut("c1")
			b := s.acquire("c2")
			s.sleep(50 * ms)
			s.failed(b)
		}},
		{name: "its answer was late", want: model.Holds, write: func(s *script) {
			s.leasedOut("c1")
			s.tries("c2", 50*ms, model.Failed, func(id int) { s.late("c2", id, 45*ms) })
		}},
		{name: "another's answer was late", want: model.Violated, write: func(s *script) {
			s.leasedOut("c1")
			s.tries("c2", 50*ms, model.Failed, func(int) { s.late("c3", 0, 45*ms); s.acquire("c3") })
		}, ops: []int{1, 2}},
		{name: "it was stopped", want: model.Holds, write: func(s *script) {
			s.leasedOut("c1")
			s.tries("c2", 50*ms, model.Failed, func(int) { s.paused("c2", 45*ms) })
		}},
	})
}
