package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// change is a value that a request puts in place of the one before.
func (s *script) change(by, from int, text string, with ...func(*model.Observation)) {
	s.key(model.RecordChanged, by, by, append(with, s.from(from), value(text))...)
}

// lists is a queue with names in it.
func lists(key string, names ...string) func(*model.Observation) {
	return func(o *model.Observation) { o.Key, o.Type, o.Items, o.ExpiresAt = key, "list", names, 0 }
}

// back has the node restart, without a record, and with an earlier one.
func (s *script) back(dropped int, what func(*model.Observation), earlier int, with ...func(*model.Observation)) {
	s.world(model.Crashed, "r1")
	s.see(model.Observation{Kind: model.Returned, Node: "r1", Authority: "r1"})
	s.key(model.RecordDropped, dropped, 0, what)
	s.key(model.RecordCreated, earlier, earlier, with...)
}

// TestNamedOnce: a name is that of the acquisition that has written it for itself. What is
// written beside it, or comes back with a node, names nobody else.
func TestNamedOnce(t *testing.T) {
	// handed has c1 hand the lock to c2, whose name is in the queue, and in what then writes.
	handed := func(then func(s *script, z int)) func(*script) {
		return func(s *script) {
			a := s.takes("c1", "a")
			y, z := s.acquire("c2"), s.acquire("c3")
			s.key(model.RecordCreated, y, y, lists("queue", "b"))
			then(s, z)
			s.hands(a, "b")
			s.ok(y)
			s.ok(s.release("c2", y))
		}
	}
	behind := func(s *script, z int) { s.key(model.RecordChanged, z, z, lists("queue", "b", "c")) }
	judgeCases(t, TruthfulRelease, []testCase{
		{name: "by one", want: model.Holds, write: handed(func(*script, int) {})},
		{name: "by another too", want: model.Violated, write: handed(func(s *script, z int) {
			s.key(model.RecordCreated, z, z, lists("queue3", "b"))
		}), sentence: "c2 was told that it had released the lock, which it did not hold any more."},
		{name: "behind the name of another", want: model.Holds, write: handed(behind)},
		{name: "behind the name of another, and came back with the node", want: model.Holds, write: handed(func(s *script, z int) {
			behind(s, z)
			s.back(z, lists("queue", "b", "c", "d"), z, lists("queue", "b", "c"))
		})},
	})
}

// TestHandedOn: who has been handed the lock, and gives it up to the next, is not named by the
// name of that.
func TestHandedOn(t *testing.T) {
	const untrue = "c3 was told that it had released the lock, which it did not hold any more."
	// again has c1 hand the lock to c3, whom c2 has named, too.
	again := func(names func(s *script, y int)) func(*script) {
		return func(s *script) {
			z, y := s.acquire("c3"), s.acquire("c2")
			s.key(model.RecordCreated, z, z, lists("queue", "c"))
			s.failed(z)
			names(s, y)
			s.failed(y)
			a := s.takes("c1", "a")
			z = s.acquire("c3")
			s.hands(a, "c")
			s.ok(z)
			s.ok(s.release("c3", z))
		}
	}
	passes := func(with ...func(*model.Observation)) func(s *script, y int) {
		return func(s *script, y int) {
			s.key(model.RecordCreated, y, y, value("b"))
			s.change(y, y, "c", with...)
			s.key(model.RecordExpired, y, 0, value("c"))
		}
	}
	judgeCases(t, TruthfulRelease, []testCase{
		{name: "in place of one's own", want: model.Holds, write: again(passes())},
		{name: "and copied", want: model.Holds, write: again(func(s *script, y int) {
			passes()(s, y)
			s.key(model.RecordCreated, y, y, replica, value("b"))
			s.key(model.RecordChanged, y, y, replica, s.from(y), value("c"))
		})},
		{name: "as one's own", want: model.Violated, write: again(func(s *script, y int) {
			s.key(model.RecordCreated, y, y, value("c"))
			s.key(model.RecordExpired, y, 0, value("c"))
		}), sentence: untrue},
	})
	// left has c1 put c2's name in place of what somebody has left in the lock.
	left := func(client string) func(*script) {
		return func(s *script) {
			a := s.takes(client, "a")
			s.failed(s.release(client, a))
			y := s.acquire("c2")
			s.queue(y, "b")
			x := s.acquire("c1")
			s.change(x, a, "b")
			s.unknown(x)
			s.ok(y)
			s.ok(s.release("c2", y))
		}
	}
	judgeCases(t, TruthfulRelease, []testCase{
		{name: "in place of what the thread had left", want: model.Holds, write: left("c1")},
		{name: "in place of what another had", want: model.Violated, write: left("c3"),
			sentence: "c2 was told that it had released the lock, which it did not hold any more."},
	})
}

// TestHandedTooLate: what is handed to a waiter that has given up is its own, unless another of
// its process succeeds by it.
func TestHandedTooLate(t *testing.T) {
	late := func(then func(s *script, y, again int)) func(*script) {
		return func(s *script) {
			a := s.takes("c1", "a")
			y := s.acquire("c2")
			s.queue(y, "b")
			s.unknown(y)
			again := s.acquire("c2")
			s.hands(a, "b")
			then(s, y, again)
		}
	}
	removes := func(s *script, y int) { s.key(model.RecordDeleted, 4, y, value("b")) }
	judgeCases(t, OwnerOnlyRelease, []testCase{
		{name: "and removed by its own late request", want: model.Holds, o: Options{Ownership: named}, write: late(func(s *script, y, again int) {
			removes(s, y)
			s.key(model.RecordCreated, again, again, value("b2"))
			s.ok(again)
		})},
		{name: "and removed when another has succeeded by it", want: model.Violated, o: Options{Ownership: named}, write: late(func(s *script, y, again int) {
			s.ok(again)
			removes(s, y)
		}), sentence: "c2's acquire removed the lock that c2 had acquired since while c2 held it."},
		{name: "and removed when another has succeeded by another", want: model.Holds, o: Options{Ownership: named}, write: late(func(s *script, y, again int) {
			s.key(model.RecordCreated, again, again, on("r2"), value("b2"))
			s.ok(again)
			removes(s, y)
		})},
		{name: "and removed before another succeeded by the next", want: model.Holds, o: Options{Ownership: named}, write: late(func(s *script, y, again int) {
			removes(s, y)
			s.hands(s.takes("c1", "a2"), "b")
			s.ok(again)
		})},
	})
}

// ended is an ownership by which the value names the holder, until the time that the
// observation shows.
var ended = model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
	if r.Key != lockName {
		return nil, nil
	}
	return []model.Share{{Holder: r.Value.Text, Count: 1, Until: r.ExpiresAt}}, nil
})

// TestTakenAgain: an Acquire that writes the record anew gives nothing up if its own grant had
// ended, or if it succeeds by what it writes. So it is known who has the lock.
func TestTakenAgain(t *testing.T) {
	retried := func(sleep time.Duration, answer func(s *script, y int)) func(*script) {
		return func(s *script) {
			y, z := s.acquire("c2"), s.acquire("c3")
			s.key(model.RecordCreated, y, y, value("b1"), expires(100*ms))
			s.sleep(sleep)
			s.change(y, y, "b2", expires(time.Hour))
			answer(s, y)
			s.ok(z)
		}
	}
	ok := func(s *script, y int) { s.ok(y) }
	const untrue = "c3 was told that it had acquired the lock, which the store had not given to it, but to c2."
	judgeCases(t, TruthfulAcquire, []testCase{
		{name: "when its own had ended", want: model.Violated, o: Options{Ownership: ended}, write: retried(200*ms, (*script).failed), sentence: untrue},
		{name: "when its own stood, and it failed", want: model.Holds, o: Options{Ownership: ended}, write: retried(0, (*script).failed)},
		{name: "when its own stood, and it succeeded", want: model.Violated, o: Options{Ownership: ended}, write: retried(0, ok), sentence: untrue},
	})
	// parted has c2 try again on the server that was promoted, and c3 take what c2 had on the one
	// that is cut off.
	parted := func(sleep time.Duration) func(*script) {
		return func(s *script) {
			y, z := s.acquire("c2"), s.acquire("c3")
			s.key(model.RecordCreated, y, y, value("b1"), expires(100*ms))
			s.key(model.RecordCreated, y, y, value("b1"), expires(100*ms), replica)
			s.world(model.Parted, "r1")
			s.see(model.Observation{Kind: model.Promoted, Node: "r2", Authority: "r2"})
			s.sleep(sleep)
			s.change(y, y, "b2", expires(time.Hour), on("r2"))
			s.ok(y, until(time.Hour))
			s.change(z, y, "c", expires(time.Hour))
			s.ok(z, until(time.Hour))
		}
	}
	judgeCases(t, NoOrphan, []testCase{{name: "by the same name", want: model.Violated, o: Options{OrphanBound: 50 * ms}, write: func(s *script) {
		w := s.acquire("c1")
		s.key(model.RecordCreated, w, w, value("b"))
		s.unknown(w)
		x := s.acquire("c1")
		s.change(x, w, "b")
		s.failed(x)
		s.acquire("c2")
		s.sleep(200 * ms)
	}, ops: []int{2, 3}}})
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "on another server", cause: model.StoreForgot, o: Options{Ownership: ended}, write: parted(200 * ms)},
	})
}

// TestLeftFree: what an Acquire puts in place of its own, and does not succeed by, is nobody's.
// Who takes the lock then overwrites nobody.
func TestLeftFree(t *testing.T) {
	put := func(text string, then func(s *script, x int)) func(*script) {
		return func(s *script) {
			x := s.acquire("c1")
			s.key(model.RecordCreated, x, x, value("a"))
			s.change(x, x, text)
			y := s.acquire("c2")
			s.change(y, x, "b")
			s.ok(y)
			then(s, x)
		}
	}
	judgeCases(t, OwnerOnlyRelease, []testCase{
		{name: "it waits on", want: model.NotApplicable, write: put("free", func(*script, int) {})},
		{name: "it fails", want: model.NotApplicable, write: put("free", func(s *script, x int) { s.failed(x) })},
		{name: "it succeeds by a later one", want: model.NotApplicable, write: put("free", func(s *script, x int) {
			s.key(model.RecordDeleted, 2, s.release("c2", 2), value("b"))
			s.key(model.RecordCreated, x, x, value("a2"))
			s.ok(x)
		})},
		{name: "it succeeds by that", want: model.Violated, write: put("a2", func(s *script, x int) { s.ok(x) }),
			sentence: "c2's acquire overwrote the lock of c1."},
		{name: "in place of what its thread had left", want: model.NotApplicable, write: func(s *script) {
			w := s.acquire("c1")
			s.key(model.RecordCreated, w, w, value("a"))
			s.unknown(w)
			x := s.acquire("c1")
			s.change(x, w, "free")
			y := s.acquire("c2")
			s.change(y, x, "b")
			s.ok(y)
		}},
	})
}

// TestCauseBesideWhatWasLeft: a value that nobody is known to own is no grant of an
// acquisition that had succeeded before, nor of one that began after and has its own.
func TestCauseBesideWhatWasLeft(t *testing.T) {
	judgeCauses(t, MutualExclusion, []causeCase{{name: "taken, and forgotten before the answer", cause: model.StoreForgot, write: func(s *script) {
		a := s.takes("c1", "a")
		y, z := s.acquire("c2"), s.acquire("c3")
		s.hands(a, "free")
		s.change(y, 4, "b")
		s.world(model.Crashed, "r1")
		s.see(model.Observation{Kind: model.Returned, Node: "r1", Authority: "r1"})
		s.key(model.RecordDropped, y, 0, value("b"))
		a = s.takes("c1", "a2")
		s.hands(a, "free again")
		s.change(z, 6, "c")
		s.ok(y, until(time.Hour))
		s.ok(z)
	}}, {name: "left after it had succeeded", cause: model.ClientClockOff, write: func(s *script) {
		s.h.TTL = lease
		a := s.acquire("c1")
		s.clock("c1", -80*ms)
		s.key(model.RecordCreated, a, a, value("a"), expires(100*ms))
		s.ok(a, until(180*ms))
		s.sleep(100*ms - s.h.End.At - ms)
		s.key(model.RecordExpired, a, 0, value("a"), expires(100*ms))
		b := s.takes("c2", "b")
		c := s.acquire("c3")
		r := s.release("c2", b)
		s.change(r, b, "free")
		s.ok(r)
		s.change(c, r, "c")
		s.ok(c, until(s.h.End.At+lease))
		s.sleep(10 * ms)
	}}})
	judgeCauses(t, LeaseHonesty, []causeCase{{name: "left before it was called", cause: model.StoreForgot, write: func(s *script) {
		s.h.TTL = lease
		w := s.acquire("c1")
		s.key(model.RecordCreated, w, w, value("a"), expires(time.Second))
		s.change(w, w, "free", expires(time.Second))
		s.unknown(w)
		a := s.acquire("c1")
		s.change(a, w, "a2", expires(time.Second))
		s.ok(a, until(time.Second))
		s.world(model.Crashed, "r1")
		s.see(model.Observation{Kind: model.Returned, Node: "r1", Authority: "r1"})
		s.key(model.RecordChanged, a, 0, s.from(a), value("a2"), expires(10*ms))
		s.key(model.RecordExpired, a, 0, value("a2"), expires(10*ms))
		s.sleep(50 * ms)
	}}})
}
