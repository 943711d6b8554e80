package checker

import (
	"testing"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// TestVainWait: c2 waits behind c1, and its session ends.
func TestVainWait(t *testing.T) {
	for _, r := range recipes {
		// after ends c2's session, and lets c2 wait on for so long.
		after := func(d time.Duration, then func(q *queueing, b int)) func(*script) {
			return func(s *script) {
				q := &queueing{script: s, recipe: r, number: map[int]int{}}
				a, b := q.gets("c1"), q.ask("c2")
				q.sessionEnds(b)
				q.sleep(d)
				then(q, b)
				q.leaves("c1", a)
			}
		}
		fails := func(q *queueing, b int) { q.unknown(b) }
		t.Run(r.name, func(t *testing.T) {
			o := Options{Ownership: r.view}
			judgeCases(t, VainWait, []testCase{
				{name: "nobody waited", o: o, want: model.NotApplicable, write: func(s *script) {
					q := &queueing{script: s, recipe: r, number: map[int]int{}}
					q.leaves("c1", q.gets("c1"))
				}},
				{name: "told in time", o: o, want: model.Holds, write: after(lease/2, fails)},
				{name: "told late", o: o, want: model.Violated, write: after(2*lease, fails), ops: []int{2}},
				{name: "never told", o: o, want: model.Violated, write: after(2*lease, func(*queueing, int) {}), ops: []int{2}},
				{name: "queues anew", o: o, want: model.Holds, write: after(lease/2, func(q *queueing, b int) {
					q.number[b] += 10
					q.happens(model.RecordCreated, b, b)
					q.sleep(2 * lease)
					q.unknown(b)
				})},
				{name: "crashes", o: o, want: model.Holds, write: after(lease/2, func(q *queueing, _ int) {
					q.world(model.Crashed, "c2")
					q.sleep(2 * lease)
				})},
				{name: "while the world has not healed", o: o, want: model.Holds, write: after(2*lease, func(q *queueing, b int) {
					q.h.Healed = q.tick().At
					fails(q, b)
				})},
			})
		})
	}
}
