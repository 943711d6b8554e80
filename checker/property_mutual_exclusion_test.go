package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

func TestMutualExclusion(t *testing.T) {
	const ms = time.Millisecond
	judgeCases(t, MutualExclusion, []testCase{
		{name: "nobody acquired", want: model.NotApplicable, write: func(s *script) {
			s.failed(s.acquire("c1"))
			s.unknown(s.acquire("c1"))
			s.acquire("c2")
		}},
		{name: "one after the other", want: model.Holds, write: func(s *script) {
			s.free("c1", s.hold("c1"))
			s.free("c2", s.hold("c2"))
			s.free("c1", s.hold("c1"))
		}},
		{name: "both", want: model.Violated, write: func(s *script) {
			a := s.hold("c1")
			b := s.hold("c2")
			s.sleep(time.Second)
			s.free("c1", a)
			s.free("c2", b)
		}, sentence: "c1 and c2 both held the lock for 1.001s.", ops: []int{1, 2, 3, 4}},
		{name: "for a very short time", want: model.Violated, write: func(s *script) {
			a := s.hold("c1")
			s.hold("c2")
			r := s.h.Operation(s.release("c1", a))
			r.Call.At = s.h.Operation(2).Return.At + 12345*time.Nanosecond
		}, sentence: "c1 and c2 both held the lock for 12µs."},
		{name: "for no time", want: model.Violated, write: func(s *script) {
			a := s.hold("c1")
			s.hold("c2")
			s.h.Operation(s.release("c1", a)).Call.At = s.h.Operation(2).Return.At
		}, sentence: "c1 and c2 both held the lock for an instant."},
		{name: "never released", want: model.Violated, write: func(s *script) {
			s.hold("c1")
			s.hold("c2")
		}, ops: []int{1, 2}},
		{name: "claims that touch", want: model.Holds, write: func(s *script) {
			a := s.hold("c1")
			b := s.acquire("c2")
			s.release("c1", a) // called, and pending for ever
			s.ok(b)
		}},
		{name: "claims that touch in one event", want: model.Holds, write: func(s *script) {
			a := s.hold("c1")
			b := s.hold("c2")
			s.h.Operation(s.release("c1", a)).Call = s.h.Operation(b).Return
		}},
		{name: "released one event too late", want: model.Violated, write: func(s *script) {
			a := s.hold("c1")
			s.ok(s.acquire("c2"))
			s.release("c1", a)
		}, sentence: "c1 and c2 both held the lock for 1ms."},
		{name: "ErrNotHeld and unknown releases end claims", want: model.Holds, write: func(s *script) {
			s.notHeld(s.release("c1", s.hold("c1")))
			s.unknown(s.release("c2", s.hold("c2")))
			s.failed(s.release("c1", s.hold("c1")))
			s.hold("c2")
		}},
		{name: "crash", want: model.Holds, write: func(s *script) {
			s.hold("c1")
			s.world(model.Crashed, "c1")
			s.hold("c2")
		}},
		{name: "crash of somebody else", want: model.Violated, write: func(s *script) {
			s.hold("c1")
			s.world(model.Crashed, "r1")
			s.hold("c2")
		}},
		{name: "crash of the life before", want: model.Violated, write: func(s *script) {
			s.world(model.Crashed, "c1")
			s.hold("c1")
			s.hold("c2")
		}},
		{name: "until, passed", want: model.Holds, write: func(s *script) {
			s.hold("c1", until(10*ms))
			s.sleep(6 * ms)
			s.hold("c2", until(time.Hour)) // returns at 10ms
		}},
		{name: "until, not passed", want: model.Violated, write: func(s *script) {
			s.hold("c1", until(10*ms+1))
			s.sleep(6 * ms)
			s.hold("c2", until(time.Hour))
			s.sleep(time.Second)
		}, sentence: "c1 and c2 both held the lock for 1ns."},
		{name: "until, passed before the return", want: model.Holds, write: func(s *script) {
			s.hold("c1")
			s.hold("c2", until(ms))
		}},
		{name: "until, passed by a clock that jumps ahead", want: model.Holds, write: func(s *script) {
			s.hold("c1", until(time.Hour))
			s.clock("c1", 2*time.Hour)
			s.hold("c2", until(time.Hour))
		}},
		{name: "until, not passed by a clock that jumps ahead", want: model.Violated, write: func(s *script) {
			s.hold("c1", until(time.Hour))
			s.clock("c1", time.Hour/2)
			s.hold("c2", until(time.Hour))
			s.sleep(2 * time.Hour)
		}},
		{name: "run out and renewed when another had come and gone", want: model.Holds, write: func(s *script) {
			a := s.hold("c1", until(10*ms))
			s.sleep(10 * ms)
			s.free("c2", s.hold("c2"))
			s.extend("c1", a, until(time.Hour))
		}},
		{name: "run out and renewed while another holds it", want: model.Violated, write: func(s *script) {
			a := s.hold("c1", until(10*ms))
			s.sleep(10 * ms)
			s.hold("c2")
			s.extend("c1", a, until(time.Hour))
		}},
		{name: "an earlier end does not undo what was believed", want: model.Violated, write: func(s *script) {
			a := s.hold("c1", until(50*ms))
			s.sleep(10 * ms)
			s.hold("c2", until(time.Hour))
			s.extend("c1", a, until(10*ms))
		}, sentence: "c1 and c2 both held the lock for 2ms."},
		{name: "an earlier end counts from where it is learnt of", want: model.Holds, write: func(s *script) {
			a := s.hold("c1", until(50*ms))
			s.sleep(10 * ms)
			s.extend("c1", a, until(10*ms))
			s.hold("c2", until(time.Hour))
		}},
		{name: "an end that goes back, and had passed, ends no claim before it is learnt", want: model.Violated, write: func(s *script) {
			a := s.hold("c1", until(100*ms))
			e := s.call("c1", model.Extend, a)
			s.hold("c2")
			s.ok(e, until(3*ms)) // at 6ms
			s.sleep(time.Second)
		}, sentence: "c1 and c2 both held the lock for 1ms."},
		{name: "it ends it then", want: model.Holds, write: func(s *script) {
			a := s.hold("c1", until(100*ms))
			s.extend("c1", a, until(3*ms))
			s.hold("c2")
		}},
		{name: "an end that goes back to what is still to come", want: model.Holds, write: func(s *script) {
			a := s.hold("c1", until(100*ms))
			s.extend("c1", a, until(10*ms))
			s.sleep(6 * ms)
			s.hold("c2")
		}},
		{name: "an end that goes back, and forward again", want: model.Violated, write: func(s *script) {
			a := s.hold("c1", until(100*ms))
			s.extend("c1", a, until(3*ms))
			s.extend("c1", a, until(100*ms))
			s.hold("c2")
			s.sleep(time.Second)
		}},
		{name: "lost", want: model.Holds, write: func(s *script) {
			s.lost(s.hold("c1", notifies))
			s.hold("c2", notifies)
		}},
		{name: "lost too late", want: model.Violated, write: func(s *script) {
			a := s.hold("c1", notifies)
			s.hold("c2", notifies)
			s.lost(a)
		}},
		{name: "the same thread twice", want: model.Holds, write: func(s *script) {
			s.hold("c1")
			s.hold("c1")
		}},
		{name: "two threads of one client", want: model.Violated, write: func(s *script) {
			s.hold("c1")
			s.hold("c1/1")
		}, sentence: "c1 thread 0 and c1 thread 1 both held the lock for 1ms."},
		{name: "behind a short claim", want: model.Violated, write: func(s *script) {
			s.hold("c1")
			b := s.acquire("c1")
			s.ok(b)
			s.free("c1", b)
			s.hold("c2")
		}, ops: []int{1, 4}},
	})
}

// TestCause checks what is said of why two clients could both hold the lock.
func TestCause(t *testing.T) {
	cases := []testCase{
		{name: "expired while paused", write: func(s *script) {
			s.granted("c1")
			s.world(model.Paused, "c1")
			s.key(model.RecordExpired, 1, 0)
			s.world(model.Resumed, "c1")
			s.granted("c2")
			s.sleep(1213 * time.Millisecond)
		}, sentence: "c1 and c2 both held the lock for 1.214s: c1's key expired on r1 while c1 was paused.", seqs: []int64{2, 4, 5, 8}},
		{name: "expired", write: func(s *script) {
			s.granted("c1")
			s.world(model.Paused, "c1")
			s.world(model.Resumed, "c1")
			s.world(model.Paused, "c2")
			s.key(model.RecordExpired, 1, 0)
			s.granted("c2")
		}, sentence: "c1 and c2 both held the lock for 1ms: c1's key expired on r1."},
		{name: "expired after a pause", write: func(s *script) {
			s.granted("c1")
			s.world(model.Paused, "c1")
			s.sleep(800 * ms)
			s.world(model.Resumed, "c1")
			s.sleep(100 * ms)
			s.key(model.RecordExpired, 1, 0)
			s.granted("c2")
		}, sentence: "c1 and c2 both held the lock for 1ms: c1's key expired on r1 after c1 had been paused for 801ms.", seqs: []int64{2, 4, 6, 8}},
		{name: "expired after a pause before the grant", write: func(s *script) {
			s.world(model.Paused, "c1")
			s.sleep(800 * ms)
			s.world(model.Resumed, "c1")
			s.granted("c1")
			s.key(model.RecordExpired, 1, 0)
			s.granted("c2")
		}, sentence: "c1 and c2 both held the lock for 1ms: c1's key expired on r1."},
		{name: "expired after a segment of its own was late", write: func(s *script) {
			s.granted("c1")
			s.late("c1", s.call("c1", model.Read, 1), 500*ms)
			s.late("c2", s.acquire("c2"), 700*ms)
			s.sleep(900 * ms)
			s.key(model.RecordExpired, 1, 0)
			s.granted("c3")
		}, sentence: "c1 and c3 both held the lock for 1ms: c1's key expired on r1 after a segment from c1 had been late for 500ms."},
		{name: "expired before the answer", write: func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a)
			s.see(model.Observation{Kind: model.Delayed, Node: "r1", For: time.Second, By: s.origin(a)})
			s.key(model.RecordExpired, a, 0)
			s.granted("c2")
			s.ok(a) // the second to return, the first to be granted
		}, sentence: "c2 and c1 both held the lock for 1ms: c1's key expired on r1 while a segment from r1 was late, before c1 had its answer."},
		{name: "promotion", write: func(s *script) {
			s.granted("c1")
			s.world(model.Crashed, "r1")
			s.world(model.Promoted, "r2")
			b := s.acquire("c2")
			s.key(model.RecordCreated, b, b, on("r2"))
			s.ok(b)
			s.key(model.RecordDropped, 1, 0, func(o *model.Observation) { o.Authority = "" })
		}, sentence: "c1 and c2 both held the lock for 2ms: r2 was promoted without c1's key."},
		{name: "promotion before late replication", write: func(s *script) {
			s.granted("c1")
			s.see(model.Observation{Kind: model.Delayed, Node: "r1", For: time.Second})
			s.world(model.Paused, "c1")
			s.world(model.Promoted, "r2")
			b := s.acquire("c2")
			s.key(model.RecordCreated, b, b, on("r2"))
			s.ok(b)
		}, sentence: "c1 and c2 both held the lock for 1ms: r2 was promoted without c1's key while a segment from r1 was late."},
		{name: "expired while another's segment was late", write: func(s *script) {
			s.granted("c1")
			s.see(model.Observation{Kind: model.Delayed, Node: "r1", For: time.Second, By: s.origin(s.acquire("c3"))})
			s.key(model.RecordExpired, 1, 0)
			s.granted("c2")
		}, sentence: "c1 and c2 both held the lock for 1ms: c1's key expired on r1."},
		{name: "promotion with the key, then expiry", write: func(s *script) {
			s.granted("c1")
			s.key(model.RecordCreated, 1, 1, replica)
			s.world(model.Promoted, "r2")
			s.key(model.RecordExpired, 1, 0, on("r2"))
			b := s.acquire("c2")
			s.key(model.RecordCreated, b, b, on("r2"))
			s.ok(b)
		}, sentence: "c1 and c2 both held the lock for 1ms: c1's key expired on r2."},
		{name: "restart", write: func(s *script) {
			s.granted("c1")
			s.world(model.Crashed, "r1")
			s.world(model.Returned, "r1")
			s.granted("c2")
		}, sentence: "c1 and c2 both held the lock for 1ms: r1 came back without c1's key."},
		{name: "restart that says what it dropped", write: func(s *script) {
			s.granted("c1")
			s.world(model.Crashed, "r1")
			s.world(model.Returned, "r1")
			s.key(model.RecordDropped, 1, 0)
			s.granted("c2")
		}, sentence: "c1 and c2 both held the lock for 1ms: r1 dropped c1's key."},
		{name: "deleted by another", write: func(s *script) {
			x := s.hold("c3")
			r := s.release("c3", x)
			a := s.granted("c1")
			s.key(model.RecordDeleted, a, r)
			s.granted("c2")
		}, sentence: "c1 and c2 both held the lock for 1ms: c1's key was deleted on r1 by c3's release.", ops: []int{2, 3, 4}},
		{name: "overwritten", write: func(s *script) {
			a := s.granted("c1")
			b := s.acquire("c2")
			s.key(model.RecordChanged, b, b, s.from(a))
			s.ok(b)
		}, sentence: "c1 and c2 both held the lock for 1ms: c1's key was overwritten on r1 by c2's acquire."},
		{name: "went in without", write: func(s *script) {
			s.granted("c1")
			s.hold("c2")
		}, sentence: "c1 and c2 both held the lock for 1ms: c2 never had the key in the store, which c1 had."},
		{name: "somebody of the process got it", write: func(s *script) {
			s.granted("c1")
			b := s.acquire("c2")
			s.key(model.RecordExpired, 1, 0)
			s.key(model.RecordCreated, 0, 0, func(o *model.Observation) { o.Owner.Client = "c2" })
			s.ok(b)
		}, sentence: "c1 and c2 both held the lock for 1ms."},
	}
	for i := range cases {
		cases[i].want = model.Violated
	}
	judgeCases(t, MutualExclusion, cases)
}
