package checker

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestCauseOfASessionInARecord: a lock's record has no end and names its holder's session, which is another record that
// expires. Who finds that gone may take the lock, also within a lease of the Acquire, since the session is older; an
// Ownership that reads the lock's record alone does not tell its end.
func TestCauseOfASessionInARecord(t *testing.T) {
	named := func(client string) func(*model.Observation) {
		return func(o *model.Observation) { o.Value, o.ExpiresAt = "id of "+client, 0 }
	}
	session := func(s *script, kind model.ObservationKind, client, name string) {
		s.see(model.Observation{Kind: kind, Node: "r1", Authority: "r1", Key: name, Value: "alive", ExpiresAt: s.h.End.At + lease,
			Owner: model.Origin{Client: client}, By: model.Origin{Client: client}})
	}
	// taken has c1 take the lock half a lease after its session began, something happen to that, and c2 take the lock.
	taken := func(how model.ObservationKind, between func(s *script)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			session(s, model.RecordCreated, "c1", "session/id of c1")
			s.sleep(lease / 2)
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, named("c1"))
			s.ok(a)
			between(s)
			b := s.acquire("c2")
			if how == model.RecordDeleted {
				s.key(model.RecordDeleted, a, b, named("c1"))
				s.key(model.RecordCreated, b, b, named("c2"))
			} else {
				s.key(model.RecordChanged, b, b, named("c2"), s.from(a))
			}
			s.ok(b)
		}
	}
	expires := func(client, name string) func(*script) {
		return func(s *script) {
			s.paused("c1", lease)
			s.sleep(lease/2 - 10*ms)
			session(s, model.RecordExpired, client, name)
		}
	}
	views := map[string]model.Ownership{"without an ownership": nil, "owned": model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		if r.Key != lockName {
			return nil, nil
		}
		return []model.Share{{Holder: r.Value.Text, Count: 1}}, nil
	})}
	for view, ownership := range views { // unordered: each for itself
		for _, how := range []model.ObservationKind{model.RecordChanged, model.RecordDeleted} {
			o := Options{Ownership: ownership, LockKeys: []string{lockName}}
			ended := expires("c1", "session/id of c1")
			for _, c := range []struct {
				name, overlap, removal string
				between                func(*script)
			}{
				{"it has ended", model.HolderStopped, "", ended},
				{"it has ended, and nothing held its holder up", model.HeldTooLong, "", func(s *script) {
					s.sleep(lease/2 - 10*ms)
					session(s, model.RecordExpired, "c1", "session/id of c1")
				}},
				{"it has not ended", model.RemovedByAnother, model.RemovedByAnother, func(s *script) { s.paused("c1", lease) }},
				{"it was made anew", model.RemovedByAnother, model.RemovedByAnother, func(s *script) {
					ended(s)
					session(s, model.RecordCreated, "c1", "session/id of c1")
				}},
				{"another record has ended", model.RemovedByAnother, model.RemovedByAnother, expires("c1", "counter")},
				{"another client's has ended", model.RemovedByAnother, model.RemovedByAnother, expires("c3", "session/id of c1")},
			} {
				name := strings.Join([]string{view, string(how), c.name}, ", ")
				judgeCauses(t, MutualExclusion, []causeCase{{name: name, cause: c.overlap, o: o, write: taken(how, c.between)}})
				judgeCauses(t, OwnerOnlyRelease, []causeCase{{name: name, cause: c.removal, o: o, write: taken(how, c.between)}})
			}
		}
	}
}
