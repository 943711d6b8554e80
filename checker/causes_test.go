package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// lease is how long leases are in histories about causes.
const lease = 100 * ms

// leasedOut acquires at once, and the store gives away the key for a lease.
func (s *script) leasedOut(client string, with ...func(*model.Operation)) int {
	s.h.TTL = lease
	id := s.acquire(client)
	s.grantFor(id, id)
	s.ok(id, with...)
	return id
}

// grantFor is the key given, or prolonged, for a lease from now on.
func (s *script) grantFor(acq, by int, with ...func(*model.Observation)) {
	kind := model.RecordCreated
	if acq != by {
		kind = model.RecordChanged
		with = append(with, s.from(acq))
	}
	s.key(kind, acq, by, append(with, expires(s.h.End.At+ms+lease))...)
}

// expired lets the lease end of which the key was last given.
func (s *script) expired(acq int) {
	last := s.h.Observations[len(s.h.Observations)-1]
	for _, o := range s.h.Observations {
		if o.Key == lockName && o.ExpiresAt != 0 {
			last = o
		}
	}
	s.sleep(last.ExpiresAt - s.h.End.At - ms)
	s.key(model.RecordExpired, acq, 0)
}

func (s *script) paused(node string, d time.Duration) {
	s.see(model.Observation{Kind: model.Paused, Node: node, For: d})
}

func (s *script) late(node string, op int, d time.Duration) {
	s.see(model.Observation{Kind: model.Delayed, Node: node, By: model.Origin{Client: node, Op: op}, For: d})
}

func (s *script) clock(node string, by time.Duration) {
	s.see(model.Observation{Kind: model.ClockJumped, Node: node, Ahead: by})
}

// causeCase is a history, and the cause of the violation of a property in it; none if
// it is not violated.
type causeCase struct {
	name, cause string
	o           Options
	write       func(*script)
}

func judgeCauses(t *testing.T, property string, cases []causeCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var s script
			c.write(&s)
			h := s.history()
			v := Check(h, c.o, property)[0]
			if (v.Status == model.Violated) != (c.cause != "") || v.Cause != c.cause {
				t.Errorf("%s, cause %q (%s), want %q", v.Status, v.Cause, v.Sentence, c.cause)
			}
			if v.Limit != model.CauseOf(c.cause).Limit {
				t.Errorf("limit %t", v.Limit)
			}
			wellFormed(t, h, v)
		})
	}
}

// TestCauseOfOverlap has each cause, and the nearest history of another, on the
// other side of the line.
func TestCauseOfOverlap(t *testing.T) {
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "stopped", cause: model.HolderStopped, write: func(s *script) {
			a := s.leasedOut("c1")
			s.paused("c1", 200*ms)
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "another was stopped", cause: model.HeldTooLong, write: func(s *script) {
			a := s.leasedOut("c1")
			s.paused("c2", 50*ms)
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "stopped too shortly to matter", cause: model.HeldTooLong, write: func(s *script) {
			a := s.leasedOut("c1")
			s.paused("c1", 5*ms)
			s.expired(a)
			s.sleep(20 * ms)
			s.leasedOut("c2")
		}},
		{name: "an access was late", cause: model.HolderLate, write: func(s *script) {
			a := s.leasedOut("c1")
			w := s.call("c1", model.Write, a)
			s.late("c1", w, 150*ms)
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "cut off", cause: model.HolderCutOff, write: func(s *script) {
			a := s.leasedOut("c1")
			s.see(model.Observation{Kind: model.Parted, Node: "r1", For: 150 * ms})
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "who chooses the primary was cut off", cause: model.HeldTooLong, o: Options{Servers: [][]string{{"r1"}}}, write: func(s *script) {
			a := s.leasedOut("c1")
			s.see(model.Observation{Kind: model.Parted, Node: "s1", For: 150 * ms, Sides: &model.Sides{A: []string{"s1"}, B: []string{"r1", "c1"}}})
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "who chooses the primary was cut off with the holder", cause: model.HolderCutOff, o: Options{Servers: [][]string{{"r1"}}}, write: func(s *script) {
			a := s.leasedOut("c1")
			s.see(model.Observation{Kind: model.Parted, Node: "s1", For: 150 * ms, Sides: &model.Sides{A: []string{"s1", "c1"}, B: []string{"r1"}}})
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "the answer came too late", cause: model.AcquiredTooLate, write: func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.grantFor(a, a)
			s.late("r1", a, 150*ms)
			s.expired(a)
			b := s.acquire("c2")
			s.grantFor(b, b)
			s.sleep(20 * ms)
			s.ok(a)
			s.ok(b)
		}},
		{name: "stopped with the answer in hand", cause: model.HolderStopped, write: func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.grantFor(a, a)
			s.paused("c1", 150*ms)
			s.expired(a)
			b := s.leasedOut("c2")
			s.sleep(40 * ms)
			s.world(model.Resumed, "c1")
			s.h.Operation(a).Return = s.h.End
			s.h.Operation(a).Result = model.OK
			s.sleep(20 * ms)
			s.freed("c2", b)
		}},
		{name: "counted from the answer", cause: model.ClaimedLonger, write: func(s *script) {
			a := s.leasedOut("c1", until(150*ms))
			s.paused("c1", 300*ms)
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "counted by a clock that jumped", cause: model.ClientClockOff, write: func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.clock("c1", -80*ms)
			s.grantFor(a, a)
			s.ok(a, until(150*ms))
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "forgotten", cause: model.StoreForgot, write: func(s *script) {
			s.leasedOut("c1", until(90*ms))
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			b := s.acquire("c2")
			s.grantFor(b, b, on("r2"))
			s.ok(b)
		}},
		{name: "forgotten, and over as granted", cause: model.ClaimedLonger, write: func(s *script) {
			s.leasedOut("c1", until(300*ms))
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.sleep(150 * ms)
			b := s.acquire("c2")
			s.grantFor(b, b, on("r2"))
			s.ok(b)
		}},
		{name: "ended early by the store's clock", cause: model.StoreClockJumped, write: func(s *script) {
			a := s.leasedOut("c1", until(90*ms))
			s.clock("r1", 200*ms)
			s.key(model.RecordExpired, a, 0)
			s.leasedOut("c2")
		}},
		{name: "removed by another", cause: model.RemovedByAnother, write: func(s *script) {
			x := s.leasedOut("c2")
			r := s.release("c2", x)
			s.expired(x)
			a := s.leasedOut("c1", until(300*ms))
			s.paused("c1", 50*ms)
			s.key(model.RecordDeleted, a, r)
			s.leasedOut("c3")
		}},
		{name: "overwritten by another", cause: model.RemovedByAnother, write: func(s *script) {
			a := s.leasedOut("c1")
			s.paused("c1", 300*ms)
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, s.from(a), expires(s.h.End.At+lease))
			s.ok(b)
		}},
		{name: "removed by itself", cause: model.RemovedByItself, write: func(s *script) {
			a := s.leasedOut("c1")
			e := s.call("c1", model.Extend, a)
			s.key(model.RecordDeleted, a, e)
			s.ok(e)
			s.leasedOut("c2")
		}},
		{name: "never granted", cause: model.NeverGranted, write: func(s *script) {
			s.leasedOut("c1")
			s.late("c2", 2, 300*ms)
			s.hold("c2")
		}},
		{name: "forgotten, but for what the client had before by another name", cause: model.StoreForgot, o: Options{Ownership: model.HashOwnership{}}, write: func(s *script) {
			fields := func(items ...string) func(*model.Observation) {
				return func(o *model.Observation) { o.Type, o.Items = "hash", items }
			}
			x := s.acquire("c1")
			s.grantFor(x, x, fields("x", "1"))
			s.key(model.RecordCreated, x, x, replica, fields("x", "1"))
			s.ok(x)
			s.freed("c1", x) // which the replica does not hear of
			s.world(model.Promoted, "r2")
			a := s.acquire("c1")
			s.grantFor(a, a, fields("a", "1")) // by the old primary
			s.ok(a, until(90*ms))
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, on("r2"), s.from(x), fields("x", "1", "b", "1"))
			s.ok(b, until(90*ms))
		}},
		{name: "nothing is known of the store", cause: model.NotEstablished, write: func(s *script) {
			s.hold("c1")
			s.hold("c2")
		}},
		{name: "nothing but that it failed over", cause: model.StoreForgot, write: func(s *script) {
			s.hold("c1")
			s.key(model.RecordCreated, 0, 0, func(o *model.Observation) { o.Key = "other" })
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.hold("c2")
		}},
		{name: "nothing but that the old primary goes on", cause: model.StoreForgot, write: func(s *script) {
			s.key(model.RecordCreated, 0, 0, func(o *model.Observation) { o.Key = "other" })
			s.world(model.Promoted, "r2")
			s.hold("c1")
			s.hold("c2")
		}},
		{name: "nothing but that a primary is seen beside the one that was promoted", cause: model.StoreForgot, write: func(s *script) {
			s.world(model.Promoted, "r2")
			s.hold("c1")
			s.key(model.RecordCreated, 0, 0, func(o *model.Observation) { o.Key = "other" })
			s.hold("c2")
		}},
		{name: "nothing but that the old primary has gone on, and is back", cause: model.NotEstablished, write: func(s *script) {
			s.key(model.RecordCreated, 0, 0, func(o *model.Observation) { o.Key = "other" })
			s.world(model.Promoted, "r2")
			s.world(model.Returned, "r1")
			s.hold("c1")
			s.hold("c2")
		}},
		{name: "nothing but a failover that lost nothing", cause: model.NotEstablished, write: func(s *script) {
			other := func(o *model.Observation) { o.Key = "other" }
			s.hold("c1")
			s.key(model.RecordCreated, 0, 0, other)
			s.key(model.RecordCreated, 0, 0, replica, other)
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.hold("c2")
		}},
		{name: "to both", cause: model.GrantedToBoth, o: Options{Ownership: model.HashOwnership{}}, write: func(s *script) {
			fields := func(items ...string) func(*model.Observation) {
				return func(o *model.Observation) { o.Type, o.Items = "hash", items }
			}
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, fields("a", "1"))
			s.ok(a)
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, s.from(a), fields("a", "1", "b", "1"))
			s.ok(b)
		}},
	})
}
