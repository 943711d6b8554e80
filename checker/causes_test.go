package checker

import (
	"slices"
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

// connected acquires what lives with the client's connection, and signals its loss.
func (s *script) connected(client string) int {
	s.h.TTL = lease
	id := s.acquire(client)
	s.key(model.RecordCreated, id, id, inSession("connection 1"))
	s.ok(id, func(op *model.Operation) { op.Notifies = true })
	return id
}

// disconnected ends the connection.
func (s *script) disconnected(acq int, broken bool) {
	s.key(model.RecordExpired, acq, 0, inSession("connection 1"), func(o *model.Observation) { o.Broken = broken })
}

func inSession(name string) func(*model.Observation) {
	return func(o *model.Observation) { o.Session, o.ExpiresAt = name, 0 }
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
		{name: "stopped", cause: HolderStopped, write: func(s *script) {
			a := s.leasedOut("c1")
			s.paused("c1", 200*ms)
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "another was stopped", cause: HeldTooLong, write: func(s *script) {
			a := s.leasedOut("c1")
			s.paused("c2", 50*ms)
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "stopped too shortly to matter", cause: HeldTooLong, write: func(s *script) {
			a := s.leasedOut("c1")
			s.paused("c1", 5*ms)
			s.expired(a)
			s.sleep(20 * ms)
			s.leasedOut("c2")
		}},
		{name: "an access was late", cause: HolderLate, write: func(s *script) {
			a := s.leasedOut("c1")
			w := s.call("c1", model.Write, a)
			s.late("c1", w, 150*ms)
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "cut off", cause: HolderCutOff, write: func(s *script) {
			a := s.leasedOut("c1")
			s.see(model.Observation{Kind: model.Parted, Node: "r1", For: 150 * ms})
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "its connection broke, and it notices", cause: HolderCutOff, write: func(s *script) {
			a := s.connected("c1")
			s.disconnected(a, true)
			s.leasedOut("c2")
			s.lost(a)
		}},
		{name: "its connection broke, and it does not notice", cause: NotTold, write: func(s *script) {
			a := s.connected("c1")
			s.disconnected(a, true)
			s.leasedOut("c2")
			s.sleep(lease)
			s.lost(a)
		}},
		{name: "its connection broke when it was cut off", cause: HolderCutOff, write: func(s *script) {
			a := s.connected("c1")
			s.see(model.Observation{Kind: model.Parted, Node: "r1", For: 150 * ms})
			s.disconnected(a, true)
			s.leasedOut("c2")
			s.sleep(lease)
			s.lost(a)
		}},
		{name: "it closed its connection, and is told", cause: HeldTooLong, write: func(s *script) {
			a := s.connected("c1")
			s.disconnected(a, false)
			s.leasedOut("c2")
			s.lost(a)
		}},
		{name: "the answer came too late", cause: AcquiredTooLate, write: func(s *script) {
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
		{name: "stopped with the answer in hand", cause: HolderStopped, write: func(s *script) {
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
		{name: "counted from the answer", cause: ClaimedLonger, write: func(s *script) {
			a := s.leasedOut("c1", until(150*ms))
			s.paused("c1", 300*ms)
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "counted by a clock that jumped", cause: ClientClockOff, write: func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.clock("c1", -80*ms)
			s.grantFor(a, a)
			s.ok(a, until(150*ms))
			s.expired(a)
			s.leasedOut("c2")
		}},
		{name: "forgotten", cause: StoreForgot, write: func(s *script) {
			s.leasedOut("c1", until(90*ms))
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			b := s.acquire("c2")
			s.grantFor(b, b, on("r2"))
			s.ok(b)
		}},
		{name: "forgotten, and over as granted", cause: ClaimedLonger, write: func(s *script) {
			s.leasedOut("c1", until(300*ms))
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.sleep(150 * ms)
			b := s.acquire("c2")
			s.grantFor(b, b, on("r2"))
			s.ok(b)
		}},
		{name: "ended early by the store's clock", cause: StoreClockJumped, write: func(s *script) {
			a := s.leasedOut("c1", until(90*ms))
			s.clock("r1", 200*ms)
			s.key(model.RecordExpired, a, 0)
			s.leasedOut("c2")
		}},
		{name: "removed by another", cause: RemovedByAnother, write: func(s *script) {
			x := s.leasedOut("c2")
			r := s.release("c2", x)
			s.expired(x)
			a := s.leasedOut("c1", until(300*ms))
			s.paused("c1", 50*ms)
			s.key(model.RecordDeleted, a, r)
			s.leasedOut("c3")
		}},
		{name: "overwritten by another", cause: RemovedByAnother, write: func(s *script) {
			a := s.leasedOut("c1")
			s.paused("c1", 300*ms)
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, s.from(a), expires(s.h.End.At+lease))
			s.ok(b)
		}},
		{name: "removed by itself", cause: RemovedByItself, write: func(s *script) {
			a := s.leasedOut("c1")
			e := s.call("c1", model.Extend, a)
			s.key(model.RecordDeleted, a, e)
			s.ok(e)
			s.leasedOut("c2")
		}},
		{name: "never granted", cause: NeverGranted, write: func(s *script) {
			s.leasedOut("c1")
			s.late("c2", 2, 300*ms)
			s.hold("c2")
		}},
		{name: "forgotten, but for what the client had before by another name", cause: StoreForgot, o: Options{Ownership: model.HashOwnership{}}, write: func(s *script) {
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
		{name: "nothing is known of the store", cause: NotEstablished, write: func(s *script) {
			s.hold("c1")
			s.hold("c2")
		}},
		{name: "nothing but that it failed over", cause: StoreForgot, write: func(s *script) {
			s.hold("c1")
			s.key(model.RecordCreated, 0, 0, func(o *model.Observation) { o.Key = "other" })
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.hold("c2")
		}},
		{name: "nothing but that the old primary goes on", cause: StoreForgot, write: func(s *script) {
			s.key(model.RecordCreated, 0, 0, func(o *model.Observation) { o.Key = "other" })
			s.world(model.Promoted, "r2")
			s.hold("c1")
			s.hold("c2")
		}},
		{name: "nothing but that a primary is seen beside the one that was promoted", cause: StoreForgot, write: func(s *script) {
			s.world(model.Promoted, "r2")
			s.hold("c1")
			s.key(model.RecordCreated, 0, 0, func(o *model.Observation) { o.Key = "other" })
			s.hold("c2")
		}},
		{name: "nothing but that the old primary has gone on, and is back", cause: NotEstablished, write: func(s *script) {
			s.key(model.RecordCreated, 0, 0, func(o *model.Observation) { o.Key = "other" })
			s.world(model.Promoted, "r2")
			s.world(model.Returned, "r1")
			s.hold("c1")
			s.hold("c2")
		}},
		{name: "nothing but a failover that lost nothing", cause: NotEstablished, write: func(s *script) {
			other := func(o *model.Observation) { o.Key = "other" }
			s.hold("c1")
			s.key(model.RecordCreated, 0, 0, other)
			s.key(model.RecordCreated, 0, 0, replica, other)
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.hold("c2")
		}},
		{name: "to both", cause: GrantedToBoth, o: Options{Ownership: model.HashOwnership{}}, write: func(s *script) {
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

// TestCauseOfUntoldLoss: leases that renew themselves, or tell of their loss.
func TestCauseOfUntoldLoss(t *testing.T) {
	// watched has c1 hold a lease that is renewed once, by the process or for
	// nobody, and c2 take the lock when it has ended.
	watched := func(s *script, with ...func(*model.Operation)) (a int) {
		a = s.leasedOut("c1", with...)
		s.sleep(30 * ms)
		s.grantFor(a, 0, func(o *model.Observation) { o.By = model.Origin{Client: "c1", Conn: 1} })
		return a
	}
	then := func(s *script, a int) {
		s.expired(a)
		s.leasedOut("c2")
	}
	cases := []causeCase{
		{name: "never told, and running", cause: NotTold, write: func(s *script) {
			a := watched(s, notifies)
			s.late("c1", 0, 300*ms)
			then(s, a)
			s.sleep(50 * ms)
		}},
		{name: "renews itself, tells nothing, and running", cause: NotTold, write: func(s *script) {
			a := watched(s)
			s.late("c1", 0, 300*ms)
			then(s, a)
			s.sleep(50 * ms)
		}},
		{name: "told in time, for the renewal was late", cause: HolderLate, write: func(s *script) {
			a := watched(s, notifies)
			s.late("c1", 0, 300*ms)
			then(s, a)
			s.lost(a)
		}},
		{name: "told in time, but nothing was late", cause: HeldTooLong, write: func(s *script) {
			a := watched(s, notifies)
			then(s, a)
			s.lost(a)
		}},
		{name: "told when it went on", cause: HolderStopped, write: func(s *script) {
			a := watched(s, notifies)
			s.paused("c1", 300*ms)
			then(s, a)
			s.sleep(150 * ms)
			s.world(model.Resumed, "c1")
			s.lost(a)
		}},
	}
	judgeCauses(t, MutualExclusion, cases)
	told := map[string]string{HolderLate: "", HeldTooLong: "", HolderStopped: "", NotTold: NotTold}
	for i := range cases {
		cases[i].cause = told[cases[i].cause]
	}
	judgeCauses(t, TimelyLoss, append(cases,
		causeCase{name: "has an end", write: func(s *script) {
			s.expired(watched(s, notifies, until(90*ms)))
			s.sleep(50 * ms)
		}},
		causeCase{name: "is not renewed and tells nothing", write: func(s *script) {
			s.expired(s.leasedOut("c1"))
			s.sleep(50 * ms)
		}},
		causeCase{name: "forgotten, and told by its clock", write: func(s *script) {
			a := watched(s, notifies)
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.sleep(80 * ms)
			s.lost(a)
		}},
	))
}

// TestCauseOfTakeover: a lock that keeps the end of its lease in the value.
func TestCauseOfTakeover(t *testing.T) {
	taken := func(after time.Duration, more ...func(*script)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, forEver, func(o *model.Observation) { o.Value = "one" })
			s.ok(a)
			for _, f := range more {
				f(s)
			}
			s.sleep(after)
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, s.from(a), forEver, func(o *model.Observation) { o.Value = "two" })
			s.ok(b)
		}
	}
	stop := func(s *script) { s.paused("c1", 300*ms) }
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "when it was over", cause: HolderStopped, write: taken(100*ms, stop)},
		{name: "before", cause: RemovedByAnother, write: taken(50*ms, stop)},
	})
	judgeCauses(t, OwnerOnlyRelease, []causeCase{
		{name: "when it was over", write: taken(100*ms, stop)},
		{name: "before", cause: RemovedByAnother, write: taken(50*ms, stop)},
	})
}

// TestCauseOnSeveralNodes: the majority counts.
func TestCauseOnSeveralNodes(t *testing.T) {
	// lost has c1's lease on these nodes, of which something befalls one.
	lost := func(nodes []string, befalls func(*script, int)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			for _, n := range nodes {
				s.grantFor(a, a, on(n))
			}
			s.ok(a, until(90*ms))
			befalls(s, a)
			b := s.acquire("c2")
			s.grantFor(b, b, on("r2"))
			s.grantFor(b, b, on("r3"))
			s.ok(b, until(120*ms))
		}
	}
	o := Options{Nodes: 3}
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "one of the majority forgets", cause: StoreForgot, o: o, write: lost([]string{"r1", "r2"}, func(s *script, a int) {
			s.key(model.RecordDropped, a, 0, on("r2"))
		})},
		{name: "one of the majority is robbed", cause: RemovedByAnother, o: o, write: lost([]string{"r1", "r2"}, func(s *script, a int) {
			s.key(model.RecordDeleted, a, s.acquire("c2"), on("r2"))
		})},
		{name: "it was no majority", cause: NeverGranted, o: o, write: lost([]string{"r1"}, func(*script, int) {})},
	})
	judgeCauses(t, TruthfulAcquire, []causeCase{
		{name: "one of the majority forgets", o: o, write: lost([]string{"r1", "r2"}, func(s *script, a int) {
			s.key(model.RecordDropped, a, 0, on("r2"))
		})},
		{name: "it was no majority", cause: NeverGranted, o: o, write: lost([]string{"r1"}, func(*script, int) {})},
	})
}

// TestCauseOfALeaseThatIsNeverWhole has a lease that needs two servers, of which the
// first ends before the second is there.
func TestCauseOfALeaseThatIsNeverWhole(t *testing.T) {
	acquired := func(nodes []string, back time.Duration) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			if slices.Contains(nodes, "r1") {
				s.grantFor(a, a)
				s.clock("c1", -back)
				s.expired(a)
			}
			s.sleep(20 * ms)
			s.grantFor(a, a, on("r2"))
			s.ok(a, until(s.h.End.At+50*ms))
			s.sleep(100 * ms)
		}
	}
	both := []string{"r1", "r2"}
	o := Options{Nodes: 2}
	judgeCauses(t, TruthfulAcquire, []causeCase{
		{name: "its clock is back by more", o: o, write: acquired(both, 200*ms)},
		{name: "its clock is back by less", cause: AcquiredTooLate, o: o, write: acquired(both, 10*ms)},
		{name: "one has never granted it", cause: NeverGranted, o: o, write: acquired(both[1:], 200*ms)},
	})
	judgeCauses(t, LeaseHonesty, []causeCase{
		{name: "its clock is back by more", cause: ClientClockOff, o: o, write: acquired(both, 200*ms)},
		{name: "its clock is back by less", cause: AcquiredTooLate, o: o, write: acquired(both, 10*ms)},
		{name: "one has never granted it", cause: NeverGranted, o: o, write: acquired(both[1:], 200*ms)},
	})
}

// TestEndsByTheNodesClock: the members of a sorted set end by the clock of its node,
// which may jump; then the next who comes by removes them.
func TestEndsByTheNodesClock(t *testing.T) {
	members := func(items ...string) func(*model.Observation) {
		return func(o *model.Observation) { o.Type, o.Items, o.ExpiresAt = "zset", items, time.Hour }
	}
	// removed has c2 remove c1's member, which ends at 100 ms, and take its place.
	removed := func(between func(*script)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, members("a", "100"))
			s.ok(a, until(90*ms))
			between(s)
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, s.from(a), members("b", "200"))
			s.ok(b, until(190*ms))
		}
	}
	o := Options{Ownership: model.SortedSetOwnership{Start: time.Unix(0, 0)}}
	jumps := func(s *script) { s.clock("r1", 98*ms) }
	for property, causes := range map[string][3]string{ // unordered: each is a test of its own
		OwnerOnlyRelease: {"", RemovedByAnother, ""},
		MutualExclusion:  {StoreClockJumped, RemovedByAnother, ""},
		TruthfulAcquire:  {"", "", ""},
	} {
		judgeCauses(t, property, []causeCase{
			{name: property + ", it has jumped", cause: causes[0], o: o, write: removed(jumps)},
			{name: property + ", it has not", cause: causes[1], o: o, write: removed(func(*script) {})},
			{name: property + ", when it was over", cause: causes[2], o: o, write: removed(func(s *script) { s.sleep(100 * ms) })},
		})
	}
}
