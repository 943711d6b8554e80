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
	s.see(model.Observation{Kind: model.Returned, Node: "r1", Authority: "r1"})
	s.key(model.RecordDropped, other, 0)
	s.key(model.RecordCreated, acq, acq, expires(until))
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
			s.key(model.RecordExpired, a, 0, expires(until))
			s.sleep(20 * ms)
			s.leasedOut("c3")
			s.freed("c2", b)
		}
	}
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "stopped while the lease ran", cause: model.HolderStopped, write: over(80 * ms)},
		{name: "stopped too shortly to matter", cause: model.HeldTooLong, write: over(20 * ms)},
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
				s.key(model.RecordExpired, a, 0, on(n), expires(s.h.End.At+ms))
			}
			s.ok(r)
			s.sleep(50 * ms)
			s.freed("c1", a)
		}
	}
	o := Options{Nodes: 3}
	judgeCauses(t, TimelyLoss, []causeCase{
		{name: "one of three", o: o, write: renewed("r3")},
		{name: "two of three", cause: model.NotTold, o: o, write: renewed("r2", "r3")},
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
			s.key(model.RecordCreated, b, b, on("r2"))
			s.ok(b, until(240*ms))
			s.sleep(150 * ms)
		}
	}
	back := func(s *script) { s.clock("r1", -80*ms) }
	judgeCauses(t, LeaseHonesty, []causeCase{
		{name: "for as long as the key would have lasted", cause: model.StoreForgot, write: forgot(back, 150*ms)},
		{name: "for longer", cause: model.ClaimedLonger, write: forgot(back, 230*ms)},
		{name: "another's clock", cause: model.ClaimedLonger, write: forgot(func(s *script) { s.clock("r2", -80*ms) }, 150*ms)},
		{name: "and ahead again", cause: model.ClaimedLonger, write: forgot(func(s *script) { back(s); s.clock("r1", 80*ms) }, 150*ms)},
	})
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "for as long as the key would have lasted", cause: model.StoreForgot, write: forgot(back, 150*ms)},
		{name: "another's clock", cause: model.ClaimedLonger, write: forgot(func(s *script) { s.clock("r2", -80*ms) }, 150*ms)},
	})
}

// TestCauseOfAClaimThatIsProlonged has a client whose clock jumps back while it
// acquires, and which extends its lease when the store has long ended it: what it did
// not know yet when the lease ended is no claim of then.
func TestCauseOfAClaimThatIsProlonged(t *testing.T) {
	extended := func(back, claims time.Duration) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.clock("c1", -back)
			s.grantFor(a, a)
			s.ok(a, until(claims))
			s.expired(a)
			s.sleep(20 * ms)
			e := s.call("c1", model.Extend, a)
			s.grantFor(a, e)
			s.ok(e, until(s.h.End.At+lease))
			s.sleep(30 * ms)
			s.freed("c1", a)
		}
	}
	judgeCauses(t, LeaseHonesty, []causeCase{
		{name: "by as much as its clock explains", cause: model.ClientClockOff, write: extended(80*ms, 170*ms)},
		{name: "by more", cause: model.ClaimedLonger, write: extended(20*ms, 170*ms)},
	})
}

// TestCauseOfAnEndThatIsSetBack has a majority of two servers of which one, before the
// first lease has ended, comes to an earlier end of the extended lease: because it was
// restarted and has forgotten the extension, or because its client asked for that.
func TestCauseOfAnEndThatIsSetBack(t *testing.T) {
	// extended has c1's lease end at first, and then an extension of it later; then this
	// befalls r1, and c2 takes what has ended there at the first end.
	extended := func(befalls func(s *script, a int, first time.Duration)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.grantFor(a, a, on("r1"))
			first := s.h.Observations[0].ExpiresAt
			s.grantFor(a, a, on("r2"))
			s.ok(a, until(90*ms))
			s.sleep(50 * ms)
			e := s.call("c1", model.Extend, a)
			s.grantFor(a, e, on("r1"))
			s.grantFor(a, e, on("r2"))
			s.ok(e, until(140*ms))
			befalls(s, a, first)
			s.sleep(first - s.h.End.At)
			s.key(model.RecordExpired, a, 0, expires(first))
			b := s.acquire("c2")
			s.grantFor(b, b, on("r1"))
			s.grantFor(b, b, on("r3"))
			s.ok(b, until(190*ms))
			s.sleep(50 * ms)
		}
	}
	restarted := func(s *script, a int, first time.Duration) {
		s.world(model.Crashed, "r1")
		s.see(model.Observation{Kind: model.Returned, Node: "r1", Authority: "r1"})
		s.key(model.RecordChanged, a, 0, s.from(a), expires(first))
	}
	shortened := func(s *script, a int, first time.Duration) {
		e := s.call("c1", model.Extend, a)
		s.key(model.RecordChanged, a, e, s.from(a), expires(first))
		s.ok(e, until(140*ms))
	}
	// again is a restart, after which c1 shortens its lease itself.
	again := func(s *script, a int, first time.Duration) {
		restarted(s, a, first+ms)
		shortened(s, a, first)
	}
	o := Options{Nodes: 3}
	for _, property := range []string{MutualExclusion, LeaseHonesty} {
		judgeCauses(t, property, []causeCase{
			{name: property + ", by a restart", cause: model.StoreForgot, o: o, write: extended(restarted)},
			{name: property + ", by its client", cause: model.ClaimedLonger, o: o, write: extended(shortened)},
			{name: property + ", by its client after a restart", cause: model.ClaimedLonger, o: o, write: extended(again)},
		})
	}
	judgeCases(t, MutualExclusion, []testCase{{name: "what is said of it", want: model.Violated, o: o, write: extended(restarted),
		sentence: "c1 and c2 both held the lock for 33ms: r1 came back without what had extended c1's key."}})
	// No observation ends a share whose record has its end.
	var s script
	a := s.leasedOut("c1")
	first := s.h.Observations[0].ExpiresAt
	s.sleep(50 * ms)
	s.grantFor(a, s.call("c1", model.Extend, a))
	s.see(model.Observation{Kind: model.Returned, Node: "r1", Authority: "r1"})
	s.key(model.RecordChanged, a, 0, s.from(a), expires(first))
	s.sleep(first - s.h.End.At + 20*ms)
	last := s.world(model.Paused, "c2")
	why := newJudge(&s.h, Options{Ownership: ended}).whyForgotten(s.h.Operation(a), last).text
	if want := "r1 came back without what had extended c1's record"; why != want {
		t.Errorf("it says %q, want %q", why, want)
	}
}

// TestCauseOfAGap has an Extend that succeeds on a majority of the servers that was none
// for a while, because a late request of Acquire has come to another server. The cause is
// that of the gap; an Extend that itself takes the lock anew is at fault.
func TestCauseOfAGap(t *testing.T) {
	// extended has c1's lease on r1 and r2; this befalls it on r1; then it is taken on these
	// servers while c1 extends it.
	extended := func(befalls func(*script, int), anew ...string) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.grantFor(a, a, on("r1"))
			s.grantFor(a, a, on("r2"), expires(time.Hour))
			s.ok(a)
			befalls(s, a)
			e := s.call("c1", model.Extend, a)
			for _, n := range anew {
				s.key(model.RecordCreated, e, e, on(n), expires(time.Hour))
			}
			s.ok(e, until(time.Hour))
		}
	}
	forgets := func(s *script, a int) {
		s.world(model.Crashed, "r1")
		s.see(model.Observation{Kind: model.Returned, Node: "r1", Authority: "r1"})
		s.key(model.RecordDropped, a, 0)
	}
	forgetsBoth := func(s *script, a int) {
		forgets(s, a)
		s.key(model.RecordDropped, a, 0, on("r2"))
	}
	jumps := func(s *script, a int) {
		s.clock("r1", lease)
		s.key(model.RecordExpired, a, 0)
	}
	runsOut := func(s *script, a int) {
		s.sleep(lease)
		s.key(model.RecordExpired, a, 0)
	}
	elsewhere := func(s *script, a int) { // a server that matters to nobody forgets, when it is over
		runsOut(s, a)
		s.key(model.RecordDropped, a, 0, on("r2"))
		s.grantFor(a, a, on("r2"), expires(time.Hour))
	}
	removed := func(s *script, a int) { s.key(model.RecordDeleted, a, s.acquire("c2")) }
	slowly := func(by time.Duration) func(*script, int) {
		return func(s *script, a int) {
			s.clock("c1", -by)
			runsOut(s, a)
			s.sleep(50 * ms)
		}
	}
	// ranOutBefore has c1's lease run out and c2 take the lock, before c1 extends its lease.
	ranOutBefore := func(then func(s *script, a, b int)) func(*script) {
		return func(s *script) {
			a := s.leasedOut("c1", until(90*ms))
			s.expired(a)
			b := s.leasedOut("c2", until(290*ms))
			then(s, a, b)
			e := s.call("c1", model.Extend, a)
			s.key(model.RecordChanged, a, e, s.from(a), expires(time.Hour))
			s.ok(e, until(time.Hour))
		}
	}
	o := Options{Nodes: 3}
	judgeCauses(t, TruthfulExtend, []causeCase{
		{name: "one forgets, another comes to it", cause: model.StoreForgot, o: o, write: extended(forgets, "r3")},
		{name: "one's clock jumps, another comes to it", cause: model.StoreClockJumped, o: o, write: extended(jumps, "r3")},
		{name: "it runs out on one, another comes to it", cause: model.Untrue, o: o, write: extended(runsOut, "r3")},
		{name: "it runs out on one, before another forgets", cause: model.Untrue, o: o, write: extended(elsewhere, "r3")},
		{name: "it runs out while its clock is back by more", cause: model.ClientClockOff, o: o, write: extended(slowly(80*ms), "r3")},
		{name: "it runs out while its clock is back by less", cause: model.Untrue, o: o, write: extended(slowly(40*ms), "r3")},
		{name: "one is robbed, another comes to it", cause: model.RemovedByAnother, o: o, write: extended(removed, "r3")},
		{name: "both forget, and it is taken anew", cause: model.Untrue, o: o, write: extended(forgetsBoth, "r1", "r3")},
		{name: "it runs out, and comes back with the node", cause: model.StoreForgot, write: ranOutBefore(func(s *script, a, b int) {
			s.cameBack(a, b, time.Hour)
			n := len(s.h.Observations) // all at the moment of the return
			s.h.Observations[n-1].At, s.h.Observations[n-2].At = s.h.Observations[n-3].At, s.h.Observations[n-3].At
		})},
		{name: "it runs out, the node comes back without it, and it is taken anew", cause: model.Untrue, write: ranOutBefore(func(s *script, a, b int) {
			s.world(model.Crashed, "r1")
			s.see(model.Observation{Kind: model.Returned, Node: "r1", Authority: "r1"})
			s.key(model.RecordDropped, b, 0)
			s.key(model.RecordCreated, a, a, expires(time.Hour))
		})},
		{name: "the only one forgets, and it is taken anew", cause: model.Untrue, write: func(s *script) {
			a := s.leasedOut("c1")
			forgets(s, a)
			e := s.call("c1", model.Extend, a)
			s.key(model.RecordCreated, e, e, expires(time.Hour))
			s.ok(e, until(time.Hour))
		}},
	})
}
