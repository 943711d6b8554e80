package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestCauseOfALeaseUsedUp has a record that lives with a lease: of the one that was granted
// before the wait, and not renewed, most has passed when Acquire returns.
func TestCauseOfALeaseUsedUp(t *testing.T) {
	// waited has c1's record there for a while before it gets the lock, and end so long after
	// that, when c1 goes on.
	waited := func(wait, record, over time.Duration, with ...func(*model.Operation)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			first := s.acquire("c0")
			s.key(model.RecordCreated, first, first, own("0"))
			s.ok(first)
			a := s.acquire("c1")
			s.sleep(wait - record)
			s.key(model.RecordCreated, a, a, inSession("lease 1"), own("1"))
			s.sleep(record)
			s.key(model.RecordDeleted, first, s.release("c0", first), own("0"))
			s.ok(a, with...)
			s.sleep(over)
			s.key(model.RecordExpired, a, 0, inSession("lease 1"), own("1"))
			b := s.acquire("c2")
			s.sleep(20 * ms)
			s.key(model.RecordCreated, b, b, inSession("lease 2"), own("2"))
			s.ok(b)
			s.sleep(50 * ms)
			s.free("c1", a)
		}
	}
	o := Options{Ownership: model.SequenceOwnership{Prefix: "lock/"}, Terms: model.Terms{Record: "key", Session: "lease"}}
	judgeCases(t, TimelyLoss, []testCase{{name: "in words", want: model.Violated, o: o, write: waited(80*ms, 80*ms, 15*ms),
		sentence: "c1 held on for 74ms after its lease, of which 84ms had passed when its acquire returned and which nothing had renewed, had ended, and nothing told it."}})
	judgeCases(t, MutualExclusion, []testCase{{name: "in words", want: model.Violated, o: o, write: waited(80*ms, 80*ms, 15*ms),
		sentence: "c1 and c2 both held the lock for 51ms: c1's lease, of which 84ms had passed when its acquire returned and which nothing had renewed, expired on r1."}})
	judgeCauses(t, TimelyLoss, []causeCase{{name: "it had ended by then", cause: model.NotTold, o: o, write: func(s *script) {
		s.h.TTL = lease
		a := s.acquire("c1")
		s.key(model.RecordCreated, a, a, inSession("lease 1"), own("1"))
		s.paused("c1", lease+20*ms)
		s.sleep(lease)
		s.key(model.RecordExpired, a, 0, inSession("lease 1"), own("1"))
		s.sleep(20 * ms)
		s.ok(a)
		s.sleep(50 * ms)
		s.free("c1", a)
	}}})
	for _, property := range []string{MutualExclusion, TimelyLoss} {
		t.Run(property, func(t *testing.T) {
			judgeCauses(t, property, []causeCase{
				{name: "in the wait", cause: model.UsedUp, o: o, write: waited(80*ms, 80*ms, 15*ms)},
				{name: "in a wait before the record", cause: model.UsedUp, o: o, write: waited(80*ms, 0, 15*ms)},
				{name: "and ended somewhat late", cause: model.UsedUp, o: o, write: waited(80*ms, 80*ms, 40*ms)},
				{name: "less than half of it", cause: model.NotTold, o: o, write: waited(40*ms, 40*ms, 55*ms)},
				{name: "renewed in the wait", cause: model.NotTold, o: o, write: waited(80*ms, 80*ms, 60*ms)},
				{name: "before the acquisition", cause: model.NotTold, o: o, write: waited(0, 0, 15*ms)},
				{name: "of a lease that tells of its loss", cause: model.NotTold, o: o, write: waited(80*ms, 80*ms, 15*ms, notifies)},
			})
		})
	}
}

func own(number string) func(*model.Observation) {
	return func(o *model.Observation) { o.Key = "lock/" + number }
}
