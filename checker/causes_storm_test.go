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

// TestCauseOfARenewalOnSomeServers has a lease that is had by the majority. One server
// prolongs it later, which may be Acquire's own request that was repeated; if the
// majority does, the lock renews itself.
func TestCauseOfARenewalOnSomeServers(t *testing.T) {
	renewed := func(nodes ...string) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			for _, n := range []string{"r1", "r2", "r3"} {
				s.grantFor(a, a, on(n))
			}
			s.ok(a)
			r := s.call("c1", model.Read, a)
			s.late("c1", r, 130*ms)
			for _, n := range nodes {
				s.grantFor(a, r, on(n), func(o *model.Observation) { o.By = model.Origin{Client: "c1", Conn: 2, Op: r} })
			}
			s.sleep(130 * ms)
			for _, n := range []string{"r1", "r2", "r3"} {
				s.key(model.KeyExpired, a, 0, on(n), expires(s.h.End.At+ms))
			}
			s.ok(r)
			s.sleep(50 * ms)
			s.freed("c1", a)
		}
	}
	o := Options{Nodes: 3}
	judgeCauses(t, TimelyLoss, []causeCase{
		{name: "one of three", o: o, write: renewed("r3")},
		{name: "two of three", cause: NotTold, o: o, write: renewed("r2", "r3")},
	})
}

// TestCauseOfAClaimAfterTheClockJumpedBack has a server whose clock jumps back, and which
// has the key for longer by that: whoever extends finds that there is nothing to do. What
// the server forgets then is the store's deed, as far as the key would have lasted.
func TestCauseOfAClaimAfterTheClockJumpedBack(t *testing.T) {
	forgot := func(befalls func(*script), claims time.Duration) func(*script) {
		return func(s *script) {
			a := s.leasedOut("c1", until(90*ms))
			befalls(s)
			s.sleep(50 * ms)
			e := s.call("c1", model.Extend, a)
			s.ok(e, until(claims))
			s.sleep(70 * ms)
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			b := s.acquire("c2")
			s.key(model.KeyCreated, b, b, on("r2"))
			s.ok(b, until(240*ms))
			s.sleep(150 * ms)
		}
	}
	back := func(s *script) { s.clock("r1", -80*ms) }
	judgeCauses(t, LeaseHonesty, []causeCase{
		{name: "for as long as the key would have lasted", cause: StoreForgot, write: forgot(back, 150*ms)},
		{name: "for longer", cause: ClaimedLonger, write: forgot(back, 230*ms)},
		{name: "another's clock", cause: ClaimedLonger, write: forgot(func(s *script) { s.clock("r2", -80*ms) }, 150*ms)},
		{name: "and ahead again", cause: ClaimedLonger, write: forgot(func(s *script) { back(s); s.clock("r1", 80*ms) }, 150*ms)},
	})
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "for as long as the key would have lasted", cause: StoreForgot, write: forgot(back, 150*ms)},
		{name: "another's clock", cause: ClaimedLonger, write: forgot(func(s *script) { s.clock("r2", -80*ms) }, 150*ms)},
	})
}
