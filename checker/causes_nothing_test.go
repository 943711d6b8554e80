package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestNothingStored: a lock that reports success and leaves nothing in a store that can be seen was never granted
// anything, whatever befell the store, and if nothing did. A store whose nodes are not known, as in an imported history, was not
// observed if nothing was.
func TestNothingStored(t *testing.T) {
	both := func(befalls func(*script)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.hold("c1")
			s.write("c1", a, 1)
			befalls(s)
			s.hold("c2")
		}
	}
	nothing := func(*script) {}
	held := func(s *script) { s.hold("c1"); s.hold("c2") }
	seen := Options{Servers: [][]string{{"r1"}}}
	jumps := func(s *script) { s.clock("r1", lease) }
	loses := func(s *script) { s.world(model.Crashed, "r1"); s.world(model.Promoted, "r2") }
	counts := func(s *script) {
		s.key(model.RecordChanged, 0, 0, func(o *model.Observation) { o.Key = "other" })
	}
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "nothing happens", cause: model.NeverGranted, write: both(nothing)},
		{name: "a clock jumps", cause: model.NeverGranted, write: both(jumps)},
		{name: "the store fails over", cause: model.NeverGranted, write: both(loses)},
		{name: "another record is there", cause: model.NotEstablished, write: both(counts)},
		{name: "the store is not seen", cause: model.NotEstablished, write: held},
		{name: "the store is seen, and nothing in it", cause: model.NeverGranted, o: seen, write: held},
	})
	judgeCases(t, TruthfulAcquire, []testCase{
		{name: "nothing happens", want: model.Violated, write: both(nothing), ops: []int{1}, sentence: "c1 was told that it had acquired the lock, which the store had not given to it."},
		{name: "a clock jumps", want: model.Violated, write: both(jumps)},
		{name: "several may hold it", want: model.Violated, o: Options{Ownership: ended}, write: both(nothing)},
		{name: "permits", want: model.Violated, o: Options{Spec: model.Spec{Kind: model.KindSemaphore, Permits: 1}}, write: both(nothing)},
		{name: "another record is there", want: model.NotApplicable, write: both(counts)},
		{name: "it creates one", want: model.Holds, write: func(s *script) { s.write("c1", s.granted("c1"), 1) }},
		{name: "the store is not seen", want: model.NotApplicable, write: held},
		{name: "the store is seen, and nothing in it", want: model.Violated, o: seen, write: held, ops: []int{1}, seqs: []int64{}},
		{name: "a latch is held by nobody", want: model.NotApplicable, o: Options{Spec: model.Spec{Kind: model.KindLatch}, Servers: seen.Servers}, write: func(s *script) {
			s.ok(s.call("c1", model.Await, 0))
		}},
	})
}

// TestJumpPastTheEnd: where it is not known who has the lock, a jump of a server's clock is the cause if the acquisition
// had a record there whose end had passed by that alone.
func TestJumpPastTheEnd(t *testing.T) {
	held := func(waits time.Duration, node string, with ...func(*model.Observation)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			for _, key := range []string{"a", "b"} {
				s.key(model.RecordCreated, a, a, append([]func(*model.Observation){expires(s.h.End.At + lease), func(o *model.Observation) { o.Key = key }}, with...)...)
			}
			s.ok(a)
			s.clock(node, lease*9/10)
			s.sleep(waits)
			b := s.acquire("c2")
			s.key(model.RecordCreated, b, b, func(o *model.Observation) { o.Key = "a" })
			s.ok(b)
		}
	}
	o := Options{LockKeys: []string{"a", "b"}}
	ofAnother := func(o *model.Observation) { o.By, o.Owner = model.Origin{Client: "c3"}, model.Origin{Client: "c3"} }
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "past its end", cause: model.StoreClockJumped, o: o, write: held(lease/10, "r1")},
		{name: "past the end in its value", cause: model.StoreClockJumped, o: o, write: held(lease/10, "r1", forEver)},
		{name: "not as far", cause: model.NotEstablished, o: o, write: held(0, "r1")},
		{name: "of another server", cause: model.NotEstablished, o: o, write: held(lease/10, "r2")},
		{name: "past the end of another's record", cause: model.NotEstablished, o: o, write: held(lease/10, "r1", ofAnother)},
		{name: "when it had ended as granted", cause: model.NotEstablished, o: o, write: held(2*lease, "r1")},
	})
}

// TestExtendAfterAGap: an Extend that succeeds on a majority, of which one server had kept its record past its end since
// its clock had jumped back, is the store's deed, if without that it is no majority.
func TestExtendAfterAGap(t *testing.T) {
	extended := func(late ...string) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			ends := s.h.End.At + lease
			for _, n := range []string{"r1", "r2", "r3"} {
				s.key(model.RecordCreated, a, a, on(n), expires(ends))
			}
			s.ok(a)
			s.clock("r1", -lease*9/10)
			s.sleep(lease / 2)
			s.key(model.RecordCreated, a, a, on("r4"), expires(ends+2*lease)) // its own, late
			s.sleep(ends - s.h.End.At - ms)
			s.key(model.RecordExpired, a, 0, on("r2"), expires(ends))
			s.key(model.RecordExpired, a, 0, on("r3"), expires(ends))
			s.sleep(lease / 5)
			for _, n := range late {
				s.key(model.RecordCreated, a, a, on(n), expires(ends+2*lease))
			}
			e := s.call("c1", model.Extend, a)
			s.ok(e)
		}
	}
	o := Options{Nodes: 5}
	judgeCauses(t, TruthfulExtend, []causeCase{
		{name: "one kept it, and two got it late", cause: model.StoreClockJumped, o: o, write: extended("r5")},
		{name: "three got it late", cause: model.Untrue, o: o, write: extended("r5", "r2")},
		{name: "nobody got it late, and it has no majority", cause: model.Untrue, o: o, write: extended()},
	})
}
