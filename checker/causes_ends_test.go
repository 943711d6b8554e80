package checker

import (
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestCauseOfTakeover: a lock that keeps the end of its lease in the value.
func TestCauseOfTakeover(t *testing.T) {
	taken := func(after time.Duration, more ...func(*script)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, forEver, func(o *model.Observation) { o.Value = "one" })
			s.ok(a)
			for _, f := range more {
				f(s)
			}
			s.sleep(after)
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, s.from(a), forEver, func(o *model.Observation) { o.Value = "two" })
			s.ok(b)
		}
	}
	stop := func(s *script) { s.paused("c1", 300*ms) }
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "when it was over", cause: model.HolderStopped, write: taken(100*ms, stop)},
		{name: "before", cause: model.RemovedByAnother, write: taken(50*ms, stop)},
	})
	judgeCauses(t, OwnerOnlyRelease, []causeCase{
		{name: "when it was over", write: taken(100*ms, stop)},
		{name: "before", cause: model.RemovedByAnother, write: taken(50*ms, stop)},
	})
}

// TestCauseOfLossWithoutEnd: a record that has no end, and is lost with the store's data, is forgotten, whenever that is.
// That it could have been taken over by then is what others say who do; here nobody has.
func TestCauseOfLossWithoutEnd(t *testing.T) {
	ended := func(after time.Duration, by func(s *script, a int)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, forEver)
			s.ok(a)
			s.sleep(after)
			by(s, a)
			b := s.acquire("c2")
			s.key(model.RecordCreated, b, b, forEver)
			s.ok(b)
		}
	}
	lost := func(s *script, a int) {
		s.world(model.Crashed, "r1")
		s.world(model.Returned, "r1")
		s.key(model.RecordDropped, a, 0, forEver)
	}
	deleted := func(s *script, a int) { s.key(model.RecordDeleted, a, s.acquire("c2"), forEver) }
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "lost at once", cause: model.StoreForgot, write: ended(50*ms, lost)},
		{name: "lost after a lease", cause: model.StoreForgot, write: ended(150*ms, lost)},
		{name: "deleted at once", cause: model.RemovedByAnother, write: ended(50*ms, deleted)},
		{name: "deleted after a lease", cause: model.HeldTooLong, write: ended(150*ms, deleted)},
	})
}

// TestCauseOnServersApart: where clients choose the server, the grant of another does not make the first forget its own. It
// does if the one has lost it, or if the store itself moves the lock.
func TestCauseOnServersApart(t *testing.T) {
	moved := func(between func(*script, int)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.grantFor(a, a, on("r1"))
			s.ok(a)
			between(s, a)
			b := s.acquire("c2")
			s.grantFor(b, b, on("r2"))
			s.ok(b)
		}
	}
	stands := func(s *script, _ int) { s.world(model.Paused, "r1") }
	lost := func(s *script, a int) {
		s.see(model.Observation{Kind: model.Crashed, Node: "r1", Authority: "r1"})
		s.see(model.Observation{Kind: model.Returned, Node: "r1", Authority: "r1"})
		s.key(model.RecordDropped, a, 0, on("r1"))
	}
	elsewhere := func(s *script, _ int) { s.world(model.Promoted, "r2") }
	servers := [][]string{{"r1"}, {"r2"}}
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "the client has chosen another", cause: model.GrantedToBoth, o: Options{Servers: servers, Apart: true}, write: moved(stands)},
		{name: "the first has lost it", cause: model.StoreForgot, o: Options{Servers: servers, Apart: true}, write: moved(lost)},
		{name: "the store has moved it", cause: model.StoreForgot, o: Options{Servers: servers}, write: moved(elsewhere)},
		{name: "nobody has moved it", cause: model.NotEstablished, o: Options{Servers: servers}, write: moved(stands)},
	})
}

// TestCauseOnSeveralNodes: the majority counts.
func TestCauseOnSeveralNodes(t *testing.T) {
	// lost has c1's lease on these nodes, of which something befalls one.
	lost := func(nodes []string, befalls func(*script, int)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			for _, n := range nodes {
				s.grantFor(a, a, on(n))
			}
			s.ok(a, until(90*ms))
			befalls(s, a)
			b := s.acquire("c2")
			s.grantFor(b, b, on("r2"))
			s.grantFor(b, b, on("r3"))
			s.ok(b, until(120*ms))
		}
	}
	o := Options{Nodes: 3}
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "one of the majority forgets", cause: model.StoreForgot, o: o, write: lost([]string{"r1", "r2"}, func(s *script, a int) {
			s.key(model.RecordDropped, a, 0, on("r2"))
		})},
		{name: "one of the majority is robbed", cause: model.RemovedByAnother, o: o, write: lost([]string{"r1", "r2"}, func(s *script, a int) {
			s.key(model.RecordDeleted, a, s.acquire("c2"), on("r2"))
		})},
		{name: "it was no majority", cause: model.NeverGranted, o: o, write: lost([]string{"r1"}, func(*script, int) {})},
	})
	judgeCauses(t, TruthfulAcquire, []causeCase{
		{name: "one of the majority forgets", o: o, write: lost([]string{"r1", "r2"}, func(s *script, a int) {
			s.key(model.RecordDropped, a, 0, on("r2"))
		})},
		{name: "it was no majority", cause: model.NeverGranted, o: o, write: lost([]string{"r1"}, func(*script, int) {})},
	})
}

// TestCauseOfALeaseThatIsNeverWhole has a lease that needs two servers, of which the
// first ends before the second is there.
func TestCauseOfALeaseThatIsNeverWhole(t *testing.T) {
	acquired := func(nodes []string, back time.Duration) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			if slices.Contains(nodes, "r1") {
				s.grantFor(a, a)
				s.clock("c1", -back)
				s.expired(a)
			}
			s.sleep(20 * ms)
			s.grantFor(a, a, on("r2"))
			s.ok(a, until(s.h.End.At+50*ms))
			s.sleep(100 * ms)
		}
	}
	both := []string{"r1", "r2"}
	o := Options{Nodes: 2}
	judgeCauses(t, TruthfulAcquire, []causeCase{
		{name: "its clock is back by more", o: o, write: acquired(both, 200*ms)},
		{name: "its clock is back by less", cause: model.AcquiredTooLate, o: o, write: acquired(both, 10*ms)},
		{name: "one has never granted it", cause: model.NeverGranted, o: o, write: acquired(both[1:], 200*ms)},
	})
	judgeCauses(t, LeaseHonesty, []causeCase{
		{name: "its clock is back by more", cause: model.ClientClockOff, o: o, write: acquired(both, 200*ms)},
		{name: "its clock is back by less", cause: model.AcquiredTooLate, o: o, write: acquired(both, 10*ms)},
		{name: "one has never granted it", cause: model.NeverGranted, o: o, write: acquired(both[1:], 200*ms)},
	})
}

// TestEndsByTheNodesClock: the members of a sorted set end by the clock of its node,
// which may jump; then the next who comes by removes them.
func TestEndsByTheNodesClock(t *testing.T) {
	members := func(items ...string) func(*model.Observation) {
		return func(o *model.Observation) { o.Type, o.Items, o.ExpiresAt = "zset", items, time.Hour }
	}
	// removed has c2 remove c1's member, which ends at 100 ms, and take its place.
	removed := func(between func(*script)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, members("a", "100"))
			s.ok(a, until(90*ms))
			between(s)
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, s.from(a), members("b", "200"))
			s.ok(b, until(190*ms))
		}
	}
	o := Options{Ownership: model.SortedSetOwnership{Start: time.Unix(0, 0)}}
	jumps := func(s *script) { s.clock("r1", 98*ms) }
	for property, causes := range map[string][3]string{ // unordered: each is a test of its own
		OwnerOnlyRelease: {"", model.RemovedByAnother, ""},
		MutualExclusion:  {model.StoreClockJumped, model.RemovedByAnother, ""},
		TruthfulAcquire:  {"", "", ""},
	} {
		judgeCauses(t, property, []causeCase{
			{name: property + ", it has jumped", cause: causes[0], o: o, write: removed(jumps)},
			{name: property + ", it has not", cause: causes[1], o: o, write: removed(func(*script) {})},
			{name: property + ", when it was over", cause: causes[2], o: o, write: removed(func(s *script) { s.sleep(100 * ms) })},
		})
	}
}

// TestCauseOfASecondTry: an Acquire gives back what its first try was granted, and succeeds with its second, whose record lives with
// another connection. How the second record ended decides; a lock that removes that itself is at fault.
func TestCauseOfASecondTry(t *testing.T) {
	tried := func(end func(s *script, a int, second func(*model.Observation))) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			session := func(id string) func(*model.Observation) {
				return func(o *model.Observation) { o.Value, o.Session, o.ExpiresAt = id, id, 0 }
			}
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, session("connection 1"))
			s.sleep(lease / 4)
			s.key(model.RecordDeleted, a, a, session("connection 1"))
			s.key(model.RecordCreated, a, a, session("connection 2"))
			s.ok(a)
			end(s, a, session("connection 2"))
			b := s.acquire("c2")
			s.key(model.RecordCreated, b, b, session("connection 3"))
			s.ok(b)
		}
	}
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "the second record ended with its session", cause: model.HolderStopped, write: tried(func(s *script, a int, second func(*model.Observation)) {
			s.paused("c1", 2*lease)
			s.sleep(lease)
			s.key(model.RecordExpired, a, 0, second)
		})},
		{name: "the lock removed it", cause: model.RemovedByItself, write: tried(func(s *script, a int, second func(*model.Observation)) {
			s.paused("c1", 2*lease)
			s.sleep(lease)
			s.key(model.RecordDeleted, a, a, second)
		})},
		{name: "another removed it", cause: model.RemovedByAnother, write: tried(func(s *script, a int, second func(*model.Observation)) {
			b := s.acquire("c3")
			s.key(model.RecordDeleted, a, b, second)
		})},
	})
}
