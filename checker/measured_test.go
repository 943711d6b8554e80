package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// measured is a lock whose record names its holder, and nobody if it is empty, and whose end clients measure.
var measured = Options{
	Ownership: model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		if r.Value.Text == "" {
			return nil, nil
		}
		return []model.Share{{Holder: r.Value.Text, Count: 1, Until: r.ExpiresAt}}, nil
	}),
	LockKeys: []string{lockName}, Terms: model.Terms{Measured: true},
}

// TestMeasuredEnds: nothing happens in the store when a record ends; clients measure for how long they have seen it unchanged. One that
// takes it over before its end is at fault, unless its clock ran fast. A jump is no excuse: it can measure by a clock without jumps.
func TestMeasuredEnds(t *testing.T) {
	names := func(client string) func(*model.Observation) {
		return func(o *model.Observation) { o.Value, o.ExpiresAt = client, o.At+lease }
	}
	// contend has c2, whose clock does something, and c1 ask for the lock.
	contend := func(s *script, clock func(*script)) (c2, c1 int) {
		s.h.TTL = lease
		if clock != nil {
			clock(s)
		}
		return s.acquire("c2"), s.acquire("c1")
	}
	// taken has c1 renew its lease once, and c2, whose clock does something, take it over later.
	taken := func(after time.Duration, clock func(*script)) func(*script) {
		return func(s *script) {
			b, a := contend(s, clock)
			at := func(o *model.Observation) { o.At = s.h.End.At }
			s.key(model.RecordCreated, a, a, at, names("c1"))
			s.ok(a)
			s.sleep(lease / 2)
			s.key(model.RecordChanged, a, 0, at, names("c1"), s.from(a), func(o *model.Observation) { o.By.Client = "c1" })
			s.paused("c1", 2*lease)
			s.sleep(after)
			s.key(model.RecordChanged, b, b, at, names("c2"), s.from(a))
			s.ok(b)
		}
	}
	fast := func(s *script) {
		s.see(model.Observation{Kind: model.ClockOff, Node: "c2", Rate: 300_000})
	}
	jumps := func(s *script) { s.clock("c2", lease) }
	for _, c := range []struct {
		name, overlap, removal string
		write                  func(*script)
	}{
		{"after its end", model.HolderStopped, "", taken(lease+10*ms, nil)},
		{"before its end", model.RemovedByAnother, model.RemovedByAnother, taken(8*lease/10, nil)},
		{"before its end, by a fast clock", model.ClientClockOff, "", taken(8*lease/10, fast)},
		{"long before its end, by a fast clock", model.RemovedByAnother, model.RemovedByAnother, taken(lease/2, fast)},
		{"before its end, by a clock that has jumped", model.RemovedByAnother, model.RemovedByAnother, taken(8*lease/10, jumps)},
	} {
		judgeCauses(t, MutualExclusion, []causeCase{{name: c.name, cause: c.overlap, o: measured, write: c.write}})
		judgeCauses(t, OwnerOnlyRelease, []causeCase{{name: c.name, cause: c.removal, o: measured, write: c.write}})
	}
	// claimed has c1 say until when its lease is valid, and c2 take it over before that.
	claimed := func(after time.Duration, clock func(*script)) func(*script) {
		return func(s *script) {
			b, a := contend(s, clock)
			s.key(model.RecordCreated, a, a, names("c1"))
			s.ok(a, until(s.h.End.At+lease-2*ms))
			s.sleep(after)
			s.key(model.RecordChanged, b, b, names("c2"), s.from(a))
			s.ok(b)
		}
	}
	judgeCauses(t, LeaseHonesty, []causeCase{
		{name: "claimed, and before its end", cause: model.RemovedByAnother, o: measured, write: claimed(8*lease/10, nil)},
		{name: "claimed, and before its end, by a fast clock", cause: model.ClientClockOff, o: measured, write: claimed(8*lease/10, fast)},
		{name: "claimed, and long before its end, by a fast clock", cause: model.RemovedByAnother, o: measured, write: claimed(lease/2, fast)},
	})
}

// TestReleaseOfASuccessorsRecord: a record that a release empties must be the releaser's own.
func TestReleaseOfASuccessorsRecord(t *testing.T) {
	released := func(own bool) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			ends := func(name string) func(*model.Observation) {
				return func(o *model.Observation) { o.Value, o.ExpiresAt = name, s.h.End.At+lease }
			}
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, ends("c1"))
			s.ok(a)
			x := a
			if !own {
				s.sleep(lease + 10*ms)
				b := s.acquire("c2")
				s.key(model.RecordChanged, b, b, ends("c2"), s.from(a))
				s.ok(b)
				x = b
			}
			r := s.release("c1", a)
			s.key(model.RecordChanged, r, r, s.from(x), func(o *model.Observation) { o.Value, o.ExpiresAt = "", 0 })
			s.ok(r)
		}
	}
	judgeCases(t, OwnerOnlyRelease, []testCase{
		{name: "its own", o: measured, want: model.Holds, write: released(true)},
		{name: "its successor's", o: measured, want: model.Violated, write: released(false)},
	})
}
