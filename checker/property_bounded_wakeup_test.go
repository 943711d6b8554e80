package checker

import (
	"strings"
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestBoundedWakeupBehindTheGone: who is first in the queue, and will not come, costs
// the others the time until he is passed over, and no more. That he is there has to be
// nobody's fault.
func TestBoundedWakeupBehindTheGone(t *testing.T) {
	const queue = "queue"
	queued := func(s *script, names string, by int) {
		o := model.Observation{Kind: model.RecordChanged, Node: "r1", Authority: "r1", Key: queue, By: s.origin(by), Type: "list", Items: strings.Split(names, "")}
		if names == "" {
			o.Kind, o.Items = model.RecordDeleted, nil
		}
		s.see(o)
	}
	holder := func(name string) func(*model.Observation) {
		return func(o *model.Observation) { o.Type, o.Items = "hash", []string{name, "1"} }
	}
	// behind has c1 hold the lock and release it; g, of c3, gets into the queue in the
	// given way, and c2 stands behind it. From the release to when c2 has the lock it
	// takes 200 ms, and so long that g is out of the queue.
	behind := func(enter func(s *script) (g int), passed int) func(*script) {
		return func(s *script) {
			a := s.acquire("c1")
			s.key(model.RecordCreated, a, a, expires(200*ms), holder("a"))
			s.ok(a)
			g := enter(s)
			b := s.acquire("c2")
			queued(s, "gb", b)
			if s.h.Operation(g).Return.Seq == 0 {
				s.world(model.Crashed, "c3")
			}
			r := s.release("c1", a)
			s.key(model.RecordDeleted, a, r, holder("a"))
			s.ok(r)
			s.sleep(ms * time.Duration(passed))
			queued(s, "b", b)
			s.sleep(ms * time.Duration(200-passed))
			queued(s, "", b)
			s.key(model.RecordCreated, b, b, holder("b"))
			s.ok(b)
		}
	}
	crashed := func(s *script) int {
		g := s.acquire("c3")
		queued(s, "g", g)
		return g
	}
	late := func(s *script) int {
		g := s.acquire("c3")
		s.failed(g)
		queued(s, "g", g)
		return g
	}
	left := func(s *script) int { // it gives up, and stays in the queue
		g := s.acquire("c3")
		queued(s, "g", g)
		s.failed(g)
		return g
	}
	o := Options{WakeupBound: 50 * ms, Queue: queue, Ownership: model.HashOwnership{Key: lockName}}
	noQueue := o
	noQueue.Queue = ""
	judgeCases(t, BoundedWakeup, []testCase{
		{name: "a late request, passed over at last", want: model.Holds, o: o, write: behind(late, 180)},
		{name: "a late request, and slept on", want: model.Violated, o: o, write: behind(late, 20)},
		{name: "crashed, passed over at last", want: model.Holds, o: o, write: behind(crashed, 180)},
		{name: "crashed, and slept on", want: model.Violated, o: o, write: behind(crashed, 20)},
		{name: "gave up without leaving the queue", want: model.Violated, o: o, write: behind(left, 180)},
		{name: "no queue", want: model.Violated, o: noQueue, write: behind(late, 180)},
	})
}
