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
		// anew has c2 wait behind c1, and lets something happen to its record and to one that it
		// puts there with another session. Then it waits on.
		anew := func(s *script, happens func(q *queueing, b int, early model.Observation)) {
			q := &queueing{script: s, recipe: r, number: map[int]int{}}
			a, b := q.gets("c1"), q.ask("c2")
			q.number[b] += 10
			early := q.told(model.RecordCreated, b, b)
			early.Session = "session anew"
			q.number[b] -= 10
			happens(q, b, early)
			q.sleep(2 * lease)
			q.unknown(b)
			q.leaves("c1", a)
		}
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
				{name: "has queued anew before", o: o, want: model.Holds, write: func(s *script) {
					anew(s, func(q *queueing, b int, early model.Observation) {
						q.see(early)
						q.happens(model.RecordExpired, b, 0)
					})
				}},
				{name: "has queued anew before, and loses that place too", o: o, want: model.Violated, write: func(s *script) {
					anew(s, func(q *queueing, b int, early model.Observation) {
						q.see(early)
						q.happens(model.RecordExpired, b, 0)
						early.Kind = model.RecordExpired
						q.see(early)
					})
				}, ops: []int{2}},
				{name: "has queued anew before, and left that place", o: o, want: model.Violated, write: func(s *script) {
					anew(s, func(q *queueing, b int, early model.Observation) {
						q.see(early)
						early.Kind = model.RecordDeleted
						q.see(early)
						q.happens(model.RecordExpired, b, 0)
					})
				}, ops: []int{2}},
				{name: "has made what lives with no session", o: o, want: model.Violated, write: func(s *script) {
					anew(s, func(q *queueing, b int, early model.Observation) {
						early.Session, early.Key = "", lockName
						q.see(early)
						q.happens(model.RecordExpired, b, 0)
					})
				}, ops: []int{2}},
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
