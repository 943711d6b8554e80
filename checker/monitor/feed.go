package monitor

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// Feed passes the calls of one object, and the crashes that concern it, to a
// monitor in the order of their events, and then the end. It stops where the
// monitor finds a violation. For n calls, at most k of them open at a time, it
// takes O(n log k) if they come in the order of their calls, and O(n log n)
// otherwise.
func Feed(m Monitor, calls []model.Call) Result {
	if x, ok := m.(*exclusive); ok && x.kind == model.KindMutex && x.now == 0 && orderly(calls) {
		return Result{Status: model.Holds}
	}
	calls = postponed(calls)
	if !sorted(calls) {
		calls = slices.Clone(calls)
		slices.SortStableFunc(calls, inOrder)
	}
	var open returns
	for i := range calls {
		c := &calls[i]
		for len(open) > 0 && open[0].Return < c.Call {
			m.Return(open.pop())
		}
		m.Call(c)
		if !c.Pending() {
			open.push(c)
		}
		if i%64 == 0 { // checking more often costs more than it saves
			if r := m.Result(); r.Status == model.Violated {
				return r
			}
		}
	}
	for len(open) > 0 {
		m.Return(open.pop())
	}
	m.End()
	return m.Result()
}

// sorted reports whether the calls are in order.
func sorted(calls []model.Call) bool {
	for i := 1; i < len(calls); i++ {
		a, b := &calls[i-1], &calls[i]
		if b.Call < a.Call || b.Call == a.Call && ending(b.Op) < ending(a.Op) {
			return false
		}
	}
	return true
}

// postponed moves each expiry behind the acquire of its hold: before that it can end nothing.
func postponed(calls []model.Call) []model.Call {
	expires := func(c *model.Call) bool { return c.Op == model.Expire }
	some := false
	for i := range calls {
		some = some || expires(&calls[i])
	}
	if !some {
		return calls
	}
	calls = slices.Clone(calls)
	at := make(map[int]int64, len(calls))
	for i := range calls {
		at[calls[i].ID] = calls[i].Call
	}
	for i := range calls {
		if c := &calls[i]; expires(c) {
			c.Call = max(c.Call, at[c.Of])
		}
	}
	return calls
}

// inOrder compares calls by their events. A crash or an expiry applies to calls at the same event.
func inOrder(a, b model.Call) int {
	return cmp.Or(cmp.Compare(a.Call, b.Call), cmp.Compare(ending(a.Op), ending(b.Op)))
}

func ending(op model.OpKind) int {
	if op == model.Crash || op == model.Expire {
		return 1
	}
	return 0
}

// returns is a heap of calls under way, the first to return on top.
type returns []*model.Call

func (r *returns) push(c *model.Call) {
	h := append(*r, c)
	i := len(h) - 1
	for ; i > 0 && h[(i-1)/2].Return > c.Return; i = (i - 1) / 2 {
		h[i] = h[(i-1)/2]
	}
	h[i] = c
	*r = h
}

func (r *returns) pop() *model.Call {
	h := *r
	top, c := h[0], h[len(h)-1]
	h[len(h)-1] = nil
	h = h[:len(h)-1]
	i := 0
	for {
		child := 2*i + 1
		if child+1 < len(h) && h[child+1].Return < h[child].Return {
			child++
		}
		if child >= len(h) || c.Return <= h[child].Return {
			break
		}
		h[i] = h[child]
		i = child
	}
	if len(h) > 0 {
		h[i] = c
	}
	*r = h
	return top
}
