package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestCauseOfASessionThatEndsTooEarly: a store may end a session though its client could count on
// it, and says until when. What a claim does until then is a limit, and beyond it the lock's fault.
func TestCauseOfASessionThatEndsTooEarly(t *testing.T) {
	ends := func(due, claim time.Duration) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			session := func(at time.Duration) func(*model.Observation) {
				return func(o *model.Observation) { o.Session, o.ExpiresAt = "1", at }
			}
			a := s.acquire("c1")
			from := s.h.End.At
			s.key(model.RecordCreated, a, a, session(from+lease))
			s.ok(a, until(from+claim))
			s.sleep(lease)
			if due != 0 {
				due += from
			}
			s.key(model.RecordExpired, a, 0, session(due))
			b := s.granted("c2")
			s.sleep(lease)
			s.freed("c2", b)
		}
	}
	for property, longer := range map[string]string{MutualExclusion: model.StoreClockJumped, LeaseHonesty: model.ClaimedLonger} {
		judgeCauses(t, property, []causeCase{
			{name: "as granted", write: ends(0, lease)},
			{name: "as granted, and claimed for longer", cause: model.ClaimedLonger, write: ends(0, 3*lease/2)},
			{name: "too early", cause: model.StoreClockJumped, write: ends(3*lease/2, 3*lease/2)},
			{name: "too early, and claimed for longer", cause: longer, write: ends(5*lease/4, 3*lease/2)},
		})
	}
}

// TestCauseOfARecordInASessionWhoseEndHasPassed: a session's end was granted when it was opened. If the
// clock jumps past it before the record comes, the session ends before its time.
func TestCauseOfARecordInASessionWhoseEndHasPassed(t *testing.T) {
	created := func(jump time.Duration) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			s.clock("r1", 5*ms) // it is of no matter
			ends := s.h.End.At + lease
			a := s.acquire("c1")
			if jump != 0 {
				s.clock("r1", jump)
				ends -= jump
			}
			s.key(model.RecordCreated, a, a, expires(ends), func(o *model.Observation) { o.Session = "1" })
			if jump == 0 {
				s.sleep(lease)
			}
			s.key(model.RecordExpired, a, 0, func(o *model.Observation) { o.Session, o.ExpiresAt = "1", 0 })
			s.sleep(10 * ms)
			s.ok(a)
			b := s.granted("c2")
			s.freed("c2", b)
		}
	}
	judgeCauses(t, TruthfulAcquire, []causeCase{
		{name: "the clock has jumped past it", write: created(4 * lease)},
		{name: "it had ended as granted", cause: model.AcquiredTooLate, write: created(0)},
	})
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "the clock has jumped past it", cause: model.StoreClockJumped, write: created(4 * lease)},
		{name: "it had ended as granted", cause: model.AcquiredTooLate, write: created(0)},
	})
}

// TestCauseOfTokensDrawnBesideAnother: two servers draw the same token, each where the other's is not
// known, though the lock had been granted to one of them before. Where nothing was promoted, one of
// the tokens was drawn apart from its grant.
func TestCauseOfTokensDrawnBesideAnother(t *testing.T) {
	rows := model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		owner, _ := r.Value.Field("owner")
		return []model.Share{{Holder: owner, Count: 1}}, nil
	})
	drawn := func(promoted bool) func(*script) {
		return func(s *script) {
			write := func(kind model.ObservationKind, id, before int, node, version string, with ...func(*model.Observation)) {
				s.key(kind, id, id, append([]func(*model.Observation){on(node), s.from(before), func(o *model.Observation) {
					o.Type, o.Value, o.Items = "row", version, []string{"owner", s.h.Operation(id).Client, "version", version}
				}}, with...)...)
			}
			a := s.acquire("c1")
			write(model.RecordCreated, a, 0, "r1", "1")
			write(model.RecordCreated, a, 0, "r2", "1", replica)
			if promoted {
				s.see(model.Observation{Kind: model.Promoted, Node: "r2", Authority: "r2"})
			}
			b := s.acquire("c2")
			write(model.RecordChanged, b, a, "r1", "2")
			s.ok(b, token(2))
			write(model.RecordChanged, a, a, "r2", "2")
			s.ok(a, token(2))
		}
	}
	judgeCauses(t, Fencing, []causeCase{
		{name: "promoted", cause: model.StoreForgot, o: Options{Ownership: rows}, write: drawn(true)},
		{name: "not promoted", cause: model.TokenApart, o: Options{Ownership: rows}, write: drawn(false)},
	})
}
