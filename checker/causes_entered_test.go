package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// atOnce makes an operation return in the instant of its call, as one that asks no server.
func atOnce(op *model.Operation) { op.Return.At = op.Call.At }

// TestCauseOfAnEntryThatAsksNobody: a thread that has the lock, and takes it once more by its own clock,
// rests on what it was granted before. Whether that was still there is judged as its first hold is.
func TestCauseOfAnEntryThatAsksNobody(t *testing.T) {
	// enters has c1 hold the lock until its lease ends, and enter again after that, with a claim until so long
	// after the lease's end.
	enters := func(claim time.Duration, release, ask bool, clock time.Duration) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			ends := s.h.End.At + lease
			s.key(model.RecordCreated, a, a, expires(ends))
			s.ok(a, until(ends))
			if release {
				s.ok(s.release("c1", a), atOnce)
			}
			s.sleep(lease)
			s.key(model.RecordExpired, a, 0, expires(ends))
			if clock != 0 {
				s.clock("c1", clock)
			}
			s.sleep(20 * ms)
			b := s.acquire("c1")
			with := []func(*model.Operation){until(ends + claim)}
			if !ask {
				with = append(with, atOnce)
			}
			s.ok(b, with...)
			s.sleep(50 * ms)
			s.ok(s.release("c1", b), atOnce)
			if !release {
				s.notHeld(s.release("c1", a))
			}
		}
	}
	cases := func(off, longer, released, asked string) []causeCase {
		return []causeCase{
			{name: "its clock was off", cause: off, write: enters(90*ms, false, false, -lease)},
			{name: "its clock was right", cause: longer, write: enters(90*ms, false, false, 0)},
			{name: "it had released", cause: released, write: enters(90*ms, true, false, -lease)},
			{name: "it asked", cause: asked, write: enters(90*ms, false, true, -lease)},
		}
	}
	judgeCauses(t, LeaseHonesty, cases(model.ClientClockOff, model.AcquiredTooLate, model.NeverGranted, model.NeverGranted))
	judgeCauses(t, TruthfulAcquire, cases("", model.AcquiredTooLate, model.NeverGranted, model.NeverGranted))
	// The Release of an inner hold says nothing of the store's, unless the outer one has ended by a clock that is right.
	judgeCauses(t, TruthfulRelease, cases("", model.Untrue, model.Untrue, ""))
}
