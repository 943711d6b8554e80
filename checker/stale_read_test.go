package checker

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// shown is what the follower r2 shows an operation of the lock's key: the value that an acquisition wrote, nothing if it is 0.
func (s *script) shown(op, value int) {
	o := model.Observation{Kind: model.RecordShown, Node: "r2", Key: lockName, By: s.origin(op)}
	if value != 0 {
		o.Value, o.Owner = s.valueOf(value), s.origin(value)
	}
	s.see(o)
}

func (s *script) valueOf(acquisition int) string { return s.h.Operation(acquisition).Client + "'s" }

// valued gives the key the value of an acquisition.
func (s *script) valued(acquisition int) func(*model.Observation) {
	return func(o *model.Observation) { o.Value = s.valueOf(acquisition) }
}

// TestStaleRead: who removes another's lock, or leaves its own behind, because a follower has shown otherwise, has read what
// was stale. What a follower shows rightly, or shows another operation, explains nothing.
func TestStaleRead(t *testing.T) {
	// c1 had the lock, which expired, and c2 has it when c1's release removes it.
	removes := func(shows func(s *script, a, b, release int)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.grantFor(a, a, s.valued(a))
			s.ok(a)
			s.expired(a)
			b := s.acquire("c2")
			s.grantFor(b, b, s.valued(b))
			s.ok(b)
			r := s.release("c1", a)
			shows(s, a, b, r)
			s.key(model.RecordDeleted, b, r, s.valued(b))
			s.ok(r)
		}
	}
	judgeCauses(t, OwnerOnlyRelease, []causeCase{
		{name: "shown its own value, which the store has not", cause: model.StaleRead, write: removes(func(s *script, a, _, r int) { s.shown(r, a) })},
		{name: "shown what the store has", cause: model.RemovedByAnother, write: removes(func(s *script, _, b, r int) { s.shown(r, b) })},
		{name: "shown nothing at all", cause: model.RemovedByAnother, write: removes(func(*script, int, int, int) {})},
		{name: "another operation was shown it", cause: model.RemovedByAnother, write: removes(func(s *script, a, b, _ int) { s.shown(b, a) })},
	})
	// c1's release says that it has not the lock, which stays.
	denies := func(shows func(s *script, a, release int)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, s.valued(a))
			s.ok(a)
			r := s.release("c1", a)
			shows(s, a, r)
			s.notHeld(r)
			s.acquire("c2")
			s.sleep(10 * lease)
			s.tick()
		}
	}
	judgeCauses(t, NoOrphan, []causeCase{
		{name: "shown no key", cause: model.StaleRead, o: Options{OrphanBound: lease}, write: denies(func(s *script, _, r int) { s.shown(r, 0) })},
		{name: "shown its key", cause: model.LeftBehind, o: Options{OrphanBound: lease}, write: denies(func(s *script, a, r int) { s.shown(r, a) })},
		{name: "shown nothing at all", cause: model.LeftBehind, o: Options{OrphanBound: lease}, write: denies(func(*script, int, int) {})},
	})
}
