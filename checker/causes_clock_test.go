package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

func clockRead(at model.Stamp) func(*model.Observation) {
	return func(o *model.Observation) { o.ClockRead = at }
}

// TestCauseOfAClockReadBefore has a server whose clock jumps between the statement that computes
// an end and the commit that shows it; or while another's statement, which has read the clock,
// waits for its turn. Both had what they knew from the clock that the server had then.
func TestCauseOfAClockReadBefore(t *testing.T) {
	o := Options{Ownership: ended}
	// written has c1's end computed, and seen by c2 when the clock has jumped ahead in between.
	written := func(knew, again bool) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			x, kind, name := a, model.RecordCreated, value("a")
			if again {
				s.key(kind, a, a, name, expires(s.h.End.At+lease))
				s.ok(a, until(s.h.End.At+lease))
				x, kind = s.call("c1", model.Extend, a), model.RecordChanged
			}
			read, clock := s.tick(), model.Stamp{}
			if knew {
				clock = read
			}
			s.clock("r1", 50*ms)
			s.key(kind, a, x, s.from(a), name, expires(read.At+lease), clockRead(clock))
			s.ok(x, until(read.At+lease))
			s.sleep(60 * ms)
			y := s.acquire("c2")
			s.change(y, a, "b", expires(time.Hour))
			s.ok(y, until(time.Hour))
		}
	}
	// taken has c2 ask before the clock jumps back, or after, and take what c1 has got since.
	taken := func(early bool) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			var y int
			if early {
				y = s.acquire("c2")
			}
			s.sleep(150 * ms)
			s.clock("r1", -150*ms)
			if !early {
				y = s.acquire("c2")
			}
			a := s.acquire("c1")
			at := s.h.End.At
			s.key(model.RecordCreated, a, a, value("a"), expires(at-150*ms+lease))
			s.ok(a, until(at+lease))
			s.change(y, a, "b", expires(time.Hour))
			s.ok(y, until(time.Hour))
			s.sleep(lease)
			s.clock("r1", 10*ms)
		}
	}
	for property, causes := range map[string][4]string{
		MutualExclusion:  {model.StoreClockJumped, model.ClaimedLonger, model.StoreClockJumped, model.RemovedByAnother},
		LeaseHonesty:     {model.StoreClockJumped, model.ClaimedLonger, model.StoreClockJumped, model.RemovedByAnother},
		OwnerOnlyRelease: {"", "", "", model.RemovedByAnother},
		TruthfulAcquire:  {"", "", "", ""},
	} {
		t.Run(property, func(t *testing.T) {
			judgeCauses(t, property, []causeCase{
				{name: "after the end was computed", cause: causes[0], o: o, write: written(true, false)},
				{name: "after another end was computed", cause: causes[0], o: o, write: written(true, true)},
				{name: "before the end was computed", cause: causes[1], o: o, write: written(false, false)},
				{name: "before another end was computed", cause: causes[1], o: o, write: written(false, true)},
				{name: "after another had read the clock", cause: causes[2], o: o, write: taken(true)},
				{name: "before another asked", cause: causes[3], o: o, write: taken(false)},
			})
		})
	}
}

// TestCauseOfAnEndThatHadPassed: who asked before a jump back, and takes what has ended since, needs
// no earlier clock: the grant ended when it did.
func TestCauseOfAnEndThatHadPassed(t *testing.T) {
	judgeCauses(t, MutualExclusion, []causeCase{{name: "stopped", cause: model.HolderStopped, o: Options{Ownership: ended}, write: func(s *script) {
		s.h.TTL = lease
		y := s.acquire("c2")
		s.sleep(150 * ms)
		s.clock("r1", -150*ms)
		a := s.acquire("c1")
		end := s.h.End.At + lease
		s.key(model.RecordCreated, a, a, value("a"), expires(end-150*ms))
		s.ok(a)
		s.sleep(40 * ms)
		stopped := end + 10*ms - s.h.End.At
		s.paused("c1", stopped)
		s.sleep(stopped)
		s.change(y, a, "b", expires(time.Hour))
		s.ok(y, until(time.Hour))
	}}})
}

// TestCauseOfAnEarlyEndThatNobodySaw: the clock of the server has jumped ahead, but who takes the lock,
// there or on another server, does so after the end that was granted. That decides for a client
// whose own clock is behind.
func TestCauseOfAnEarlyEndThatNobodySaw(t *testing.T) {
	taken := func(node string, longer time.Duration) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a, y := s.acquire("c1"), s.acquire("c2")
			s.clock("c1", -80*ms)
			end := s.h.End.At + lease
			s.key(model.RecordCreated, a, a, value("a"), expires(end))
			s.ok(a, until(end+80*ms+longer))
			s.clock("r1", 50*ms)
			s.sleep(lease + 10*ms)
			if node == "r1" {
				s.change(y, a, "b", expires(time.Hour))
			} else {
				s.see(model.Observation{Kind: model.Promoted, Node: node, Authority: node})
				s.key(model.RecordCreated, y, y, on(node), value("b"))
			}
			s.ok(y, until(time.Hour))
			s.sleep(lease)
		}
	}
	for _, node := range []string{"r1", "r2"} {
		judgeCauses(t, MutualExclusion, []causeCase{
			{name: "behind", cause: model.ClientClockOff, o: Options{Ownership: ended}, write: taken(node, 0)},
			{name: "not as far behind", cause: model.ClaimedLonger, o: Options{Ownership: ended}, write: taken(node, 10*ms)},
		})
	}
}

// TestAcquiredTooLateAfterAJump: an Acquire that returns when its lease had ended has no excuse
// in a jump before the end was computed, and one in a jump after it.
func TestAcquiredTooLateAfterAJump(t *testing.T) {
	late := func(read bool) func(*script) {
		return func(s *script) {
			a := s.acquire("c1")
			at := s.tick()
			s.clock("r1", 500*ms)
			end := s.h.End.At + 500*ms + lease
			clock := model.Stamp{}
			if read {
				end, clock = at.At+lease+200*ms, at
			}
			s.key(model.RecordCreated, a, a, value("a"), expires(end), clockRead(clock))
			s.sleep(lease + 50*ms)
			y := s.acquire("c2")
			s.change(y, a, "b", expires(time.Hour))
			s.ok(a)
		}
	}
	judgeCauses(t, TruthfulAcquire, []causeCase{
		{name: "before", cause: model.AcquiredTooLate, o: Options{Ownership: ended}, write: late(false)},
		{name: "after", o: Options{Ownership: ended}, write: late(true)},
	})
}

// TestCauseOfALeaseByObservation: c2 takes a record without an end which it has seen unchanged for a lease by its own
// clock. If that was fast, or jumped, by enough, it is a limit, and nobody's live lock was removed.
func TestCauseOfALeaseByObservation(t *testing.T) {
	off := func(client string, rate int64) func(*script) {
		return func(s *script) { s.see(model.Observation{Kind: model.ClockOff, Node: client, Rate: rate}) }
	}
	jumps := func(client string, by time.Duration) func(*script) {
		return func(s *script) { s.clock(client, by) }
	}
	nothing := func(*script) {}
	// taken has c1 hold the lock, and c2 change its record when it is so old.
	taken := func(before, between func(*script), age time.Duration) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			before(s)
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, value("a"), forEver)
			s.ok(a, until(s.h.End.At+3*lease))
			at := s.h.End.At
			between(s)
			b := s.acquire("c2")
			s.sleep(at + age - s.h.End.At - 2*ms)
			s.key(model.RecordChanged, b, b, s.from(a), value("b"), forEver)
			s.ok(b)
		}
	}
	cases := []causeCase{
		{name: "by a fast clock", cause: model.ClientClockOff, write: taken(off("c2", 100_000), nothing, 92*ms)},
		{name: "by a fast clock that its code never reads", cause: model.RemovedByAnother, write: taken(func(s *script) {
			s.see(model.Observation{Kind: model.ClockOff, Node: "c2", Rate: 100_000, Unread: true})
		}, nothing, 92*ms)},
		{name: "sooner than a fast clock explains", cause: model.RemovedByAnother, write: taken(off("c2", 100_000), nothing, 85*ms)},
		{name: "by a slow clock", cause: model.RemovedByAnother, write: taken(off("c2", -100_000), nothing, 92*ms)},
		{name: "by the fast clock of another", cause: model.RemovedByAnother, write: taken(off("c3", 100_000), nothing, 92*ms)},
		{name: "by a clock that jumped", cause: model.ClientClockOff, write: taken(nothing, jumps("c2", 60*ms), 50*ms)},
		{name: "sooner than the jump explains", cause: model.RemovedByAnother, write: taken(nothing, jumps("c2", 40*ms), 50*ms)},
		{name: "by a clock that had jumped before", cause: model.RemovedByAnother, write: taken(jumps("c2", 60*ms), nothing, 50*ms)},
		{name: "by a clock that jumped back", cause: model.RemovedByAnother, write: taken(nothing, jumps("c2", -60*ms), 50*ms)},
	}
	judgeCauses(t, MutualExclusion, cases)
	// thirdly has c2 take it, and give it up before c1 has its answer, and c3 hold it beside c1.
	thirdly := func(by time.Duration) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, value("a"), forEver)
			s.clock("c2", by)
			b := s.acquire("c2")
			s.sleep(50 * ms)
			s.key(model.RecordChanged, b, b, s.from(a), value("b"), forEver)
			s.ok(b)
			s.freed("c2", b)
			s.ok(a, until(s.h.End.At+lease))
			s.granted("c3")
		}
	}
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "by the clock of a client that has crashed", cause: model.ClientClockOff, write: thirdly(60 * ms)},
		{name: "sooner than that explains", cause: model.RemovedByAnother, write: thirdly(30 * ms)},
	})
	for i := range cases {
		if cases[i].cause != model.RemovedByAnother {
			cases[i].cause = ""
		}
	}
	judgeCauses(t, OwnerOnlyRelease, cases)
}

// TestCauseOfAClaimByAClock: c1 claims its lease for longer than it was granted. Only a clock that lost time meanwhile explains that.
func TestCauseOfAClaimByAClock(t *testing.T) {
	claimed := func(clock func(*script)) func(*script) {
		return func(s *script) {
			clock(s)
			a := s.leasedOut("c1", until(lease+10*ms))
			s.expired(a)
			s.sleep(lease)
		}
	}
	runs := func(rate int64) func(*script) {
		return func(s *script) { s.see(model.Observation{Kind: model.ClockOff, Node: "c1", Rate: rate}) }
	}
	jumps := func(by time.Duration) func(*script) { return func(s *script) { s.clock("c1", by) } }
	judgeCauses(t, LeaseHonesty, []causeCase{
		{name: "slow", cause: model.ClientClockOff, write: claimed(runs(-100_000))},
		{name: "fast", cause: model.ClaimedLonger, write: claimed(runs(100_000))},
		{name: "jumped back", cause: model.ClientClockOff, write: claimed(jumps(-20 * ms))},
		{name: "jumped ahead", cause: model.ClaimedLonger, write: claimed(jumps(20 * ms))},
	})
}
