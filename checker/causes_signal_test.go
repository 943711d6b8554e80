package checker

import (
	"slices"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// connected acquires what lives with the client's connection, and signals its loss.
func (s *script) connected(client string) int {
	s.h.TTL = lease
	id := s.acquire(client)
	s.key(model.RecordCreated, id, id, inSession("connection 1"))
	s.ok(id, notifies)
	return id
}

// disconnected ends the connection.
func (s *script) disconnected(acq int, broken bool) {
	s.key(model.RecordExpired, acq, 0, inSession("connection 1"), func(o *model.Observation) { o.Broken = broken })
}

func inSession(name string) func(*model.Observation) {
	return func(o *model.Observation) { o.Session, o.ExpiresAt = name, 0 }
}

// lateOnly is what [TimelyLoss] makes of cases of overlaps: a holder whose loss was signalled in time is
// none of its violations, whatever the cause.
func lateOnly(cases []causeCase) []causeCase {
	cases = slices.Clone(cases)
	for i := range cases {
		if cases[i].cause != model.NotTold {
			cases[i].cause = ""
		}
	}
	return cases
}

// TestCauseOfUnsignalledLoss: leases that renew themselves, or signal their loss.
func TestCauseOfUnsignalledLoss(t *testing.T) {
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
		{name: "no signal of the loss, and running", cause: model.NotTold, write: func(s *script) {
			a := watched(s, notifies)
			s.late("c1", 0, 300*ms)
			then(s, a)
			s.sleep(50 * ms)
		}},
		{name: "renews itself, no signal of the loss, and running", cause: model.NotTold, write: func(s *script) {
			a := watched(s)
			s.late("c1", 0, 300*ms)
			then(s, a)
			s.sleep(50 * ms)
		}},
		{name: "signalled in time: the renewal was late", cause: model.HolderLate, write: func(s *script) {
			a := watched(s, notifies)
			s.late("c1", 0, 300*ms)
			then(s, a)
			s.lost(a)
		}},
		{name: "signalled in time, and nothing was late", cause: model.HeldTooLong, write: func(s *script) {
			a := watched(s, notifies)
			then(s, a)
			s.lost(a)
		}},
		{name: "signalled when it continued", cause: model.HolderStopped, write: func(s *script) {
			a := watched(s, notifies)
			s.paused("c1", 300*ms)
			then(s, a)
			s.sleep(150 * ms)
			s.world(model.Resumed, "c1")
			s.lost(a)
		}},
	}
	judgeCauses(t, MutualExclusion, cases)
	judgeCauses(t, TimelyLoss, append(lateOnly(cases),
		causeCase{name: "has an end", write: func(s *script) {
			s.expired(watched(s, notifies, until(90*ms)))
			s.sleep(50 * ms)
		}},
		causeCase{name: "is not renewed and tells nothing", write: func(s *script) {
			s.expired(s.leasedOut("c1"))
			s.sleep(50 * ms)
		}},
		causeCase{name: "forgotten, and signalled by its clock", write: func(s *script) {
			a := watched(s, notifies)
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.sleep(80 * ms)
			s.lost(a)
		}},
	))
}

// TestCauseOfABrokenConnection has locks that live with a connection. That the network
// breaks it is a limit, if the holder learns of it in time, and a fault, if nobody tells it.
func TestCauseOfABrokenConnection(t *testing.T) {
	const bound = lease / 10 // within which the loss must be signalled
	// ended has c1's connection end, c2 take the lock, and a signal of the loss reach c1 some time after the end.
	ended := func(broken bool, signal time.Duration, between func(*script)) func(*script) {
		return func(s *script) {
			a := s.connected("c1")
			between(s)
			s.disconnected(a, broken)
			end := s.h.End.At
			s.leasedOut("c2")
			s.sleep(end + signal - s.h.End.At - ms)
			s.lost(a)
		}
	}
	// silent has c1's connection end, and c2 take the lock; c1 has no signal, and holds on.
	silent := func(broken bool, on time.Duration) func(*script) {
		return func(s *script) {
			a := s.connected("c1")
			s.h.Operation(a).Notifies = false
			s.disconnected(a, broken)
			s.leasedOut("c2")
			s.sleep(on)
		}
	}
	nothing := func(*script) {}
	// befallen has a fault begin that lasts for a while from the end of the connection on.
	befallen := func(d time.Duration, fault model.Observation) func(*script) {
		return func(s *script) {
			fault.For = d + ms
			s.see(fault)
		}
	}
	parted := model.Observation{Kind: model.Parted, Node: "r1"}
	stopped := model.Observation{Kind: model.Paused, Node: "c1"}
	other := model.Observation{Kind: model.Paused, Node: "c2"}
	cases := []causeCase{
		{name: "signalled in time", cause: model.HolderCutOff, write: ended(true, bound, nothing)},
		{name: "signalled too late", cause: model.NotTold, write: ended(true, bound+ms, nothing)},
		{name: "cut off until the signal was due", cause: model.HolderCutOff, write: ended(true, bound+50*ms, befallen(50*ms, parted))},
		{name: "cut off, signalled too late after that", cause: model.NotTold, write: ended(true, bound+51*ms, befallen(50*ms, parted))},
		{name: "stopped until the signal was due", cause: model.HolderCutOff, write: ended(true, bound+50*ms, befallen(50*ms, stopped))},
		{name: "stopped, signalled too late after that", cause: model.NotTold, write: ended(true, bound+51*ms, befallen(50*ms, stopped))},
		{name: "another was stopped", cause: model.NotTold, write: ended(true, bound+50*ms, befallen(50*ms, other))},
		{name: "it closed its connection, signalled in time", cause: model.HeldTooLong, write: ended(false, bound, nothing)},
		{name: "it closed its connection, signalled too late", cause: model.NotTold, write: ended(false, bound+ms, nothing)},
		{name: "it closed its connection when it was cut off", cause: model.NotTold, write: ended(false, bound+50*ms, befallen(50*ms, parted))},
		{name: "an earlier connection of the request broke, and it closed the last", cause: model.HeldTooLong, write: func(s *script) {
			s.h.TTL = lease
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, inSession("connection 1"))
			s.disconnected(a, true)
			s.key(model.RecordCreated, a, a, inSession("connection 2"))
			s.ok(a, notifies)
			s.key(model.RecordExpired, a, 0, inSession("connection 2"))
			s.leasedOut("c2")
			s.lost(a)
		}},
		{name: "it closed its connection, no signal", cause: model.NotTold, write: silent(false, bound)},
	}
	// A holder who sends nothing on its connection, and does not promise to signal its loss, is not late with that.
	judgeCauses(t, MutualExclusion, append(cases,
		causeCase{name: "no signal, not due yet", cause: model.HolderCutOff, write: silent(true, bound-10*ms)},
		causeCase{name: "no signal", cause: model.HeldTooLong, write: silent(true, bound)},
	))
	judgeCauses(t, TimelyLoss, append(lateOnly(cases), causeCase{name: "no signal", write: silent(true, bound)}))
}
