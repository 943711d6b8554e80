package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

func TestNoOrphan(t *testing.T) {
	o := Options{OrphanBound: 50 * ms}
	// left has c1's key in the store when its Acquire fails.
	left := func(s *script) int {
		a := s.acquire("c1")
		s.key(model.RecordCreated, a, a)
		s.failed(a)
		return a
	}
	// wait has c2 wait for the lock for 100 ms.
	wait := func(s *script) {
		s.acquire("c2")
		s.sleep(100 * ms)
	}
	// ownLost has c1 enter twice, and only the Release of the second say that all is well.
	ownLost := func(s *script) {
		a := s.granted("c1")
		b := s.hold("c1")
		r := s.release("c1", a)
		s.see(model.Observation{Kind: model.ReplyLost, Node: "c1", By: s.origin(r)})
		s.unknown(r)
		s.free("c1", b)
		wait(s)
	}
	// overtaken has c1's Acquire clean up before its first request arrives, which was
	// held back for 2 ms; the answer to the clean-up is held back for so long. Then
	// something else may come before the end.
	overtaken := func(answer time.Duration, with ...func(s *script, a int)) func(*script) {
		return func(s *script) {
			a := s.acquire("c1")
			s.see(model.Observation{Kind: model.Delayed, Node: "c1", By: s.origin(a), For: 2 * ms})
			s.see(model.Observation{Kind: model.Delayed, Node: "r1", By: s.origin(a), For: answer})
			s.key(model.RecordCreated, a, a)
			s.sleep(40 * ms)
			for _, f := range with {
				f(s, a)
			}
			s.failed(a)
			wait(s)
		}
	}
	// outlasts has c1's key, that was to end at the time, in the store for longer: on
	// its primary, or on the next, to which it came before.
	outlasts := func(ends time.Duration, node string) func(*script) {
		return func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, func(o *model.Observation) { o.ExpiresAt = ends })
			if node != "r1" {
				s.key(model.RecordCreated, a, a, on(node), func(o *model.Observation) { o.Authority, o.ExpiresAt = "", 4*ends })
				s.world(model.Crashed, "r1")
				s.world(model.Promoted, node)
			} else {
				s.clock("r1", -100*ms)
				s.sleep(ms)
			}
			s.failed(a)
			s.acquire("c2")
			s.sleep(150 * ms)
			s.key(model.RecordExpired, a, 0, on(node), func(o *model.Observation) { o.ExpiresAt = ends })
		}
	}
	// hash has c1's key created without an end, on its primary and the next, which both get that then, if
	// at all, and which the primary's, or the next one's, clock lengthens.
	hash := func(ends, next time.Duration, failover bool) func(*script) {
		return func(s *script) {
			a := s.acquire("c1")
			for _, place := range []func(*model.Observation){on("r1"), replica} {
				s.key(model.RecordCreated, a, a, place, forEver)
			}
			if ends > 0 {
				s.key(model.RecordChanged, a, a, s.from(a), expires(ends))
			}
			if next > 0 {
				s.key(model.RecordChanged, a, a, s.from(a), replica, expires(next))
			}
			node := "r1"
			if failover {
				node = "r2"
				s.world(model.Crashed, "r1")
				s.world(model.Promoted, node)
			}
			s.clock(node, -100*ms)
			s.sleep(ms)
			s.failed(a)
			s.acquire("c2")
			s.sleep(150 * ms)
			s.key(model.RecordExpired, a, 0, on(node), expires(ends))
		}
	}
	again := func(s *script, a int) { // its own request has come before
		s.see(model.Observation{Kind: model.Delayed, Node: "r1", By: s.origin(a), For: ms})
	}
	// ofEnsemble has c1's Acquire fail with its key at an ensemble of r1, the leader, and
	// others, when something has happened before and meanwhile.
	ofEnsemble := func(before, meanwhile func(*script)) func(*script) {
		return func(s *script) {
			key := func(kind model.ObservationKind, id int) {
				s.key(kind, id, id, func(o *model.Observation) { o.Authority = "ensemble" })
			}
			b := s.acquire("c2")
			key(model.RecordCreated, b)
			s.ok(b)
			key(model.RecordDeleted, b)
			s.ok(s.release("c2", b))
			before(s)
			a := s.acquire("c1")
			key(model.RecordCreated, a)
			meanwhile(s)
			s.failed(a)
			wait(s)
		}
	}
	// cancelled has c1's Acquire leave its key, and r1 hang so much later, for a moment.
	cancelled := func(later time.Duration) func(*script) {
		return func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.h.Operation(a).Cancelled = s.tick()
			s.unknown(a)
			s.sleep(later)
			s.paused("r1", ms)
			wait(s)
		}
	}
	nothing := func(*script) {}
	elected := func(s *script) {
		s.see(model.Observation{Kind: model.Promoted, Node: "r2", Authority: "ensemble"})
	}
	happens := func(kind model.ObservationKind, node string) func(*script) {
		return func(s *script) { s.see(model.Observation{Kind: kind, Node: node, For: ms}) }
	}
	judgeCases(t, NoOrphan, []testCase{
		{name: "no bound", want: model.NotApplicable, write: func(s *script) { left(s); wait(s) }},
		{name: "nothing ended", want: model.NotApplicable, o: o, write: func(s *script) { s.granted("c1") }},
		{name: "cleaned up", want: model.Holds, o: o, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.key(model.RecordDeleted, a, a)
			s.failed(a)
			wait(s)
		}},
		{name: "left by an Acquire", want: model.Violated, o: o, write: func(s *script) { left(s); wait(s) },
			sentence: "c1's acquire was told that it had not got the lock, but r1 had its key, which kept c2 waiting for 101ms.", ops: []int{1, 2}, seqs: []int64{2}},
		{name: "left by a cancelled Acquire", want: model.Violated, o: o, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.h.Operation(a).Cancelled = s.tick()
			s.unknown(a)
			wait(s)
		}, sentence: "c1's acquire was cancelled, but r1 had its key, which kept c2 waiting for 101ms."},
		{name: "left by a cancelled Acquire before its node hangs, when a clean-up may be on its way", want: model.Holds, o: o, write: cancelled(ms)},
		{name: "left by a cancelled Acquire long before its node hangs", want: model.Violated, o: o, write: cancelled(20 * ms)},
		{name: "left by a cancelled Release", want: model.NotApplicable, o: o, write: func(s *script) {
			a := s.granted("c1")
			r := s.release("c1", a)
			s.h.Operation(r).Cancelled = s.tick()
			s.unknown(r)
			wait(s)
		}},
		{name: "left by a cancelled Release that said that all is well", want: model.Violated, o: o, write: func(s *script) {
			a := s.granted("c1")
			r := s.release("c1", a)
			s.h.Operation(r).Cancelled = s.tick()
			s.ok(r)
			wait(s)
		}, sentence: "c1's release returned, but r1 had its key, which kept c2 waiting for 101ms."},
		{name: "left by a Release", want: model.Violated, o: o, write: func(s *script) {
			a := s.granted("c1")
			s.unknown(s.release("c1", a))
			wait(s)
		}, sentence: "c1's release failed, but r1 had its key, which kept c2 waiting for 101ms."},
		{name: "left by a Release that lost its answer, and said so", want: model.Holds, o: o, write: func(s *script) {
			a := s.granted("c1")
			r := s.release("c1", a)
			s.see(model.Observation{Kind: model.ReplyLost, Node: "c1", By: s.origin(r)})
			s.unknown(r)
			wait(s)
		}},
		{name: "left by a Release that lost its answer, and said that all is well", want: model.Violated, o: o, write: func(s *script) {
			a := s.granted("c1")
			r := s.release("c1", a)
			s.see(model.Observation{Kind: model.ReplyLost, Node: "c1", By: s.origin(r)})
			s.ok(r)
			wait(s)
		}, sentence: "c1's release returned, but r1 had its key, which kept c2 waiting for 101ms."},
		{name: "left by an Acquire that lost its answer, and said so", want: model.Violated, o: o, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.see(model.Observation{Kind: model.ReplyLost, Node: "c1", By: s.origin(a)})
			s.unknown(a)
			wait(s)
		}},
		{name: "left on the next primary, whose clock is behind, when it was to be over", want: model.Holds, o: o, write: outlasts(40*ms, "r2")},
		{name: "left on the next primary, while it was to last", want: model.Violated, o: o, write: outlasts(200*ms, "r2"),
			sentence: "c1's acquire was told that it had not got the lock, but r2 had its key, which kept c2 waiting for 151ms."},
		{name: "left on its primary, whose clock has jumped back, when it was to be over", want: model.Holds, o: o, write: outlasts(40*ms, "r1")},
		{name: "left without an expiry", want: model.Violated, o: o, write: outlasts(0, "r1"),
			sentence: "c1's acquire was told that it had not got the lock, but r1 had its key, which kept c2 waiting for 151ms, and has no expiry."},
		{name: "created, then given its end, on a server whose clock jumps back", want: model.Holds, o: o, write: hash(40*ms, 40*ms, false)},
		{name: "created, then given its end, on the next primary, whose clock jumps back", want: model.Holds, o: o, write: hash(40*ms, 40*ms, true)},
		{name: "created, then given an end that is far", want: model.Violated, o: o, write: hash(200*ms, 200*ms, false)},
		{name: "created, and never given its end", want: model.Violated, o: o, write: hash(0, 0, false),
			sentence: "c1's acquire was told that it had not got the lock, but r1 had its key, which kept c2 waiting for 151ms, and has no expiry."},
		{name: "created, and given its end too late for the next primary", want: model.Violated, o: o, write: hash(40*ms, 0, true)},
		{name: "a count that is one too high", want: model.Violated, o: o, write: func(s *script) {
			count := func(n string) func(*model.Observation) {
				return func(o *model.Observation) { o.Type, o.Items, o.Value = "hash", []string{"a", n}, n }
			}
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, count("1"))
			s.ok(a)
			b := s.acquire("c1")
			s.key(model.RecordChanged, b, b, s.from(a), count("2"))
			s.ok(b)
			s.free("c1", b)
			r := s.release("c1", a)
			s.key(model.RecordChanged, r, r, s.from(b), count("1"))
			s.ok(r)
			wait(s)
		}, sentence: "c1's release returned, but r1 had its key, which kept c2 waiting for 101ms."},
		{name: "one of two entries is left", want: model.Holds, o: o, write: func(s *script) {
			a := s.granted("c1")
			b := s.acquire("c1")
			s.key(model.RecordChanged, b, b, s.from(a))
			s.ok(b)
			s.free("c1", b)
			wait(s)
			s.freed("c1", a)
		}},
		{name: "one of two entries is left, whose own Release was cancelled", want: model.NotApplicable, o: o, write: func(s *script) {
			a := s.granted("c1")
			b := s.hold("c1")
			r := s.release("c1", a)
			s.h.Operation(r).Cancelled = s.tick()
			s.unknown(r)
			s.free("c1", b)
			wait(s)
		}},
		{name: "one of two entries is left, whose own Release failed", want: model.Violated, o: o, write: func(s *script) {
			a := s.granted("c1")
			b := s.hold("c1")
			s.unknown(s.release("c1", a))
			s.free("c1", b)
			wait(s)
		}, sentence: "c1's release returned, but r1 had its key, which kept c2 waiting for 101ms."},
		{name: "one of two entries is left, whose own Release lost its answer, and said so", want: model.Holds, o: o, write: ownLost},
		{name: "blocks its own client", want: model.Violated, o: o, write: func(s *script) {
			left(s)
			s.acquire("c1")
			s.sleep(100 * ms)
		}, sentence: "c1's acquire was told that it had not got the lock, but r1 had its key, which kept c1 itself waiting for 102ms."},
		{name: "left by a Release", want: model.Violated, o: o, write: func(s *script) {
			a := s.granted("c1")
			s.unknown(s.release("c1", a))
			wait(s)
		}, sentence: "c1's release failed, but r1 had its key, which kept c2 waiting for 101ms."},
		{name: "nobody waits", want: model.Holds, o: o, write: func(s *script) { left(s); s.sleep(100 * ms) }},
		{name: "gone soon", want: model.Holds, o: o, write: func(s *script) {
			a := left(s)
			s.acquire("c2")
			s.sleep(40 * ms)
			s.key(model.RecordExpired, a, 0)
			s.sleep(100 * ms)
		}},
		{name: "the world heals", want: model.Holds, o: o, write: func(s *script) { left(s); wait(s); s.h.Healed = 80 * ms }},
		{name: "the run ends", want: model.Holds, o: o, write: func(s *script) { left(s); s.acquire("c2") }},
		{name: "a crash", want: model.NotApplicable, o: o, write: func(s *script) {
			left(s)
			s.world(model.Crashed, "c1")
			wait(s)
		}},
		{name: "the node is hung", want: model.Holds, o: o, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.see(model.Observation{Kind: model.Paused, Node: "r1", For: 20 * ms})
			s.failed(a)
			wait(s)
		}},
		{name: "the node is down", want: model.Holds, o: o, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.key(model.RecordCreated, a, a, replica)
			s.world(model.Crashed, "r1")
			s.failed(a)
			s.world(model.Promoted, "r2")
			wait(s)
		}},
		{name: "an ensemble without trouble", want: model.Violated, o: o, write: ofEnsemble(nothing, nothing)},
		{name: "the leader is down", want: model.Holds, o: o, write: ofEnsemble(nothing, happens(model.Crashed, "r1"))},
		{name: "there is no leader", want: model.Holds, o: o, write: ofEnsemble(happens(model.Crashed, "r1"), nothing)},
		{name: "another leads", want: model.Holds, o: o, write: ofEnsemble(happens(model.Crashed, "r1"), elected)},
		{name: "another has led since", want: model.Violated, o: o, write: ofEnsemble(func(s *script) { s.world(model.Crashed, "r1"); elected(s) }, nothing)},
		{name: "a follower goes down", want: model.Holds, o: o, write: ofEnsemble(nothing, happens(model.Crashed, "r3"))},
		{name: "a follower has gone down", want: model.Violated, o: o, write: ofEnsemble(happens(model.Crashed, "r3"), nothing)},
		{name: "a follower hangs", want: model.Holds, o: o, write: ofEnsemble(nothing, happens(model.Paused, "r3"))},
		{name: "a follower that a client has come to goes down for long", want: model.Violated, o: o, write: ofEnsemble(func(s *script) {
			s.see(model.Observation{Kind: model.Noted, Node: "r3", Authority: "ensemble", Note: &model.Note{Event: "session-moved"}})
			s.world(model.Crashed, "r3")
			s.sleep(10 * ms)
		}, nothing)},
		{name: "another client stops", want: model.Violated, o: o, write: ofEnsemble(nothing, happens(model.Paused, "c2"))},
		{name: "its successor has it", want: model.Violated, o: o, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.key(model.RecordCreated, a, a, replica)
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			s.failed(a)
			wait(s)
		}},
		{name: "taken up", want: model.Holds, o: o, write: func(s *script) {
			left(s)
			s.hold("c1")
			wait(s)
		}},
		{name: "another key", want: model.NotApplicable, o: Options{OrphanBound: 50 * ms, LockKeys: []string{"other"}}, write: func(s *script) { left(s); wait(s) }},
		{name: "overtaken while the answer to the clean-up was late", want: model.Holds, o: o, write: overtaken(42 * ms)},
		{name: "overtaken while it waited in vain for the answer to the clean-up", want: model.Holds, o: o, write: overtaken(80 * ms)},
		{name: "overtaken, but there was time to look again", want: model.Violated, o: o, write: overtaken(10 * ms)},
		{name: "overtaken, but asked again after it", want: model.Violated, o: o, write: overtaken(10*ms, again)},
		{name: "written later", want: model.Holds, o: o, write: func(s *script) {
			a := s.acquire("c1")
			s.failed(a)
			s.key(model.RecordCreated, a, a)
			wait(s)
		}},
		{name: "the answer to what wrote the key is on its way when Acquire gives up", want: model.Violated, o: o, write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.see(model.Observation{Kind: model.Delayed, Node: "r1", By: s.origin(a), For: 30 * ms})
			s.sleep(20 * ms)
			s.unknown(a)
			wait(s)
		}},
		{name: "on one node of three", want: model.Violated, o: Options{OrphanBound: 50 * ms, Nodes: 3}, write: func(s *script) { left(s); wait(s) }},
	})
	judgeCases(t, LateOrphan, []testCase{
		{name: "in time", want: model.Holds, o: o, write: func(s *script) { left(s); wait(s) }},
		{name: "written later", want: model.Violated, o: o, write: func(s *script) {
			a := s.acquire("c1")
			s.failed(a)
			s.key(model.RecordCreated, a, a)
			wait(s)
		}, sentence: "c1's acquire was told that it had not got the lock, but a request of its took effect later, and r1 had its key, which kept c2 waiting for 101ms."},
		{name: "left by a Release that lost its answer, and said so", want: model.Violated, o: o, write: func(s *script) {
			a := s.granted("c1")
			r := s.release("c1", a)
			s.see(model.Observation{Kind: model.ReplyLost, Node: "c1", By: s.origin(r)})
			s.unknown(r)
			wait(s)
		}, sentence: "c1's release failed, but r1 had its key, which kept c2 waiting for 101ms."},
		{name: "one of two entries is left, whose own Release lost its answer, and said so", want: model.Violated, o: o, write: ownLost},
		{name: "overtaken while the answer to the clean-up was late", want: model.Violated, o: o, write: overtaken(42 * ms)},
		{name: "held back until the very moment", want: model.Violated, o: o, write: func(s *script) {
			a := s.acquire("c1")
			s.see(model.Observation{Kind: model.Delayed, Node: "c1", By: s.origin(a), For: ms})
			s.key(model.RecordCreated, a, a)
			s.failed(a)
			wait(s)
		}},
	})
}
