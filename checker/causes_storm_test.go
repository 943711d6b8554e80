package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// cameBack restarts the primary with what an acquisition had written for a lease that
// ends at the given time, in place of another's.
func (s *script) cameBack(acq, other int, until time.Duration) {
	s.world(model.Crashed, "r1")
	s.see(model.Observation{Kind: model.Returned, Node: "r1", Primary: true})
	s.key(model.KeyDropped, other, 0)
	s.key(model.KeyCreated, acq, acq, expires(until))
}

// TestCauseOfOverlapAfterARestart has a lease whose record comes back with a node: that
// is no grant from then on, neither for longer, nor of a later time.
func TestCauseOfOverlapAfterARestart(t *testing.T) {
	over := func(stopped time.Duration) func(*script) {
		return func(s *script) {
			a := s.leasedOut("c1")
			until := s.h.Observations[0].ExpiresAt
			s.paused("c1", stopped)
			s.expired(a)
			b := s.leasedOut("c2")
			s.cameBack(a, b, until)
			s.key(model.KeyExpired, a, 0, expires(until))
			s.sleep(20 * ms)
			s.leasedOut("c3")
			s.freed("c2", b)
		}
	}
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "stopped while the lease ran", cause: HolderStopped, write: over(80 * ms)},
		{name: "stopped too shortly to matter", cause: HeldTooLong, write: over(20 * ms)},
	})
}
