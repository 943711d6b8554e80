package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// members is what a key has: a hash of so many fields and counts.
func members(items ...string) func(*model.Observation) {
	return func(o *model.Observation) {
		o.Type, o.Items, o.Value = "hash", items, ""
		for _, i := range items {
			o.Value += i + " "
		}
	}
}

// shared has c1 and c2 hold permits of one hash, whose last writer is c2.
func (s *script) shared() (a, b int) {
	s.h.TTL = lease
	a = s.acquire("c1")
	s.key(model.RecordCreated, a, a, members("a", "1"))
	s.ok(a)
	b = s.acquire("c2")
	s.key(model.RecordChanged, b, b, s.from(a), members("a", "1", "b", "1"))
	s.ok(b)
	return a, b
}

// restored has the server come back with a record that an operation has written.
func (s *script) restored(by int, items ...string) {
	s.world(model.Crashed, "r1")
	s.see(model.Observation{Kind: model.Returned, Node: "r1", Authority: "r1"})
	s.key(model.RecordDropped, by, by, members("b", "1"))
	s.key(model.RecordCreated, by, by, members(items...))
}

// leaves has a client release, and the key changed to what others have.
func (s *script) leaves(client string, a, wrote int, items ...string) {
	r := s.release(client, a)
	s.key(model.RecordChanged, r, r, s.from(wrote), members(items...))
	s.ok(r)
}

// TestEarlierRecord: those who are in a record that comes back, or is copied, are who
// they were, whoever wrote it last.
func TestEarlierRecord(t *testing.T) {
	o := Options{Ownership: model.HashOwnership{}, Servers: [][]string{{"r1", "r2"}}}
	// entered has c1 enter twice and leave once, which wrote last, before a replica copies it all.
	entered := func(s *script, copied ...string) int {
		a := s.acquire("c1")
		s.key(model.RecordCreated, a, a, members("a", "1"))
		s.ok(a)
		b := s.acquire("c1")
		s.key(model.RecordChanged, b, b, s.from(a), members("a", "2"))
		s.ok(b)
		r := s.release("c1", b)
		s.key(model.RecordChanged, r, r, s.from(b), members("a", "1"))
		s.ok(r)
		s.key(model.RecordCreated, r, r, replica, members(copied...))
		s.world(model.Crashed, "r1")
		s.see(model.Observation{Kind: model.Promoted, Node: "r2", Authority: "r2"})
		return a
	}
	judgeCases(t, TruthfulRelease, []testCase{
		{name: "of two who share", want: model.Holds, o: o, write: func(s *script) {
			a, b := s.shared()
			s.leaves("c2", b, b, "a", "1")
			s.restored(b, "a", "1", "b", "1")
			s.leaves("c1", a, b, "b", "1")
		}},
		{name: "of one who is not in it", want: model.Violated, o: o, write: func(s *script) {
			a, b := s.shared()
			s.restored(b, "b", "1")
			s.free("c1", a)
		}},
		{name: "copied when another entry's release had written last", want: model.Holds, o: o, write: func(s *script) {
			a := entered(s, "a", "1")
			r := s.release("c1", a)
			s.key(model.RecordDeleted, 3, r, on("r2"), members("a", "1"))
			s.ok(r)
		}},
		{name: "come back as another entry had written it", want: model.Holds, o: o, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, members("a", "1"))
			s.ok(a)
			b := s.acquire("c1")
			s.key(model.RecordChanged, b, b, s.from(a), members("a", "2"))
			s.ok(b)
			s.leaves("c1", b, b, "a", "1")
			s.restored(b, "a", "2")
			r := s.release("c1", a)
			s.key(model.RecordDeleted, b, r, members("a", "2"))
			s.ok(r)
		}},
		{name: "copied, of another", want: model.Violated, o: o, write: func(s *script) {
			s.free("c1", entered(s, "x", "1"))
		}},
	})
	judgeCases(t, OwnerOnlyRelease, []testCase{
		{name: "who shares removes its own", want: model.Holds, o: o, write: func(s *script) {
			a, b := s.shared()
			s.restored(b, "a", "1", "b", "1")
			s.leaves("c1", a, b, "b", "1")
		}},
		{name: "another removes it", want: model.Violated, o: o, write: func(s *script) {
			_, b := s.shared()
			s.restored(b, "a", "1", "b", "1")
			s.leaves("c2", b, b, "b", "1")
		}, sentence: "c2's release overwrote the lock of c1 while c1 held it."},
	})
}

// TestReaderAndWriter: what one holder has as a reader and as a writer are two shares.
func TestReaderAndWriter(t *testing.T) {
	o := Options{Ownership: model.HashOwnership{Writers: "w:", Readers: "r:"}, OrphanBound: 50 * ms}
	// both has c1 write, and read as well.
	both := func(s *script) (w, r int) {
		s.h.TTL = lease
		w = s.acquire("c1")
		s.key(model.RecordCreated, w, w, members("w:a", "1"))
		s.ok(w)
		r = s.acquire("c1")
		s.key(model.RecordChanged, r, r, s.from(w), members("r:a", "1", "w:a", "1"))
		return w, r
	}
	judgeCases(t, OwnerOnlyRelease, []testCase{
		{name: "a reader cleans up when the writer's share has run out", want: model.Holds, o: o, write: func(s *script) {
			_, r := both(s)
			s.sleep(2 * lease)
			s.key(model.RecordChanged, r, r, s.from(r), members("r:a", "1"))
			s.key(model.RecordDeleted, r, r, members("r:a", "1"))
			s.failed(r)
		}},
		{name: "another removes the writer's share", want: model.Violated, o: o, write: func(s *script) {
			_, r := both(s)
			s.ok(r)
			x := s.acquire("c2")
			s.key(model.RecordChanged, x, x, s.from(r), members("r:a", "1", "r:b", "1"))
			s.ok(x)
		}, sentence: "c2's acquire overwrote the lock of c1 while c1 held it."},
	})
	judgeCases(t, TruthfulRelease, []testCase{
		{name: "the writer's share is there", want: model.Holds, o: o, write: func(s *script) {
			w, r := both(s)
			s.ok(r)
			s.leaves("c1", w, r, "r:a", "1")
		}},
		{name: "only the reader's is", want: model.Violated, o: o, write: func(s *script) {
			w, r := both(s)
			s.ok(r)
			x := s.acquire("c2")
			s.key(model.RecordChanged, x, x, s.from(r), members("r:a", "1", "r:b", "1"))
			s.free("c1", w)
		}},
	})
	// waits has c2 wait for what is left.
	waits := func(s *script) {
		s.acquire("c2")
		s.sleep(100 * ms)
	}
	judgeCases(t, NoOrphan, []testCase{
		{name: "the writer's release was cancelled, the reader's not", want: model.Holds, o: o, write: func(s *script) {
			w, r := both(s)
			s.ok(r)
			c := s.release("c1", w)
			s.h.Operation(c).Cancelled = s.tick()
			s.unknown(c)
			d := s.release("c1", r)
			s.key(model.RecordChanged, d, d, s.from(r), members("w:a", "1"))
			s.ok(d)
			waits(s)
		}},
		{name: "neither was", want: model.Violated, o: o, write: func(s *script) {
			w, r := both(s)
			s.ok(r)
			s.unknown(s.release("c1", w))
			d := s.release("c1", r)
			s.key(model.RecordChanged, d, d, s.from(r), members("w:a", "1"))
			s.ok(d)
			waits(s)
		}},
	})
}

// TestSlowClockThatJumped: a clock that runs slow takes longer to make up for a jump.
func TestSlowClockThatJumped(t *testing.T) {
	counted := func(end time.Duration) func(s *script) {
		return func(s *script) {
			s.h.TTL = lease
			s.see(model.Observation{Kind: model.ClockOff, Node: "c1", Rate: -500_000})
			a := s.acquire("c1")
			s.clock("c1", -300*ms)
			s.grantFor(a, a)
			s.ok(a, until(end))
			s.expired(a)
			s.sleep(end - s.h.End.At)
		}
	}
	judgeCauses(t, LeaseHonesty, []causeCase{
		{name: "as late as the clock explains", cause: model.ClientClockOff, write: counted(790 * ms)},
		{name: "later", cause: model.ClaimedLonger, write: counted(1000 * ms)},
	})
}
