package checker

import (
	"strings"
	"testing"

	"github.com/lockpick-dev/lockpick/model"
)

// TestFairOrder: the queue is who stands in its list, in the order of the list. When
// its node has crashed it is learnt anew, and of those who are not in it nobody
// knows what their place was.
func TestFairOrder(t *testing.T) {
	const queue = "queue"
	// wait has clients call in the order of their names, a to c; c1 is a.
	wait := func(s *script, clients string) {
		for i := range clients {
			s.acquire("c" + string(clients[i]-'a'+'1'))
		}
	}
	// queued is what the queue is after what a client has done, empty if it is gone.
	queued := func(s *script, names string, by int) {
		o := model.Observation{Kind: model.RecordChanged, Node: "r1", Authority: "r1", Key: queue, By: s.origin(by), Type: "list", Items: strings.Split(names, "")}
		if names == "" {
			o.Kind, o.Items = model.RecordDeleted, nil
		}
		s.see(o)
	}
	given := func(s *script, name string, by int) {
		s.key(model.RecordCreated, by, by, func(o *model.Observation) { o.Type, o.Items = "hash", []string{name, "1"} })
		s.ok(by)
	}
	restarted := func(s *script) {
		s.world(model.Crashed, "r1")
		s.see(model.Observation{Kind: model.Returned, Node: "r1", Authority: "r1"})
		s.key(model.RecordDeleted, 0, 0, func(o *model.Observation) { o.Type, o.Items = "hash", []string{"z", "1"} }) // whoever had it has released it
	}
	o := Options{Queue: queue, Ownership: model.HashOwnership{Key: lockName}}
	judgeCases(t, FairOrder, []testCase{
		{name: "in order", want: model.Holds, o: o, write: func(s *script) {
			wait(s, "ab")
			queued(s, "a", 1)
			queued(s, "ab", 2)
			queued(s, "b", 1)
			given(s, "a", 1)
		}},
		{name: "the second first", want: model.Violated, o: o, write: func(s *script) {
			wait(s, "ab")
			queued(s, "a", 1)
			queued(s, "ab", 2)
			queued(s, "a", 2)
			given(s, "b", 2)
		}, sentence: "c2 got the lock, although c1 had waited in its queue for longer: for 3ms."},
		{name: "by the way", want: model.Violated, o: o, write: func(s *script) {
			wait(s, "ab")
			queued(s, "a", 1)
			given(s, "b", 2)
		}},
		{name: "what the node that was replaced does is no matter of order", want: model.Holds, o: o, write: func(s *script) {
			wait(s, "ab")
			hash := func(node, name string) func(*model.Observation) {
				return func(o *model.Observation) {
					o.Node, o.Authority, o.Type, o.Items = node, node, "hash", []string{name, "1"}
				}
			}
			s.key(model.RecordCreated, 0, 0, hash("r2", "z"))
			s.elected("r1", 1)
			queued(s, "", 0)
			given(s, "a", 1)
			queued(s, "b", 2)
			s.key(model.RecordExpired, 0, 0, hash("r2", "z"))
			s.key(model.RecordChanged, 1, 1, hash("r1", "a")) // it prolongs its lease
		}},
		{name: "the second first, where another was elected", want: model.Violated, o: o, write: func(s *script) {
			wait(s, "ab")
			s.elected("r1", 1)
			s.key(model.RecordDeleted, 0, 0, func(o *model.Observation) { o.Type, o.Items = "hash", []string{"z", "1"} })
			queued(s, "a", 1)
			queued(s, "ab", 2)
			queued(s, "a", 2)
			given(s, "b", 2)
		}, sentence: "c2 got the lock, although c1 had waited in its queue for longer: for 3ms."},
		{name: "in order, after a restart", want: model.Holds, o: o, write: func(s *script) {
			wait(s, "ab")
			queued(s, "a", 1)
			queued(s, "ab", 2)
			restarted(s)
			queued(s, "b", 1) // the first that is seen of it: a has left it for the lock
			given(s, "a", 1)
		}},
		{name: "the last first, after a restart", want: model.Violated, o: o, write: func(s *script) {
			wait(s, "abc")
			queued(s, "a", 1)
			queued(s, "ab", 2)
			restarted(s)
			queued(s, "abc", 3)
			given(s, "c", 3)
		}},
		{name: "by the way, past one who came after a restart", want: model.Violated, o: o, write: func(s *script) {
			wait(s, "abc")
			queued(s, "a", 1)
			restarted(s)
			queued(s, "", 1)
			given(s, "a", 1)
			queued(s, "b", 2)
			s.freed("c1", 1)
			given(s, "c", 3)
		}},
		{name: "past the first, after another's crash", want: model.Violated, o: o, write: func(s *script) {
			wait(s, "abc")
			queued(s, "a", 1)
			queued(s, "ab", 2)
			queued(s, "abc", 3)
			s.world(model.Crashed, "c3")
			given(s, "b", 2)
		}, sentence: "c2 got the lock, although c1 had waited in its queue for longer: for 4ms."},
		{name: "past the first, who has crashed", want: model.Holds, o: o, write: func(s *script) {
			wait(s, "ab")
			queued(s, "a", 1)
			queued(s, "ab", 2)
			s.world(model.Crashed, "c1")
			queued(s, "a", 2)
			given(s, "b", 2)
		}},
		{name: "past the first, who had crashed before it came", want: model.Holds, o: o, write: func(s *script) {
			wait(s, "ab")
			queued(s, "a", 1)
			s.world(model.Crashed, "c1")
			queued(s, "ab", 2)
			queued(s, "a", 2)
			given(s, "b", 2)
		}},
		{name: "past the first, who has given up", want: model.Holds, o: o, write: func(s *script) {
			wait(s, "ab")
			queued(s, "a", 1)
			queued(s, "ab", 2)
			s.failed(1)
			queued(s, "a", 2)
			given(s, "b", 2)
		}},
		{name: "past the first, who has given up and asks again", want: model.Violated, o: o, write: func(s *script) {
			wait(s, "ab")
			queued(s, "a", 1)
			queued(s, "ab", 2)
			s.failed(1)
			s.acquire("c1")
			queued(s, "a", 2)
			given(s, "b", 2)
		}},
		{name: "past the second, after the first one's crash", want: model.Violated, o: o, write: func(s *script) {
			wait(s, "abc")
			queued(s, "a", 1)
			queued(s, "ab", 2)
			queued(s, "abc", 3)
			s.world(model.Crashed, "c1")
			given(s, "c", 3)
		}, sentence: "c3 got the lock, although c2 had waited in its queue for longer: for 3ms."},
	})
}

// TestCauseOfTurns: to be passed over by a primary that has been succeeded is what a
// store does that forgets.
func TestCauseOfTurns(t *testing.T) {
	passed := func(node string) func(*script) {
		hash := func(name string) func(*model.Observation) {
			return func(o *model.Observation) { o.Type, o.Items = "hash", []string{name, "1"} }
		}
		return func(s *script) {
			s.world(model.Promoted, "r2")
			s.acquire("c1")
			s.acquire("c2")
			s.key(model.RecordDeleted, 0, 0, on("r2"), hash("z")) // now it is known who has the lock
			s.see(model.Observation{Kind: model.RecordChanged, Node: "r2", Authority: "r2", Key: "queue", By: s.origin(1), Type: "list"})
			s.see(model.Observation{Kind: model.RecordChanged, Node: "r2", Authority: "r2", Key: "queue", By: s.origin(1), Type: "list", Items: []string{"a"}})
			s.key(model.RecordCreated, 2, 2, on(node), hash("b"))
			s.ok(2)
		}
	}
	o := Options{Queue: "queue", Ownership: model.HashOwnership{Key: lockName}}
	judgeCauses(t, FairOrder, []causeCase{
		{name: "by the same primary", cause: model.OutOfTurn, o: o, write: passed("r2")},
		{name: "by the one before", cause: model.StoreForgot, o: o, write: passed("r1")},
	})
}
