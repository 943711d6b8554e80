package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

func TestVainRequest(t *testing.T) {
	const ms = time.Millisecond
	// tried are when an Acquire asked, after the present.
	tried := func(s *script, id int, after ...time.Duration) {
		for _, d := range after {
			s.h.Operation(id).Tries = append(s.h.Operation(id).Tries, s.h.End.At+d)
		}
	}
	judgeCases(t, VainRequest, []testCase{
		{name: "nothing is known of tries", want: model.NotApplicable, write: func(s *script) {
			x := s.hold("c1")
			y := s.acquire("c1/1")
			s.free("c1", x)
			s.ok(y)
		}},
		{name: "another process has it", want: model.NotApplicable, write: func(s *script) {
			x := s.hold("c1")
			y := s.acquire("c2/1")
			tried(s, y, 1*ms, 2*ms)
			s.sleep(5 * ms)
			s.free("c1", x)
			s.ok(y)
		}},
		{name: "its own process has it", want: model.Violated, write: func(s *script) {
			x := s.hold("c1")
			y := s.acquire("c1/1")
			tried(s, y, 1*ms, 20*ms)
			s.sleep(5 * ms)
			s.free("c1", x)
			s.sleep(20 * ms)
			s.ok(y)
		}, sentence: "c1 thread 1 asked the store for the lock while c1 thread 0 had it.", ops: []int{1, 2}},
		{name: "its own process is releasing it", want: model.Violated, write: func(s *script) {
			x := s.hold("c1")
			y := s.acquire("c1/1")
			r := s.release("c1", x)
			tried(s, y, 1*ms, 20*ms)
			s.sleep(5 * ms)
			s.ok(r)
			s.sleep(20 * ms)
			s.ok(y)
		}},
		{name: "its own process is releasing it, and it gets it", want: model.Holds, write: func(s *script) {
			x := s.hold("c1")
			y := s.acquire("c1/1")
			r := s.release("c1", x)
			tried(s, y, 1*ms)
			s.sleep(5 * ms)
			s.ok(r)
			s.ok(y)
		}},
		{name: "in the instant in which it is released", want: model.Holds, write: func(s *script) {
			x := s.hold("c1")
			y := s.acquire("c1/1")
			r := s.release("c1", x)
			tried(s, y, 1*ms, 20*ms)
			s.ok(r)
			s.sleep(20 * ms)
			s.ok(y)
		}},
		{name: "a release that has failed", want: model.Holds, write: func(s *script) {
			x := s.hold("c1")
			y := s.acquire("c1/1")
			s.unknown(s.release("c1", x))
			tried(s, y, 1*ms, 20*ms)
			s.sleep(20 * ms)
			s.ok(y)
		}},
		{name: "the validity is over", want: model.Holds, write: func(s *script) {
			s.hold("c1", until(5*ms))
			y := s.acquire("c1/1")
			tried(s, y, 3*ms, 20*ms)
			s.sleep(20 * ms)
			s.ok(y)
		}},
		{name: "the validity is not over", want: model.Violated, write: func(s *script) {
			s.hold("c1", until(50*ms))
			y := s.acquire("c1/1")
			tried(s, y, 3*ms, 20*ms)
			s.sleep(60 * ms)
			s.ok(y)
		}},
		{name: "the lease is lost", want: model.Holds, write: func(s *script) {
			x := s.hold("c1", until(50*ms))
			y := s.acquire("c1/1")
			s.lost(x)
			tried(s, y, 0, 20*ms)
			s.sleep(60 * ms)
			s.ok(y)
		}},
	})
}
