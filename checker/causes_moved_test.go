package checker

import (
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// twoServers are servers with different parts of the records, each with a follower. All keys are of one part, or each
// is one by itself.
func twoServers(one bool) Options {
	o := Options{Servers: [][]string{{"r1", "r3"}, {"r2", "r4"}}}
	o.Part = func(key string) string {
		if one {
			return "7"
		}
		return key
	}
	return o
}

// assigned is the part of the lock's key given to a node, which sends clients on, if it does.
func (s *script) assigned(node, sentTo string) {
	s.see(model.Observation{Kind: model.Assigned, Node: node, Authority: node, Part: "7", SentTo: sentTo})
}

// movedTo is the lock's key moved from r1 to a node by the store.
func (s *script) movedTo(node string, acq int) {
	ends := expires(s.h.End.At + lease)
	s.key(model.RecordCreated, acq, 0, on(node), ends)
	s.key(model.RecordDeleted, acq, 0, ends)
}

// takenOn acquires at once on a node.
func (s *script) takenOn(node, client string) int {
	id := s.acquire(client)
	s.grantFor(id, id, on(node))
	s.ok(id)
	return id
}

// TestCauseOfMigrations has two holders while the lock's part is moved: what two nodes have granted is the store's
// deed, and what a lock does wrong meanwhile its own.
func TestCauseOfMigrations(t *testing.T) {
	o := twoServers(true)
	open := func(s *script) { s.h.TTL = lease; s.assigned("r1", "r2") }
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "granted where the part is, and late where it was to go", cause: model.Migration, o: o, write: func(s *script) {
			open(s)
			s.assigned("r1", "")
			s.leasedOut("c1")
			s.takenOn("r2", "c2")
		}},
		{name: "granted where it was to go, and then where it stays", cause: model.Migration, o: o, write: func(s *script) {
			open(s)
			s.takenOn("r2", "c1")
			s.assigned("r1", "")
			s.leasedOut("c2")
		}},
		{name: "granted to one alone while it is moved", cause: model.NeverGranted, o: o, write: func(s *script) {
			open(s)
			s.takenOn("r2", "c1")
			s.assigned("r1", "")
			s.hold("c2")
		}},
		{name: "taken away where it has been moved to", cause: model.RemovedByAnother, o: o, write: func(s *script) {
			a := s.leasedOut("c1")
			open(s)
			s.movedTo("r2", a)
			b := s.acquire("c2")
			s.key(model.RecordDeleted, a, b, on("r2"))
			s.grantFor(b, b, on("r2"))
			s.ok(b)
		}},
		{name: "it has run out where it has been moved to", cause: model.HeldTooLong, o: o, write: func(s *script) {
			a := s.leasedOut("c1")
			open(s)
			s.movedTo("r2", a)
			s.assigned("r2", "")
			s.sleep(2 * lease)
			s.key(model.RecordExpired, a, 0, on("r2"))
			s.takenOn("r2", "c2")
		}},
		{name: "it has run out there while its holder was stopped", cause: model.HolderStopped, o: o, write: func(s *script) {
			a := s.leasedOut("c1")
			open(s)
			s.movedTo("r2", a)
			s.paused("c1", 3*lease)
			s.assigned("r2", "")
			s.sleep(2 * lease)
			s.key(model.RecordExpired, a, 0, on("r2"))
			s.takenOn("r2", "c2")
		}},
		{name: "the new owner has been made that without it", cause: model.Migration, o: o, write: func(s *script) {
			a := s.leasedOut("c1")
			open(s)
			s.assigned("r2", "")
			s.key(model.RecordDropped, a, 0)
			s.takenOn("r2", "c2")
		}},
		{name: "the owner fails over while the other end has it", cause: model.Migration, o: o, write: func(s *script) {
			a := s.leasedOut("c1")
			open(s)
			s.movedTo("r2", a)
			s.see(model.Observation{Kind: model.Promoted, Node: "r3", Authority: "r3"})
			s.assigned("r3", "")
			s.takenOn("r3", "c2")
		}},
		{name: "the owner fails over, and nothing is moved", cause: model.StoreForgot, o: o, write: func(s *script) {
			s.leasedOut("c1")
			s.world(model.Crashed, "r1")
			s.see(model.Observation{Kind: model.Promoted, Node: "r3", Authority: "r3"})
			s.takenOn("r3", "c2")
		}},
		{name: "both granted by the owner, though another part is moved", cause: model.RemovedByAnother, o: o, write: func(s *script) {
			a := s.leasedOut("c1")
			s.see(model.Observation{Kind: model.Assigned, Node: "r2", Authority: "r2", Part: "8"})
			b := s.acquire("c2")
			s.key(model.RecordDeleted, a, b)
			s.grantFor(b, b)
			s.ok(b)
		}},
	})
}

// TestMovedLeaseIsHonest: a lease stands on wherever its record is moved to, by any view of the records.
func TestMovedLeaseIsHonest(t *testing.T) {
	for _, view := range []model.Ownership{nil, model.HashOwnership{}} {
		o := twoServers(true)
		o.Ownership = view
		record := func(o *model.Observation) {
			if view != nil {
				o.Type, o.Items = "hash", []string{"c1", "1"}
			}
		}
		judgeCauses(t, LeaseHonesty, []causeCase{
			{name: "moved", o: o, write: func(s *script) {
				a := s.acquire("c1")
				s.key(model.RecordCreated, a, a, record)
				s.ok(a, until(90*ms))
				s.assigned("r1", "r2")
				s.key(model.RecordCreated, a, 0, on("r2"), record)
				s.key(model.RecordDeleted, a, 0, record)
				s.assigned("r2", "")
				s.sleep(50 * ms)
				e := s.call("c1", model.Extend, a)
				s.key(model.RecordChanged, a, e, on("r2"), s.from(a), record)
				s.ok(e, until(180*ms))
				s.sleep(50 * ms)
			}},
			{name: "given up without it", cause: model.Migration, o: o, write: func(s *script) {
				s.assigned("r1", "r2")
				a := s.acquire("c1")
				s.key(model.RecordCreated, a, a, on("r2"), record)
				s.ok(a, until(90*ms))
				s.assigned("r1", "")
				s.sleep(50 * ms)
			}},
			{name: "at the other server all the time", o: o, write: func(s *script) {
				a := s.acquire("c1")
				s.key(model.RecordCreated, a, a, on("r2"), record)
				s.ok(a, until(90*ms))
				s.see(model.Observation{Kind: model.Promoted, Node: "r3", Authority: "r3"})
				s.sleep(50 * ms)
			}},
			{name: "lost by a failover of its own server", cause: model.StoreForgot, o: o, write: func(s *script) {
				a := s.acquire("c1")
				s.key(model.RecordCreated, a, a, on("r2"), record)
				s.ok(a, until(90*ms))
				s.see(model.Observation{Kind: model.Promoted, Node: "r4", Authority: "r4"})
				s.sleep(50 * ms)
			}},
		})
	}
}

// TestExtendedWhereItWasMoved: an Extend that finds the lock where it has been moved to tells the truth, and one that
// takes it anew where it has been left does not.
func TestExtendedWhereItWasMoved(t *testing.T) {
	extended := func(moves, back bool) func(*script) {
		return func(s *script) {
			a := s.leasedOut("c1")
			s.assigned("r1", "r2")
			if moves {
				s.movedTo("r2", a)
			}
			if back {
				s.assigned("r2", "r1")
				s.key(model.RecordCreated, a, 0)
				s.key(model.RecordDeleted, a, 0, on("r2"))
				s.assigned("r1", "")
			}
			if !moves {
				s.expired(a)
			}
			e := s.call("c1", model.Extend, a)
			switch {
			case back:
				s.grantFor(a, e)
			case moves:
				s.grantFor(a, e, on("r2"))
			default:
				s.key(model.RecordCreated, e, e, on("r2"))
			}
			s.ok(e)
			s.sleep(20 * ms)
		}
	}
	judgeCauses(t, TruthfulExtend, []causeCase{
		{name: "moved", o: twoServers(true), write: extended(true, false)},
		{name: "and back", o: twoServers(true), write: extended(true, true)},
		{name: "taken anew", cause: model.Untrue, o: twoServers(true), write: extended(false, false)},
	})
}

// TestMovedKeyIsNotDeleted: what the store moves is not told as deleted.
func TestMovedKeyIsNotDeleted(t *testing.T) {
	var s script
	a := s.leasedOut("c1")
	s.assigned("r1", "r2")
	s.movedTo("r2", a)
	s.assigned("r2", "")
	s.key(model.RecordDropped, a, 0, on("r2"))
	s.takenOn("r2", "c2")
	v := Check(s.history(), twoServers(true), MutualExclusion)[0]
	const want = "c1 and c2 both held the lock for 1ms: r2 dropped c1's record."
	if v.Sentence != want {
		t.Errorf("%s, want %s", v.Sentence, want)
	}
}

// TestOrphansOfMigrations: a key that stays where its client is not sent any more is the store's; one where it is sent
// is the lock's.
func TestOrphansOfMigrations(t *testing.T) {
	stays := func(keeps string) func(*script) {
		return func(s *script) {
			s.assigned("r1", "r2")
			a := s.takenOn("r2", "c1")
			s.assigned(keeps, "")
			s.free("c1", a)
			s.acquire("c2")
			s.sleep(80 * ms)
		}
	}
	o := twoServers(true)
	o.OrphanBound = 20 * ms
	judgeCauses(t, NoOrphan, []causeCase{
		{name: "at the other end of what was given up", o: o, write: stays("r1")},
		{name: "at the new owner", cause: model.LeftBehind, o: o, write: stays("r2")},
	})
}

// TestOrphansBesideAServerThatIsDown: servers with different records may refuse a clean-up while another one has nobody
// who serves; if they do not, or all have, the key that is left is the lock's fault.
func TestOrphansBesideAServerThatIsDown(t *testing.T) {
	left := func(node string, closed ...string) func(*script) {
		return func(s *script) {
			s.failed(s.acquire("c3"))
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.see(model.Observation{Kind: model.Crashed, Node: node, Authority: node})
			for _, other := range closed {
				s.see(model.Observation{Kind: model.Closed, Node: other, Authority: other})
			}
			s.sleep(20 * ms)
			s.failed(a)
			s.sleep(20 * ms)
			s.see(model.Observation{Kind: model.Promoted, Node: "r4", Authority: "r4"})
			for _, other := range closed {
				s.see(model.Observation{Kind: model.Opened, Node: other, Authority: other})
			}
			s.acquire("c2")
			s.sleep(80 * ms)
		}
	}
	o := twoServers(true)
	o.OrphanBound = 20 * ms
	judgeCauses(t, NoOrphan, []causeCase{
		{name: "another server's node is down, and its own refuses everything", o: o, write: left("r2", "r1")},
		{name: "its own does not", cause: model.LeftBehind, o: o, write: left("r2")},
		{name: "a node of its own server is down", o: o, write: left("r3")},
		{name: "a client is", cause: model.LeftBehind, o: o, write: left("c3")},
		{name: "a server with other copies of the same", cause: model.LeftBehind, o: Options{OrphanBound: 20 * ms}, write: left("r2")},
	})
}

// TestCauseWrongShard: a lock whose keys are in several parts of one store loses some of them by itself, which is its own
// fault; a request that has keys of several parts is refused.
func TestCauseWrongShard(t *testing.T) {
	lost := func(s *script) {
		a := s.acquire("c1")
		for _, key := range []string{"lock:1", "lock:2"} {
			s.key(model.RecordCreated, a, a, func(o *model.Observation) { o.Key = key })
		}
		s.ok(a)
		s.world(model.Crashed, "r1")
		s.see(model.Observation{Kind: model.Promoted, Node: "r3", Authority: "r3"})
		b := s.acquire("c2")
		for _, key := range []string{"lock:1", "lock:2"} {
			s.key(model.RecordCreated, b, b, on("r3"), func(o *model.Observation) { o.Key = key })
		}
		s.ok(b)
	}
	judgeCauses(t, MutualExclusion, []causeCase{
		{name: "several parts", cause: model.WrongShard, o: twoServers(false), write: lost},
		{name: "one part", cause: model.StoreForgot, o: twoServers(true), write: lost},
	})
	refused := func(client string) func(*script) {
		return func(s *script) {
			a, b := s.acquire("c1"), s.acquire("c2")
			s.see(model.Observation{Kind: model.Scattered, Node: "r1", By: s.origin(map[string]int{"c1": a, "c2": b}[client])})
			s.ok(b)
			s.sleep(50 * ms)
			s.failed(a)
		}
	}
	o := twoServers(false)
	o.ProgressBound = 20 * ms
	judgeCauses(t, Progress, []causeCase{
		{name: "refused", cause: model.WrongShard, o: o, write: refused("c1")},
		{name: "another was refused", cause: model.NotServed, o: o, write: refused("c2")},
	})
}
