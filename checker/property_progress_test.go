package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

func TestProgress(t *testing.T) {
	const s1 = time.Second
	bound := Options{ProgressBound: 5 * s1, Servers: [][]string{{"r1", "r2"}}}
	cases := []testCase{
		{name: "nobody waits", want: model.NotApplicable, write: func(s *script) {}},
		{name: "all acquire", want: model.Holds, write: func(s *script) {
			s.free("c1", s.hold("c1"))
			a := s.acquire("c2")
			s.sleep(4 * s1)
			s.ok(a)
		}},
		{name: "too late", want: model.Violated, write: func(s *script) {
			a := s.acquire("c2")
			s.sleep(6 * s1)
			s.ok(a)
		}, sentence: "c2 waited for the lock for 6.001s.", ops: []int{1}},
		{name: "exactly the bound", want: model.Holds, write: func(s *script) {
			a := s.acquire("c2")
			s.sleep(5*s1 - time.Millisecond)
			s.ok(a)
		}},
		{name: "owed from the healing on", want: model.Holds, write: func(s *script) {
			a := s.acquire("c2")
			s.sleep(60 * s1)
			s.ok(a)
			s.h.Healed = 56 * s1
		}},
		{name: "stuck behind a dead holder", want: model.Violated, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, forEver)
			s.ok(a)
			s.acquire("c2")
			s.world(model.Crashed, "c1")
			s.h.Healed = s.h.End.At
			s.sleep(20 * s1)
		},
			sentence: "c2 waited for the lock for 20.001s after the world had healed and never got it: " +
				"r1 still had c1's key, which has no expiry, and c1 had crashed.",
			ops: []int{1, 2}, seqs: []int64{2, 5}},
		{name: "behind a key that must have expired", want: model.Violated, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, func(o *model.Observation) { o.ExpiresAt = s1 })
			s.ok(a)
			s.acquire("c2")
			s.sleep(20 * s1)
		}, sentence: "c2 waited for the lock for 20.001s and never got it."},
		{name: "two nodes that were elected serve to the end", want: model.NotApplicable, write: func(s *script) {
			s.granted("c1")
			s.elected("r2", 1)
			s.acquire("c2")
			s.sleep(20 * s1)
			s.world(model.Resumed, "c1")
		}},
		{name: "the first has followed before it is due", want: model.Violated, write: func(s *script) {
			s.granted("c1")
			s.elected("r2", 1)
			s.acquire("c2")
			s.world(model.Returned, "r1")
			s.sleep(20 * s1)
			s.world(model.Resumed, "c1")
		}},
		{name: "two nodes serve because of a fault that promotes", want: model.Violated, write: func(s *script) {
			s.granted("c1")
			s.elected("r2", 0)
			s.acquire("c2")
			s.sleep(20 * s1)
			s.world(model.Resumed, "c1")
		}},
		{name: "behind a key that is gone", want: model.Violated, write: func(s *script) {
			s.granted("c1")
			s.world(model.Promoted, "r2")
			s.acquire("c2")
			s.sleep(20 * s1)
		}, sentence: "c2 waited for the lock for 20.001s and never got it."},
		{name: "a chain of failures", want: model.Violated, write: func(s *script) {
			for range 4 {
				a := s.acquire("c1")
				s.sleep(2 * s1)
				s.failed(a)
			}
			s.unknown(s.acquire("c1"))
		}, ops: []int{1, 5}},
		{name: "a chain that ends well", want: model.Holds, write: func(s *script) {
			for range 2 {
				a := s.acquire("c1")
				s.sleep(2 * s1)
				s.failed(a)
			}
			s.free("c1", s.hold("c1"))
			a := s.acquire("c1")
			s.sleep(4 * s1)
			s.failed(a)
		}},
		{name: "threads wait for themselves", want: model.Violated, write: func(s *script) {
			s.acquire("c1/1")
			s.sleep(4 * s1)
			s.hold("c1")
			s.sleep(4 * s1)
		}, ops: []int{1}},
		{name: "the crashed are excused", want: model.Holds, write: func(s *script) {
			s.hold("c2")
			s.acquire("c1")
			s.world(model.Crashed, "c1")
			s.sleep(20 * s1)
		}},
		{name: "but not for what was before", want: model.Violated, write: func(s *script) {
			a := s.acquire("c1")
			s.sleep(20 * s1)
			s.ok(a)
			s.world(model.Crashed, "c1")
		}},
		{name: "and begin anew", want: model.Holds, write: func(s *script) {
			s.acquire("c1")
			s.world(model.Crashed, "c1")
			s.sleep(20 * s1)
			s.hold("c1")
		}},
		{name: "and are not excused for ever", want: model.Violated, write: func(s *script) {
			s.acquire("c1")
			s.world(model.Crashed, "c1")
			s.acquire("c1")
			s.sleep(20 * s1)
		}, ops: []int{2}},
		{name: "cut", want: model.Undecided, write: func(s *script) {
			s.hold("c1")
			s.h.Cut = "event limit"
		}, sentence: "The run was cut before progress could be judged: event limit."},
		{name: "cut, too late already", want: model.Violated, write: func(s *script) {
			s.acquire("c1")
			s.sleep(20 * s1)
			s.h.Cut = "event limit"
		}},
		{name: "ends within the bound", want: model.Undecided, write: func(s *script) {
			s.hold("c1")
			s.acquire("c2")
			s.sleep(s1)
		}},
	}
	for i := range cases {
		cases[i].o = bound
	}
	judgeCases(t, Progress, append(cases, testCase{
		name: "no bound", want: model.NotApplicable, write: func(s *script) {
			s.acquire("c1")
			s.sleep(20 * s1)
		},
	}))
}

// TestCauseOfAStockThatIsGone: a stock whose records a failover lost has nothing left to sell, which is the store's doing. One whose
// records are there, or were removed by a request, is at fault if its buyers wait for ever.
func TestCauseOfAStockThatIsGone(t *testing.T) {
	row := func(with ...func(*model.Observation)) []func(*model.Observation) {
		return append(with, forEver, func(o *model.Observation) {
			o.Type, o.Owner.Client, o.By.Client = "row", "c1", "c1"
		})
	}
	sold := func(then func(s *script)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			s.key(model.RecordCreated, 0, 0, row()...)
			then(s)
			s.call("c2", model.Take, 0)
			s.sleep(20 * time.Second)
		}
	}
	o := Options{ProgressBound: 5 * time.Second, Servers: [][]string{{"r1", "r2"}}, Spec: model.Spec{Kind: model.KindStock}}
	judgeCauses(t, Progress, []causeCase{
		{name: "it was not copied to the promoted node", o: o, cause: model.StoreForgot, write: sold(func(s *script) {
			s.world(model.Promoted, "r2")
		})},
		{name: "the old node drops it as well", o: o, cause: model.StoreForgot, write: sold(func(s *script) {
			s.world(model.Promoted, "r2")
			s.key(model.RecordDropped, 0, 0, row()...)
		})},
		{name: "it was copied", o: o, cause: model.NotServed, write: sold(func(s *script) {
			s.key(model.RecordCreated, 0, 0, row(on("r2"), replica)...)
			s.world(model.Promoted, "r2")
		})},
		{name: "a request removed it", o: o, cause: model.NotServed, write: sold(func(s *script) {
			s.key(model.RecordDeleted, 0, 0, row()...)
			s.world(model.Promoted, "r2")
		})},
		{name: "nothing was promoted", o: o, cause: model.NotServed, write: sold(func(*script) {})},
	})
}
