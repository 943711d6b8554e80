package objects

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// latch is the state of a [model.KindLatch]: the count.
//
//   - CountDown of n, ok or unknown: the count is n lower, but not below zero.
//     Failed: nothing changed.
//   - Await, ok: the count was zero. A try that failed: it was not. Another
//     failure, or an unknown outcome, says nothing.
//   - Read, ok: the count was the value.
//
// Once at zero it stays there. (Redisson's can be set again, by trySetCount: to
// this model that is another latch.) Crashes change nothing: what was counted
// down remains so.
type latch struct{ count int64 }

func (l latch) Equal(other latch) bool { return l == other }
func (l latch) Hash() uint64           { return uint64(newDigest.int(l.count)) }
func (l latch) String() string         { return fmt.Sprintf("%d to go", l.count) }

func stepLatch(l latch, a Action, out model.Outcome) (latch, bool) {
	c := a.Call
	switch c.Op {
	case model.CountDown:
		if out != model.Failed {
			l.count = max(0, l.count-c.Amount())
		}
		return l, true
	case model.Read:
		return l, out != model.OK || !c.Valued || c.Value == l.count
	}
	return l, answered(c, out, l.count == 0)
}
