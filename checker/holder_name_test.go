package checker

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// named is an ownership by which the value of the lock's key names its holder.
var named = model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
	if r.Key != lockName {
		return nil, nil
	}
	return []model.Share{{Holder: r.Value.Text, Count: 1}}, nil
})

func value(text string) func(*model.Observation) {
	return func(o *model.Observation) { o.Value = text }
}

// queue has an Acquire push a name to the lock's queue.
func (s *script) queue(id int, name string) {
	s.key(model.RecordCreated, id, id, func(o *model.Observation) {
		o.Key, o.Type, o.Items, o.ExpiresAt = "queue", "list", []string{name}, 0
	})
}

// takes has a client acquire with a name.
func (s *script) takes(client, name string) int {
	id := s.acquire(client)
	s.key(model.RecordCreated, id, id, value(name))
	s.ok(id)
	return id
}

// hands has c1 release to a name, for an acquisition.
func (s *script) hands(a int, name string) {
	r := s.release("c1", a)
	s.key(model.RecordChanged, r, r, s.from(a), value(name))
	s.ok(r)
}

// TestHanded: a name that another's request writes is a grant to whom it names.
func TestHanded(t *testing.T) {
	for _, o := range []Options{{OrphanBound: 50 * ms}, {OrphanBound: 50 * ms, Ownership: named}} {
		// handed is a lock that c1 hands to c2, who releases it.
		handed := func(s *script, queue bool, b string, then func(s *script, y int)) {
			a := s.takes("c1", "a")
			y := s.acquire("c2")
			if queue {
				s.queue(y, "b")
			}
			s.hands(a, b)
			then(s, y)
		}
		releases := func(s *script, y int) {
			s.ok(y)
			r := s.release("c2", y)
			s.key(model.RecordDeleted, s.h.Observations[len(s.h.Observations)-1].Owner.Op, r, value("b"))
			s.ok(r)
		}
		queued := func(s *script) { handed(s, true, "b", releases) }
		unseen := func(s *script) { handed(s, false, "b", releases) }
		judgeCases(t, TruthfulRelease, []testCase{
			{name: "to a name in the queue", want: model.Holds, o: o, write: queued},
			{name: "to the one who succeeds", want: model.Holds, o: o, write: unseen},
			{name: "to another in the queue", want: model.Violated, o: o, write: func(s *script) {
				z := s.acquire("c3")
				s.key(model.RecordCreated, z, z, func(o *model.Observation) { o.Key, o.Type, o.Items = "queue3", "list", []string{"c"} })
				handed(s, true, "c", releases)
			}, sentence: "c2 was told that it had released the lock, which it did not hold any more."},
			{name: "to one of two who succeed", want: model.NotApplicable, o: o, write: func(s *script) {
				z := s.acquire("c3")
				handed(s, false, "b", func(s *script, y int) {
					s.ok(z)
					s.ok(y)
					s.ok(s.release("c2", y))
				})
			}},
			{name: "for the second time, by the same client", want: model.Holds, o: o, write: func(s *script) {
				a := s.acquire("c1")
				s.key(model.RecordCreated, a, a, value("a"))
				y := s.acquire("c2")
				s.queue(y, "b")
				s.key(model.RecordChanged, a, a, s.from(a), value("b"))
				s.failed(a)
				s.key(model.RecordExpired, a, 0, value("b"))
				s.hands(s.takes("c1", "a"), "b")
				releases(s, y)
			}},
			{name: "in the clean-up of an Acquire", want: model.Holds, o: o, write: func(s *script) {
				a := s.acquire("c1")
				s.key(model.RecordCreated, a, a, value("a"))
				y := s.acquire("c2")
				s.queue(y, "b")
				s.key(model.RecordChanged, a, a, s.from(a), value("b"))
				s.failed(a)
				releases(s, y)
			}},
		})
		wait := func(s *script) { s.sleep(200 * ms) }
		judgeCases(t, NoOrphan, []testCase{
			{name: "released", want: model.Holds, o: o, write: func(s *script) { queued(s); s.acquire("c3"); wait(s) }},
			{name: "to somebody who waits on", want: model.Holds, o: o, write: func(s *script) {
				handed(s, true, "b", func(s *script, _ int) { wait(s) })
			}},
			{name: "to nobody", want: model.Violated, o: o, write: func(s *script) {
				handed(s, false, "x", func(s *script, _ int) { wait(s) })
			}, sentence: "c1's release returned, but r1 had its key, which kept c2 waiting for 201ms."},
			{name: "to one who crashed", want: model.NotApplicable, o: o, write: func(s *script) {
				handed(s, false, "b", func(s *script, _ int) {
					s.world(model.Crashed, "c2")
					s.acquire("c3")
					wait(s)
				})
			}},
		})
	}
	judgeCases(t, OwnerOnlyRelease, []testCase{
		{name: "who was handed it releases", want: model.Holds, o: Options{Ownership: named}, write: func(s *script) {
			a := s.takes("c1", "a")
			y := s.acquire("c2")
			s.queue(y, "b")
			s.hands(a, "b")
			s.ok(y)
			r := s.release("c2", y)
			s.key(model.RecordDeleted, 3, r, value("b"))
		}},
		{name: "another takes it from who was handed it", want: model.Violated, o: Options{Ownership: named}, write: func(s *script) {
			a := s.takes("c1", "a")
			y := s.acquire("c2")
			s.queue(y, "b")
			s.hands(a, "b")
			s.ok(y)
			s.key(model.RecordDeleted, 3, s.acquire("c3"), value("b"))
		}, sentence: "c3's acquire removed the lock of c2 while c2 held it."},
		{name: "a queue that another empties", want: model.Holds, write: func(s *script) {
			a := s.takes("c1", "a")
			y := s.acquire("c2")
			s.queue(y, "b")
			s.key(model.RecordDeleted, y, s.release("c1", a), func(o *model.Observation) { o.Key, o.Type, o.Items = "queue", "list", []string{"b"} })
		}},
		{name: "an ended member of a sorted set", want: model.NotApplicable, write: func(s *script) {
			set := func(o *model.Observation) { o.Type, o.Items = "zset", []string{"a", "946684800004"} }
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, set)
			s.ok(a)
			s.sleep(100 * ms)
			s.key(model.RecordDeleted, a, s.acquire("c2"), set)
		}},
	})
}
