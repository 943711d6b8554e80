package checker

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

func TestTruthfulAcquire(t *testing.T) {
	// answered has c1's request granted, its lease end, and its answer arrive then.
	answered := func(between func(*script, int), with ...func(*model.Operation)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.grantFor(a, a)
			between(s, a)
			s.ok(a, with...)
		}
	}
	judgeCauses(t, TruthfulAcquire, []causeCase{
		{name: "in time", write: answered(func(s *script, _ int) { s.sleep(90 * ms) })},
		{name: "too late", cause: model.AcquiredTooLate, write: answered(func(s *script, a int) {
			s.expired(a)
			s.sleep(10 * ms)
		})},
		{name: "too late, with an Until that says so", cause: model.AcquiredTooLate, write: answered(func(s *script, a int) {
			s.expired(a)
			s.sleep(10 * ms)
		}, until(90*ms))},
		{name: "stopped meanwhile", write: answered(func(s *script, a int) {
			s.paused("c1", 150*ms)
			s.expired(a)
			s.sleep(40 * ms)
		})},
		{name: "stopped before, and running when it ended", cause: model.AcquiredTooLate, write: answered(func(s *script, a int) {
			s.paused("c1", 50*ms)
			s.expired(a)
			s.sleep(40 * ms)
		})},
		{name: "its clock was off", write: answered(func(s *script, a int) {
			s.clock("c1", -50*ms)
			s.expired(a)
			s.sleep(40 * ms)
		})},
		{name: "forgotten meanwhile", write: answered(func(s *script, _ int) {
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
		})},
		{name: "robbed meanwhile", write: answered(func(s *script, a int) {
			s.key(model.RecordDeleted, a, s.acquire("c2"))
		})},
		{name: "cleaned up by itself", cause: model.RemovedByItself, write: answered(func(s *script, a int) {
			s.key(model.RecordDeleted, a, a)
		})},
		{name: "never given", cause: model.NeverGranted, write: func(s *script) {
			s.leasedOut("c1")
			s.hold("c2")
		}},
		{name: "given when it had returned", cause: model.NeverGranted, write: func(s *script) {
			s.freed("c1", s.leasedOut("c1"))
			a := s.hold("c2")
			s.grantFor(a, a)
		}},
		{name: "handed over by a release", write: func(s *script) {
			a := s.leasedOut("c1")
			b := s.acquire("c2")
			r := s.release("c1", a)
			s.key(model.RecordChanged, r, r, s.from(a))
			s.ok(r)
			s.ok(b)
		}},
		{name: "the request of c3 gives it to the first in the queue", write: func(s *script) {
			b := s.acquire("c2")
			s.key(model.RecordCreated, b, b, func(o *model.Observation) { o.Key, o.Type, o.Items = "queue", "list", []string{"name of c2"} })
			c := s.acquire("c3")
			s.key(model.RecordCreated, c, c, func(o *model.Observation) { o.Value = "name of c2" })
			s.ok(b)
		}},
		{name: "the request of c3 gives it to c3, ahead of the queue", cause: model.NeverGranted, write: func(s *script) {
			b := s.acquire("c2")
			s.key(model.RecordCreated, b, b, func(o *model.Observation) { o.Key, o.Type, o.Items = "queue", "list", []string{"name of c2"} })
			c := s.acquire("c3")
			s.key(model.RecordCreated, c, c, func(o *model.Observation) { o.Value = "name of c3" })
			s.ok(b)
		}},
		{name: "a thread of the process has it", write: func(s *script) {
			s.leasedOut("c1")
			s.hold("c1/1")
		}},
		{name: "several keys", o: Options{LockKeys: []string{"a", "b"}}, write: func(s *script) {
			s.leasedOut("c1")
			s.hold("c2")
		}},
	})
}

// TestExtendedTooLate: what Extend granted was over, or removed, when it returned.
func TestExtendedTooLate(t *testing.T) {
	extended := func(between func(*script, int, int), with ...func(*model.Operation)) func(*script) {
		return func(s *script) {
			a := s.leasedOut("c1")
			e := s.call("c1", model.Extend, a)
			s.grantFor(a, e)
			between(s, a, e)
			s.ok(e, with...)
		}
	}
	over := func(s *script, a, _ int) {
		s.expired(a)
		s.sleep(10 * ms)
	}
	judgeCauses(t, TruthfulExtend, []causeCase{
		{name: "in time", write: extended(func(s *script, _, _ int) { s.sleep(90 * ms) })},
		{name: "too late", cause: model.ExtendedTooLate, write: extended(over)},
		{name: "too late, with an Until that says so", cause: model.ExtendedTooLate, write: extended(over, until(95*ms))},
		{name: "stopped meanwhile", write: extended(func(s *script, a, e int) {
			s.paused("c1", 150*ms)
			over(s, a, e)
		})},
		{name: "stopped meanwhile, with an Until", write: extended(func(s *script, a, e int) {
			s.paused("c1", 150*ms)
			over(s, a, e)
		}, until(95*ms))},
		{name: "cleaned up by itself", cause: model.RemovedByItself, write: extended(func(s *script, a, e int) {
			s.key(model.RecordDeleted, a, e)
		})},
		{name: "released meanwhile", write: extended(func(s *script, a, _ int) {
			s.key(model.RecordDeleted, a, s.release("c1", a))
		})},
		{name: "robbed meanwhile", write: extended(func(s *script, a, _ int) {
			s.key(model.RecordDeleted, a, s.acquire("c2"))
		})},
		{name: "by a store that had forgotten, and came back", cause: model.StoreForgot, o: replicated, write: refilled("-r1", "+r4", "r3")},
	})
}

func TestOverwritten(t *testing.T) {
	value := func(v string) func(*model.Observation) { return func(o *model.Observation) { o.Value = v } }
	// over has c2 write over c1's value.
	over := func(then func(*script, int), with ...func(*model.Observation)) func(*script) {
		return func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.grantFor(a, a, value("1"))
			s.ok(a)
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, append(with, s.from(a), expires(s.h.End.At+lease))...)
			then(s, b)
		}
	}
	succeeds := func(s *script, b int) { s.ok(b) }
	judgeCauses(t, OwnerOnlyRelease, []causeCase{
		{name: "the acquire succeeds", cause: model.RemovedByAnother, write: over(succeeds, value("2"))},
		{name: "the acquire fails", write: over((*script).failed, value("2"))},
		{name: "the acquire succeeds by a later try", write: over(func(s *script, b int) {
			s.key(model.RecordExpired, b, 0)
			s.grantFor(b, b)
			s.ok(b)
		}, value("2"))},
		{name: "with the same value", write: over(succeeds, value("1"))},
		{name: "the record is a hash", write: over(succeeds, value("2"), func(o *model.Observation) { o.Type = "hash" })},
		{name: "the lock is shared", write: over(succeeds, value("2")), o: Options{Spec: model.Spec{Kind: model.KindReadWrite}}},
		{name: "its own", write: func(s *script) {
			a := s.leasedOut("c1")
			e := s.call("c1", model.Extend, a)
			s.key(model.RecordChanged, e, e, s.from(a), value("2"))
			s.ok(e)
		}},
		{name: "again in the same thread", write: func(s *script) {
			a := s.leasedOut("c1")
			b := s.acquire("c1")
			s.key(model.RecordChanged, b, b, s.from(a), value("2"))
			s.ok(b)
		}},
		{name: "that a release had handed over", write: func(s *script) {
			a := s.leasedOut("c1")
			r := s.release("c1", a)
			s.key(model.RecordChanged, r, r, s.from(a), value("c2"))
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, s.from(r), value("c2, 2"))
			s.ok(b)
		}},
		{name: "that was given up", write: func(s *script) {
			a := s.leasedOut("c1")
			s.release("c1", a)
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, s.from(a), value("2"))
			s.ok(b)
		}},
	})
}

func TestCauseOfTokens(t *testing.T) {
	// drawn has a client draw a token, on a node, and be granted the lock.
	draw := func(s *script, id int, token, node string) {
		s.key(model.RecordChanged, id, id, on(node), func(o *model.Observation) { o.Key, o.Value = "fence", token })
	}
	take := func(s *script, client, node string, n int64, value string) int {
		a := s.acquire(client)
		s.key(model.RecordCreated, a, a, on(node))
		draw(s, a, value, node)
		s.ok(a, token(n))
		return a
	}
	give := func(s *script, client string, a int, node string) {
		r := s.release(client, a)
		s.key(model.RecordDeleted, a, r, on(node))
		s.ok(r)
	}
	forget := func(s *script) {
		s.world(model.Crashed, "r1")
		s.world(model.Returned, "r1")
		s.key(model.RecordDropped, 0, 0, func(o *model.Observation) { o.Key, o.Value = "fence", "1" })
	}
	judgeCauses(t, Fencing, []causeCase{
		{name: "the counter is forgotten", cause: model.StoreForgot, write: func(s *script) {
			give(s, "c1", take(s, "c1", "r1", 1, "1"), "r1")
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			take(s, "c2", "r2", 1, "1")
		}},
		{name: "it is forgotten after the grant, before the draw", cause: model.StoreForgot, write: func(s *script) {
			give(s, "c1", take(s, "c1", "r1", 1, "1"), "r1")
			b := s.acquire("c2")
			s.key(model.RecordCreated, b, b)
			forget(s)
			draw(s, b, "1", "r1")
			s.ok(b, token(1))
		}},
		{name: "it is forgotten after the draw", cause: model.TokenApart, write: func(s *script) {
			give(s, "c1", take(s, "c1", "r1", 1, "1"), "r1")
			b := s.acquire("c2")
			s.key(model.RecordCreated, b, b)
			draw(s, b, "1", "r1")
			forget(s)
			s.ok(b, token(1))
		}},
		{name: "it is drawn before the lock is taken", cause: model.TokenApart, write: func(s *script) {
			b := s.acquire("c2")
			draw(s, b, "1", "r1")
			give(s, "c1", take(s, "c1", "r1", 2, "2"), "r1")
			s.key(model.RecordCreated, b, b)
			s.ok(b, token(1))
		}},
		{name: "so, and the store has forgotten nothing of it", cause: model.TokenApart, write: func(s *script) {
			b := s.acquire("c2")
			draw(s, b, "1", "r1")
			s.see(model.Observation{Kind: model.RecordDropped, Node: "r1", Key: "other"})
			give(s, "c1", take(s, "c1", "r1", 2, "2"), "r1")
			s.key(model.RecordCreated, b, b)
			s.ok(b, token(1))
		}},
		{name: "it is given twice", cause: model.TokenApart, write: func(s *script) {
			give(s, "c1", take(s, "c1", "r1", 1, "1"), "r1")
			take(s, "c2", "r1", 1, "1")
		}},
	})
}

// TestFaultsAreNotMasked has a limit first and a fault later, of the same property.
func TestFaultsAreNotMasked(t *testing.T) {
	stopped := func(s *script) {
		a := s.leasedOut("c1")
		s.paused("c1", 200*ms)
		s.expired(a)
		b := s.leasedOut("c2")
		s.release("c1", a)
		s.freed("c2", b)
	}
	never := func(s *script) {
		a := s.leasedOut("c1")
		b := s.hold("c2")
		s.free("c2", b)
		s.freed("c1", a)
	}
	for _, property := range []string{MutualExclusion, Linearizable} {
		judgeCauses(t, property, []causeCase{
			{name: property + ", limit", cause: model.HolderStopped, write: stopped},
			{name: property + ", limit and fault", cause: model.NeverGranted, write: func(s *script) {
				stopped(s)
				never(s)
			}},
			{name: property + ", fault and limit", cause: model.NeverGranted, write: func(s *script) {
				never(s)
				stopped(s)
			}},
		})
	}
}

// TestCauseOfHarm: the cause of a lost update is that of the overlap behind it.
func TestCauseOfHarm(t *testing.T) {
	// over has c1 read, c2 write, and c1 write over it.
	over := func(befalls func(*script, int)) func(*script) {
		return func(s *script) {
			a := s.leasedOut("c1")
			s.read("c1", a, 0)
			befalls(s, a)
			b := s.leasedOut("c2")
			s.read("c2", b, 0)
			s.write("c2", b, 1)
			s.write("c1", a, 1)
		}
	}
	late := func(s *script) {
		a := s.leasedOut("c1", until(90*ms))
		s.read("c1", a, 0)
		w := s.call("c1", model.Write, a)
		s.late("c1", w, 200*ms)
		s.expired(a)
		b := s.leasedOut("c2", until(190*ms))
		s.read("c2", b, 0)
		s.write("c2", b, 1)
		s.accept(w, 1)
		s.ok(w)
	}
	// robbed has c1 write when its lease is over, and c2 write over it. c3 removes c2's key
	// before c1's write, or between the two.
	robbed := func(before bool) func(*script) {
		return func(s *script) {
			a := s.leasedOut("c1")
			s.read("c1", a, 0)
			s.paused("c1", 200*ms)
			s.expired(a)
			b := s.leasedOut("c2")
			s.read("c2", b, 0)
			removes := func() { s.key(model.RecordDeleted, b, s.acquire("c3")) }
			if before {
				removes()
			}
			s.paused("c1", 50*ms)
			s.write("c1", a, 1)
			if !before {
				removes()
			}
			s.write("c2", b, 1)
		}
	}
	judgeCauses(t, NoLostUpdate, []causeCase{
		{name: "stopped", cause: model.HolderStopped, write: over(func(s *script, a int) {
			s.paused("c1", 200*ms)
			s.expired(a)
		})},
		{name: "not stopped", cause: model.HeldTooLong, write: over(func(s *script, a int) { s.expired(a) })},
		{name: "robbed before the first write", cause: model.RemovedByAnother, write: robbed(true)},
		{name: "robbed when the first write had been accepted", cause: model.HolderStopped, write: robbed(false)},
		{name: "robbed", cause: model.RemovedByAnother, write: over(func(s *script, a int) {
			s.key(model.RecordDeleted, a, s.acquire("c3"))
		})},
		{name: "an access that came when the lease was over", cause: model.HolderLate, write: late},
		{name: "the same of several keys", cause: model.HolderLate, o: Options{LockKeys: []string{"a", "b"}}, write: late},
	})
	judgeCauses(t, Overrun, []causeCase{
		{name: "late", cause: model.HolderLate, write: func(s *script) {
			a := s.leasedOut("c1", until(90*ms))
			w := s.call("c1", model.Write, a)
			s.late("c1", w, 200*ms)
			s.sleep(200 * ms)
			s.accept(w, 1)
		}},
		{name: "stopped", cause: model.HolderStopped, write: func(s *script) {
			a := s.leasedOut("c1", until(90*ms))
			w := s.call("c1", model.Write, a)
			s.paused("c1", 200*ms)
			s.sleep(200 * ms)
			s.accept(w, 1)
		}},
		{name: "with a look at a clock that had jumped back", cause: model.ClientClockOff, write: func(s *script) {
			a := s.leasedOut("c1", until(90*ms))
			s.clock("c1", -300*ms)
			s.sleep(200 * ms)
			s.write("c1", a, 1)
		}},
		{name: "without a look", cause: model.HeldTooLong, write: func(s *script) {
			a := s.leasedOut("c1", until(90*ms))
			s.sleep(200 * ms)
			s.write("c1", a, 1)
		}},
	})
	judgeCauses(t, LeaseHonesty, []causeCase{
		{name: "forgotten", cause: model.StoreForgot, write: func(s *script) {
			s.leasedOut("c1", until(90*ms))
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.sleep(200 * ms)
		}},
		{name: "forgotten, and claimed for longer than it was granted", cause: model.ClaimedLonger, write: func(s *script) {
			s.leasedOut("c1", until(150*ms))
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.sleep(200 * ms)
		}},
	})
}

// TestCauses: each says what it is, once.
func TestCauses(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range model.Causes() {
		if seen[c.ID] || c.ID == "" || c.Text == "" || model.CauseOf(c.ID) != c {
			t.Errorf("%+v", c)
		}
		seen[c.ID] = true
	}
	for _, id := range []string{
		model.StoreForgot, model.StoreClockJumped, model.ClientClockOff, model.HolderStopped, model.HolderLate, model.HolderCutOff, model.NeverGranted, model.AcquiredTooLate, model.ExtendedTooLate, model.ClaimedLonger,
		model.HeldTooLong, model.UsedUp, model.NotTold, model.RemovedByAnother, model.RemovedByItself, model.GrantedToBoth, model.TokenApart, model.Untrue, model.LeftBehind, model.NotServed, model.NotWoken, model.OutOfTurn, model.IgnoredContext, model.NotEstablished,
	} {
		if !seen[id] {
			t.Errorf("nothing is said of %q", id)
		}
	}
	if model.CauseOf("bad luck").Text != "" || model.CauseOf("").Limit {
		t.Error("knows what there is not")
	}
}
