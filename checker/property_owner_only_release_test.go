package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

func TestOwnerOnlyRelease(t *testing.T) {
	const ms = time.Millisecond
	// meets is how c2's late release, of acquisition 1, meets c1's lock,
	// of acquisition 3.
	meets := func(s *script) {
		a := s.granted("c2")
		r := s.release("c2", a)
		s.key(model.RecordExpired, a, 0)
		b := s.granted("c1")
		s.key(model.RecordDeleted, b, r)
	}
	byClient := func(client string) func(*model.Observation) {
		return func(o *model.Observation) { o.By = model.Origin{Client: client, Conn: 3} }
	}
	judgeCases(t, OwnerOnlyRelease, []testCase{
		{name: "no key", want: model.NotApplicable, write: func(s *script) {
			s.free("c1", s.hold("c1"))
			s.key(model.RecordCreated, 0, 0)
			s.key(model.RecordCreated, 1, 1, replica)
		}},
		{name: "everybody their own", want: model.Holds, write: func(s *script) {
			s.freed("c1", s.granted("c1"))
			a := s.granted("c2")
			s.key(model.RecordExpired, a, 0)
			s.granted("c1")
		}},
		{name: "another's", want: model.Violated, write: meets,
			sentence: "c2's release removed the lock of c1 while c1 held it: c2's key expired on r1.",
			ops:      []int{1, 2, 3}, seqs: []int64{5, 9}},
		{name: "another's, by a command that is sent again", want: model.Violated, write: func(s *script) {
			a := s.granted("c2")
			r := s.release("c2", a)
			s.key(model.RecordDeleted, a, r)
			b := s.granted("c1")
			s.key(model.RecordDeleted, b, r)
		}, sentence: "c2's release removed the lock of c1 while c1 held it: it had deleted its own before, and deleted once more."},
		{name: "another's, on a replica", want: model.Holds, write: func(s *script) {
			meets(s)
			s.h.Observations[len(s.h.Observations)-1].Authority = ""
		}},
		{name: "by time", want: model.Holds, write: func(s *script) {
			meets(s)
			s.h.Observations[len(s.h.Observations)-1].By = model.Origin{}
		}},
		{name: "an extend removes another's", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			e := s.call("c2", model.Extend, s.hold("c2"))
			s.key(model.RecordDeleted, a, e)
		}, sentence: "c2's extend removed the lock of c1 while c1 held it.", ops: []int{1, 2, 3}},
		{name: "an acquire removes another's", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			s.key(model.RecordDeleted, a, s.acquire("c2"))
		}},
		{name: "what an extend wrote", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			e := s.call("c1", model.Extend, a)
			s.key(model.RecordChanged, e, e, s.from(a))
			s.ok(e)
			s.key(model.RecordDeleted, e, s.acquire("c2"))
		}},
		{name: "an Acquire cleans up after itself", want: model.Holds, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.key(model.RecordDeleted, a, a)
			s.failed(a)
		}},
		{name: "a lock that is being acquired", want: model.Violated, write: func(s *script) {
			x := s.hold("c2")
			r := s.release("c2", x)
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.key(model.RecordDeleted, a, r)
			s.unknown(a)
		}, sentence: "c2's release removed the lock of c1."},
		{name: "the next acquisition of the same client", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			r := s.release("c1", a)
			s.unknown(r)
			s.key(model.RecordExpired, a, 0)
			b := s.granted("c1")
			s.key(model.RecordDeleted, b, r) // the request comes late
		}, sentence: "c1's release removed the lock that c1 had acquired since while c1 held it: c1's key expired on r1."},
		{name: "what the same client had given up", want: model.Holds, write: func(s *script) {
			a := s.granted("c1")
			s.unknown(s.release("c1", a))
			b := s.acquire("c1")
			s.key(model.RecordDeleted, a, b) // a release that goes on behind
			s.key(model.RecordCreated, b, b)
			s.unknown(b)
			s.key(model.RecordDeleted, b, s.acquire("c1"))
		}},
		{name: "what the same client had before its crash", want: model.Holds, write: func(s *script) {
			a := s.granted("c1")
			s.world(model.Crashed, "c1")
			s.key(model.RecordDeleted, a, s.acquire("c1"))
		}},
		{name: "operation unknown, same process", want: model.Holds, write: func(s *script) {
			a := s.granted("c1")
			s.key(model.RecordDeleted, a, 0, byClient("c1"))
		}},
		{name: "operation unknown, another process", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			s.key(model.RecordDeleted, a, 0, byClient("c2"))
		}, sentence: "c2 removed the lock of c1 while c1 held it.", ops: []int{1}},
		{name: "a dead holder's, with an expiry", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			s.world(model.Crashed, "c1")
			s.key(model.RecordDeleted, a, s.acquire("c2"))
		}, sentence: "c2's acquire removed the lock of c1."},
		{name: "a dead holder's, for ever", want: model.Holds, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, forEver)
			s.ok(a)
			s.world(model.Crashed, "c1")
			s.key(model.RecordDeleted, a, s.acquire("c2"), forEver)
		}},
		{name: "what the same client has seen end by its clock", want: model.Holds, write: func(s *script) {
			a := s.granted("c1", until(10*ms))
			s.sleep(10 * ms)
			s.key(model.RecordDeleted, a, s.acquire("c1"))
		}},
		{name: "what the same client still believes in", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", until(10*ms))
			s.key(model.RecordDeleted, a, s.acquire("c1"))
			s.sleep(10 * ms)
		}},
		{name: "what another has seen end by its clock", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", until(10*ms))
			s.sleep(10 * ms)
			s.key(model.RecordDeleted, a, s.acquire("c2"))
		}},
		{name: "an extended lease's, for ever", want: model.Violated, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, forEver)
			s.ok(a, until(10*ms))
			s.ok(s.call("c1", model.Extend, a), until(40*ms))
			s.sleep(10 * ms)
			s.key(model.RecordDeleted, a, s.acquire("c2"), forEver)
			s.sleep(40 * ms)
		}},
		{name: "an ended lease's, for ever", want: model.Holds, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, forEver)
			s.ok(a, until(10*ms))
			s.sleep(10 * ms)
			s.key(model.RecordDeleted, a, s.acquire("c2"), forEver)
		}},
		{name: "a standing lease's, for ever", want: model.Violated, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, forEver)
			s.ok(a, until(10*ms))
			s.key(model.RecordDeleted, a, s.acquire("c2"), forEver)
			s.sleep(10 * ms)
		}},
		{name: "a pending Acquire's of long ago, for ever", want: model.Holds, write: func(s *script) {
			s.h.TTL = lease
			s.free("c2", s.hold("c2", until(10*ms)))
			x := s.acquire("c1")
			s.key(model.RecordCreated, x, x, forEver)
			s.sleep(lease)
			s.key(model.RecordDeleted, x, s.acquire("c2"), forEver)
		}},
		{name: "a pending Acquire's of long ago, which makes it anew", want: model.Holds, write: func(s *script) {
			s.h.TTL = lease
			x := s.acquire("c1")
			s.key(model.RecordCreated, x, x, forEver)
			s.sleep(lease)
			y := s.acquire("c2")
			s.key(model.RecordDeleted, x, y, forEver)
			s.key(model.RecordCreated, x, x, forEver)
			s.ok(x, until(time.Hour))
		}},
		{name: "a pending Acquire's of long ago, which claims it all the same", want: model.Violated, write: func(s *script) {
			s.h.TTL = lease
			x := s.acquire("c1")
			s.key(model.RecordCreated, x, x, forEver)
			s.sleep(lease)
			s.key(model.RecordDeleted, x, s.acquire("c2"), forEver)
			s.ok(x, until(time.Hour))
		}},
		{name: "a pending Acquire's just now, for ever", want: model.Violated, write: func(s *script) {
			s.h.TTL = lease
			s.free("c2", s.hold("c2", until(10*ms)))
			x := s.acquire("c1")
			s.key(model.RecordCreated, x, x, forEver)
			y := s.acquire("c2")
			s.sleep(lease - 10*ms)
			s.key(model.RecordDeleted, x, y, forEver)
		}, sentence: "c2's acquire removed the lock of c1."},
		{name: "a pending Acquire's of long ago, where no lease tells its end", want: model.Violated, write: func(s *script) {
			s.h.TTL = lease
			x := s.acquire("c1")
			s.key(model.RecordCreated, x, x, forEver)
			s.sleep(lease)
			s.key(model.RecordDeleted, x, s.acquire("c2"), forEver)
			s.ok(x)
		}},
	})
}

// TestOwnerOnlyReleaseOfAnEndInTheRecord: where an Ownership reads when a share ends, that end decides, and not a lease from the call:
// the lease may have been renewed since without a call, or the Acquire may have waited for it.
func TestOwnerOnlyReleaseOfAnEndInTheRecord(t *testing.T) {
	rows := model.RecordOwnership(func(r model.Record) ([]model.Share, error) {
		owner, _ := r.Value.Field("owner")
		ends, _ := r.Value.Field("ends")
		until, err := time.ParseDuration(ends)
		return []model.Share{{Holder: owner, Count: 1, Until: until}}, err
	})
	overwritten := func(after time.Duration, more ...func(s *script, a int)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			named := func(client string, ends time.Duration) func(*model.Observation) {
				return func(o *model.Observation) {
					o.Type, o.Items, o.ExpiresAt = "row", []string{"owner", client, "ends", ends.String()}, 0
				}
			}
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, named("c1", s.h.End.At+lease))
			s.ok(a)
			s.sleep(lease / 2)
			s.key(model.RecordChanged, a, 0, named("c1", s.h.End.At+lease), s.from(a), func(o *model.Observation) { o.By.Client = "c1" })
			for _, f := range more {
				f(s, a)
			}
			s.sleep(after)
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, named("c2", s.h.End.At+lease), s.from(a))
			s.ok(b)
		}
	}
	o := Options{Ownership: rows, LockKeys: []string{lockName}}
	judgeCases(t, OwnerOnlyRelease, []testCase{
		{name: "a lease after the call, and before the end", o: o, want: model.Violated, write: overwritten(lease / 2)},
		{name: "after the end", o: o, want: model.Holds, write: overwritten(lease)},
		{name: "before the end, of a lock that is being released", o: o, want: model.Holds, write: overwritten(lease/2, func(s *script, a int) { s.release("c1", a) })},
	})
}
