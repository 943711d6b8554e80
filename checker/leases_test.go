package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

const ms = time.Millisecond

// expires sets the key's expiry.
func expires(at time.Duration) func(*model.Observation) {
	return func(o *model.Observation) { o.ExpiresAt = at }
}

func (s *script) extend(client string, acq int, with ...func(*model.Operation)) int {
	id := s.call(client, model.Extend, acq)
	s.ok(id, with...)
	return id
}

func TestOverrun(t *testing.T) {
	judgeCases(t, Overrun, []testCase{
		{name: "no end is told", want: model.NotApplicable, write: func(s *script) {
			s.write("c1", s.granted("c1"), 1)
		}},
		{name: "in time", want: model.Holds, write: func(s *script) {
			a := s.granted("c1", until(20*ms))
			s.write("c1", a, 1)
			s.sleep(20 * ms)
			s.freed("c1", a)
		}},
		{name: "after Until", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", until(20*ms))
			w := s.call("c1", model.Write, a)
			s.sleep(20 * ms)
			s.accept(w, 1)
		}, sentence: "c1's write took effect 5ms after its lease had ended.", ops: []int{1, 2}, seqs: []int64{5}},
		{name: "in a pause", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", until(20*ms))
			w := s.call("c1", model.Write, a)
			s.see(model.Observation{Kind: model.Paused, Node: "c1", For: 30 * ms})
			s.sleep(30 * ms)
			s.accept(w, 1)
		}, sentence: "c1's write took effect 16ms after its lease had ended: c1 was paused."},
		{name: "on its way when its client's clock jumps ahead", want: model.Holds, write: func(s *script) {
			a := s.granted("c1", until(20*ms))
			w := s.call("c1", model.Write, a)
			s.clock("c1", time.Second)
			s.accept(w, 1)
		}},
		{name: "on its way for longer than the lease, when its client's clock jumps ahead", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", until(20*ms))
			w := s.call("c1", model.Write, a)
			s.clock("c1", time.Second)
			s.sleep(20 * ms)
			s.accept(w, 1)
		}},
		{name: "without a look, after its client's clock jumped ahead", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", until(20*ms))
			s.clock("c1", time.Second)
			s.accept(s.call("c1", model.Write, a), 1)
		}},
		{name: "refused", want: model.NotApplicable, write: func(s *script) {
			a := s.granted("c1", until(4*ms))
			w := s.call("c1", model.Write, a)
			s.sleep(20 * ms)
			s.see(model.Observation{Kind: model.ResourceRefused, Node: "resource", By: s.origin(w)})
		}},
		{name: "after the loss", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", notifies)
			w := s.call("c1", model.Write, a)
			s.lost(a)
			s.accept(w, 1)
		}},
		{name: "late from the end of the lease, not from the signal of its loss", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", until(20*ms), notifies)
			w := s.call("c1", model.Write, a)
			s.see(model.Observation{Kind: model.Paused, Node: "c1", For: 30 * ms})
			s.sleep(30 * ms)
			s.lost(a)
			s.accept(w, 1)
		}, sentence: "c1's write took effect 17ms after its lease had ended: c1 was paused."},
		{name: "lost before the end of the lease", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", until(20*ms), notifies)
			w := s.call("c1", model.Write, a)
			s.lost(a)
			s.accept(w, 1)
		}, sentence: "c1's write took effect 1ms after its lease had ended."},
		{name: "an earlier end, learnt of later", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", until(60*ms))
			s.sleep(20 * ms)
			w := s.call("c1", model.Write, a)
			until(10 * ms)(s.h.Operation(w))
			s.accept(w, 1)
		}, sentence: "c1's write took effect 1ms after its lease had ended."},
		{name: "extended", want: model.Holds, write: func(s *script) {
			a := s.granted("c1", until(10*ms))
			s.extend("c1", a, until(60*ms))
			s.sleep(20 * ms)
			s.write("c1", a, 1)
		}},
		{name: "extended too late", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", until(10*ms))
			s.sleep(10 * ms)
			s.write("c1", a, 1)
			s.extend("c1", a, until(60*ms))
		}},
		{name: "in time, by an end that went back later", want: model.Holds, write: func(s *script) {
			a := s.granted("c1", until(60*ms))
			s.write("c1", a, 1)
			s.extend("c1", a, until(5*ms))
		}},
		{name: "after an end that went back", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", until(60*ms))
			s.extend("c1", a, until(10*ms))
			s.sleep(10 * ms)
			s.write("c1", a, 1)
		}},
		{name: "prolonged by itself, as the client saw", want: model.Holds, write: func(s *script) {
			a := s.granted("c1", until(10*ms))
			w := s.call("c1", model.Write, a)
			until(60 * ms)(s.h.Operation(w))
			s.sleep(20 * ms)
			s.accept(w, 1)
			s.ok(w)
		}},
	})
}

func TestLeaseHonesty(t *testing.T) {
	judgeCases(t, LeaseHonesty, []testCase{
		{name: "no Until", want: model.NotApplicable, write: func(s *script) { s.granted("c1") }},
		{name: "no key", want: model.NotApplicable, write: func(s *script) { s.hold("c1", until(9*ms)) }},
		{name: "several keys", want: model.NotApplicable, o: Options{LockKeys: []string{"a", "b"}},
			write: func(s *script) { s.granted("c1", until(9*ms)) }},
		{name: "kept", want: model.Holds, write: func(s *script) {
			a := s.granted("c1", until(30*ms))
			s.sleep(40 * ms)
			s.key(model.RecordExpired, a, 0)
		}},
		{name: "expired before", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", until(30*ms))
			s.key(model.RecordExpired, a, 0)
			s.sleep(40 * ms)
		}, sentence: "c1's lease claimed to be valid for 26ms longer than the store had the lock for it: c1's key expired on r1."},
		{name: "within the drift", want: model.Holds, o: Options{Drift: 26 * ms}, write: func(s *script) {
			a := s.granted("c1", until(30*ms))
			s.key(model.RecordExpired, a, 0)
			s.sleep(40 * ms)
		}},
		{name: "expired when it is told", want: model.Violated, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.key(model.RecordExpired, a, 0)
			s.ok(a, until(30*ms))
			s.sleep(40 * ms)
		}, sentence: "c1's lease claimed to be valid for 26ms, but the store did not have the lock for it: c1's key expired on r1, before c1 had its answer."},
		{name: "released before", want: model.Holds, write: func(s *script) {
			s.freed("c1", s.granted("c1", until(30*ms)))
			s.sleep(40 * ms)
		}},
		{name: "a primary that is down", want: model.Holds, write: func(s *script) {
			a := s.granted("c1", until(30*ms))
			s.key(model.RecordCreated, a, a, replica)
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.sleep(40 * ms)
		}},
		{name: "a successor without it", want: model.Violated, write: func(s *script) {
			s.granted("c1", until(30*ms))
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.sleep(40 * ms)
		}},
		{name: "on most nodes", want: model.Holds, o: Options{Nodes: 3}, write: onNodes("r1", "r2")},
		{name: "on one of three nodes", want: model.Violated, o: Options{Nodes: 3}, write: onNodes("r1")},
		{name: "on a server and its replica", want: model.Violated, o: replicated, write: onNodes("r1", "r4")},
		{name: "one of two servers is down", want: model.Holds, o: replicated, write: onNodes("r1", "r2", "-r1")},
		{name: "its successor has it", want: model.Holds, o: replicated, write: onNodes("r1", "r2", "r4", "-r1", "+r4")},
		{name: "its successor has it not", want: model.Violated, o: replicated, write: onNodes("r1", "r2", "-r1", "+r4")},
		{name: "cut off, its successor has it not", want: model.Violated, o: replicated, write: onNodes("r1", "r2", "+r4")},
		{name: "another server's successor", want: model.Holds, o: replicated, write: onNodes("r1", "r2", "-r3", "+r6")},
	})
}

// replicated are three servers with a replica each.
var replicated = Options{Nodes: 3, Servers: [][]string{{"r1", "r4"}, {"r2", "r5"}, {"r3", "r6"}}}

// onNodes has a lease whose key is on these nodes, of which those marked by a
// minus crash when it stands, and those by a plus are promoted.
func onNodes(nodes ...string) func(*script) {
	return func(s *script) {
		a := s.acquire("c1")
		s.onNodes(a, nodes)
		s.ok(a, until(30*ms))
		s.fall(nodes)
		s.sleep(40 * ms)
	}
}

func (s *script) onNodes(acquisition int, nodes []string) {
	for _, n := range nodes {
		if n[0] == 'r' {
			s.key(model.RecordCreated, acquisition, acquisition, on(n), func(o *model.Observation) {
				if n >= "r4" {
					o.Authority = ""
				}
			})
		}
	}
}

// fall has those crash that are marked by a minus, and those promoted by a plus.
func (s *script) fall(nodes []string) {
	for _, n := range nodes {
		switch n[0] {
		case '-':
			s.world(model.Crashed, n[1:])
		case '+':
			s.world(model.Promoted, n[1:])
		}
	}
}

func TestTruthfulRelease(t *testing.T) {
	judgeCases(t, TruthfulRelease, []testCase{
		{name: "nobody released", want: model.NotApplicable, write: func(s *script) { s.granted("c1") }},
		{name: "no key", want: model.NotApplicable, write: func(s *script) { s.free("c1", s.hold("c1")) }},
		{name: "released", want: model.Holds, write: func(s *script) { s.freed("c1", s.granted("c1")) }},
		{name: "expired", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			s.key(model.RecordExpired, a, 0)
			s.free("c1", a)
		}, sentence: "c1 was told that it had released the lock, which it did not hold any more: c1's key expired on r1.", ops: []int{1, 2}},
		{name: "expired meanwhile", want: model.Holds, write: func(s *script) {
			a := s.granted("c1")
			r := s.release("c1", a)
			s.key(model.RecordExpired, a, 0)
			s.ok(r)
		}},
		{name: "admitted", want: model.NotApplicable, write: func(s *script) {
			a := s.granted("c1")
			s.key(model.RecordExpired, a, 0)
			s.notHeld(s.release("c1", a))
		}},
		{name: "left open", want: model.NotApplicable, write: func(s *script) {
			a := s.granted("c1")
			s.key(model.RecordExpired, a, 0)
			s.unknown(s.release("c1", a))
		}},
		{name: "twice", want: model.Holds, write: func(s *script) {
			a := s.granted("c1")
			s.freed("c1", a)
			s.free("c1", a)
		}},
		{name: "a later one of the same client has it", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			s.key(model.RecordExpired, a, 0)
			s.granted("c1/1")
			s.free("c1", a)
		}},
		{name: "lost in a failover", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.free("c1", a)
		}},
		{name: "kept in a failover", want: model.Holds, write: func(s *script) {
			a := s.granted("c1")
			s.key(model.RecordCreated, a, a, replica)
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			r := s.release("c1", a)
			s.key(model.RecordDeleted, a, r, on("r2"))
			s.ok(r)
		}},
	})
}

func TestReleaseDenied(t *testing.T) {
	judgeCases(t, ReleaseDenied, []testCase{
		{name: "nothing removed", want: model.NotApplicable, write: func(s *script) { s.notHeld(s.release("c1", s.granted("c1"))) }},
		{name: "told", want: model.Holds, write: func(s *script) { s.freed("c1", s.granted("c1")) }},
		{name: "denied", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			r := s.release("c1", a)
			s.key(model.RecordDeleted, a, r)
			s.notHeld(r)
		}, sentence: "c1 was told that it had not held the lock, after its release had removed its own key.", ops: []int{1, 2}},
	})
}

func TestTruthfulExtend(t *testing.T) {
	judgeCases(t, TruthfulExtend, []testCase{
		{name: "nobody extended", want: model.NotApplicable, write: func(s *script) { s.granted("c1") }},
		{name: "extended", want: model.Holds, write: func(s *script) {
			a := s.granted("c1")
			e := s.call("c1", model.Extend, a)
			s.key(model.RecordChanged, a, e, s.from(a))
			s.ok(e, until(time.Hour))
		}},
		{name: "expired", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			s.key(model.RecordExpired, a, 0)
			s.extend("c1", a)
		}, sentence: "c1 was told that it had extended its lease, but did not hold the lock any more: c1's key expired on r1."},
		{name: "taken anew", want: model.Violated, write: func(s *script) {
			a := s.granted("c1")
			s.key(model.RecordExpired, a, 0)
			e := s.call("c1", model.Extend, a)
			s.key(model.RecordCreated, e, e)
			s.ok(e)
		}, sentence: "c1 was told that it had extended its lease, but the lock had not been its own all the time."},
		{name: "written anew, but held", want: model.Holds, write: func(s *script) {
			a := s.granted("c1")
			e := s.call("c1", model.Extend, a)
			s.key(model.RecordChanged, e, e, s.from(a))
			s.ok(e)
		}},
		{name: "told when it is over", want: model.Violated, write: func(s *script) {
			a := s.granted("c1", until(9*ms))
			e := s.call("c1", model.Extend, a)
			s.sleep(20 * ms)
			s.ok(e, until(19*ms))
		}, sentence: "c1 was told that it had extended its lease, when the new end had passed already."},
		{name: "admitted", want: model.NotApplicable, write: func(s *script) {
			a := s.granted("c1")
			s.key(model.RecordExpired, a, 0)
			s.notHeld(s.call("c1", model.Extend, a))
		}},
		{name: "through a failover", want: model.Holds, write: func(s *script) {
			a := s.granted("c1")
			s.key(model.RecordCreated, a, a, replica)
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.extend("c1", a)
		}},
		{name: "on a third server in time", want: model.Holds, o: replicated, write: refilled("r3", "-r1", "+r4")},
		{name: "on a third server too late", want: model.Violated, o: replicated, write: refilled("-r1", "+r4", "r3")},
		{name: "on a server's successor", want: model.Violated, o: replicated, write: refilled("-r1", "+r4")},
	})
}

// refilled has a lease whose key is on two servers; then this happens as in
// onNodes; and it is extended.
func refilled(then ...string) func(*script) {
	return func(s *script) {
		a := s.acquire("c1")
		s.onNodes(a, []string{"r1", "r2"})
		s.ok(a)
		for i := range then {
			s.onNodes(a, then[i:i+1])
			s.fall(then[i : i+1])
		}
		s.extend("c1", a)
	}
}

func TestPromptCancel(t *testing.T) {
	cancelled := func(s *script, id int, idle time.Duration) {
		op := s.h.Operation(id)
		op.Cancelled, op.Idle = s.tick(), idle
	}
	judgeCases(t, PromptCancel, []testCase{
		{name: "nobody cancelled", want: model.NotApplicable, write: func(s *script) { s.hold("c1") }},
		{name: "in time", want: model.Holds, write: func(s *script) {
			a := s.acquire("c1")
			cancelled(s, a, time.Second)
			s.sleep(time.Minute)
			s.unknown(a)
		}},
		{name: "too late", want: model.Violated, write: func(s *script) {
			a := s.acquire("c1")
			cancelled(s, a, 1100*ms)
			s.sleep(2 * time.Second)
			s.ok(a)
		}, sentence: "After its context had ended c1's acquire waited for 1.1s without a request under way before it returned.", ops: []int{1}},
		{name: "a release too late", want: model.Violated, write: func(s *script) {
			r := s.release("c1", s.hold("c1"))
			cancelled(s, r, 1100*ms)
			s.ok(r)
		}, sentence: "After its context had ended c1's release waited for 1.1s without a request under way before it returned.", ops: []int{2}},
		{name: "never", want: model.Violated, write: func(s *script) {
			cancelled(s, s.acquire("c1"), time.Minute)
		}, sentence: "After its context had ended c1's acquire waited for 1m0s without a request under way and did not return."},
	})
}

func TestBusyWait(t *testing.T) {
	waits := func(requests int, result func(*script, int)) func(*script) {
		return func(s *script) {
			a := s.acquire("c1")
			s.h.Operation(a).BackToBack = requests
			result(s, a)
		}
	}
	judgeCases(t, BusyWait, []testCase{
		{name: "nobody waited", want: model.NotApplicable, write: func(s *script) {
			s.h.Operation(s.acquire("c1")).Try = true
		}},
		{name: "with pauses", want: model.Holds, write: waits(0, func(s *script, a int) { s.ok(a) })},
		{name: "without a pause", want: model.Violated, write: waits(100, func(s *script, a int) { s.ok(a) }),
			sentence: "c1 sent 100 requests in a row while it waited for the lock, each at the instant at which it had the answer to the one before.", ops: []int{1}},
		{name: "without a pause, for ever", want: model.Violated, write: waits(100, func(s *script, _ int) { s.sleep(time.Minute) }), ops: []int{1}},
		{name: "without a pause, until it crashes", want: model.Violated, write: waits(100, func(s *script, _ int) {
			s.world(model.Crashed, "c1")
			s.sleep(time.Minute)
		}), ops: []int{1}},
		{name: "with pauses, for ever", want: model.Holds, write: waits(0, func(s *script, _ int) { s.sleep(time.Minute) })},
	})
}

func TestBoundedWakeup(t *testing.T) {
	// after has c2 wait for c1's lock, which is released, and get it so much
	// later.
	after := func(d time.Duration, between ...func(*script)) func(*script) {
		return func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, expires(200*ms))
			s.ok(a)
			b := s.acquire("c2")
			for _, f := range between {
				f(s)
			}
			s.freed("c1", a)
			s.sleep(d)
			s.key(model.RecordCreated, b, b)
			s.ok(b)
		}
	}
	o := Options{WakeupBound: 50 * ms}
	recovering := Options{WakeupBound: 50 * ms, Recovery: 60 * ms}
	judgeCases(t, BoundedWakeup, []testCase{
		{name: "no bound", want: model.NotApplicable, write: after(195 * ms)},
		{name: "nobody waited", want: model.NotApplicable, o: o, write: func(s *script) { s.freed("c1", s.granted("c1")) }},
		{name: "soon", want: model.Holds, o: o, write: after(20 * ms)},
		{name: "late, but not by expiry", want: model.Holds, o: o, write: after(150 * ms)},
		{name: "by expiry", want: model.Violated, o: o, write: after(195 * ms),
			sentence: "c2 waited for the lock for 197ms after c1 had released it, until the released key would have expired.", ops: []int{1, 2, 3}},
		{name: "by the expiry before it was extended", want: model.Violated, o: o, write: after(195*ms, func(s *script) {
			s.key(model.RecordChanged, 1, 1, s.from(1), expires(time.Hour))
		})},
		{name: "before the world had healed", want: model.NotApplicable, o: o, write: after(195*ms, func(s *script) { s.h.Healed = 100 * ms })},
		{name: "time to recover", want: model.NotApplicable, o: recovering, write: after(195*ms, func(s *script) { s.h.Healed = 100 * ms })},
		{name: "healed long ago", want: model.Violated, o: recovering, write: after(195*ms, func(s *script) { s.h.Healed = 10 * ms }),
			sentence: "c2 waited for the lock for 197ms after c1 had released it, until the released key would have expired."},
		{name: "healed long ago, but not by expiry", want: model.Holds, o: recovering, write: after(150*ms, func(s *script) { s.h.Healed = 10 * ms })},
		{name: "almost expired", want: model.NotApplicable, o: Options{WakeupBound: 198 * ms}, write: after(300 * ms)},
	})
}
