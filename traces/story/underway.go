package story

import (
	"cmp"
	"container/heap"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// underWay finds the operations of a client that are under way, at increasing times. Its cost does not depend on their
// number.
type underWay struct {
	next []*model.Operation // those not called yet
	// current has the operations that return after the current time, or never; ended those that return at it. In each, those
	// of the lock come first, then those of the resource.
	current [2]byReturn
	ended   [2][]*model.Operation
	at      time.Duration
}

// pool is one of the four groups of operations under way.
type pool struct{ use, ended bool }

func newUnderWay(t *traces.Trace, client string) *underWay {
	u := &underWay{}
	for i := range t.History.Operations {
		if o := &t.History.Operations[i]; o.Client == client {
			u.next = append(u.next, o)
		}
	}
	return u
}

// moveTo advances to a time, which must not be earlier than the one before.
func (u *underWay) moveTo(at time.Duration) {
	for len(u.next) > 0 && u.next[0].Call.At <= at {
		heap.Push(&u.current[count01(usesResource(u.next[0]))], u.next[0])
		u.next = u.next[1:]
	}
	for use := range u.current {
		if at > u.at {
			u.ended[use] = nil
		}
		for h := &u.current[use]; len(*h) > 0 && returns((*h)[0]) <= at; {
			if o := heap.Pop(h).(*model.Operation); returns(o) == at {
				u.ended[use] = append(u.ended[use], o)
			}
		}
	}
	u.at = at
}

// few returns the operations under way, in the order of their IDs; false if there are more than most.
func (u *underWay) few(most int) (list []*model.Operation, ok bool) {
	if len(u.current[0])+len(u.current[1])+len(u.ended[0])+len(u.ended[1]) > most {
		return nil, false
	}
	list = slices.Concat(u.current[0], u.current[1], u.ended[0], u.ended[1])
	slices.SortFunc(list, func(a, b *model.Operation) int { return cmp.Compare(a.ID, b.ID) })
	return list, true
}

// mostLikely returns the operations that a segment may belong to; use is set if the segment is for the resource. It
// prefers those that do not return at once, and then those of that kind.
func (u *underWay) mostLikely(use bool) (ops []*model.Operation, of pool) {
	for _, of := range []pool{{use, false}, {!use, false}, {use, true}, {!use, true}} {
		ops := []*model.Operation(u.current[count01(of.use)])
		if of.ended {
			ops = u.ended[count01(of.use)]
		}
		if len(ops) > 0 {
			return ops, of
		}
	}
	return nil, pool{}
}

// returns returns when an operation returns, the end of time if it does not.
func returns(o *model.Operation) time.Duration {
	if !o.Return.Happened() {
		return math.MaxInt64
	}
	return o.Return.At
}

// byReturn is a heap of operations, the first to return first.
type byReturn []*model.Operation

func (h byReturn) Len() int           { return len(h) }
func (h byReturn) Less(i, j int) bool { return returns(h[i]) < returns(h[j]) }
func (h byReturn) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *byReturn) Push(o any)        { *h = append(*h, o.(*model.Operation)) }
func (h *byReturn) Pop() any {
	last := len(*h) - 1
	o := (*h)[last]
	*h = (*h)[:last]
	return o
}

// crowds are the segments that may belong to too many operations to be shown at each.
type crowds struct {
	bySeq map[int64]*crowd
	// sent has the segments of all operations of a pool, in the order in which they were sent, and named those whose
	// operations are named.
	sent  map[stretchOf][]*crowd
	named []*crowd
}

// crowd is a segment, with the number of such segments and answers.
type crowd struct {
	ops   []int // if they are named
	sent  time.Duration
	count int
}

// stretchOf identifies the operations of a client in a pool.
type stretchOf struct {
	client string
	pool
}

func newCrowds() *crowds { return &crowds{bySeq: map[int64]*crowd{}, sent: map[stretchOf][]*crowd{}} }

// add adds a segment whose operations are named.
func (c *crowds) add(seq int64, one *crowd) {
	one.count = 1
	c.bySeq[seq] = one
	c.named = append(c.named, one)
}

// of adds a segment of all operations of a pool.
func (c *crowds) of(seq int64, which stretchOf, sent time.Duration) {
	one := &crowd{sent: sent, count: 1}
	c.bySeq[seq] = one
	c.sent[which] = append(c.sent[which], one)
}

// answered adds an answer to a segment.
func (c *crowds) answered(seq int64) {
	if one := c.bySeq[seq]; one != nil {
		one.count++
	}
}

// unclear returns, by operation, how many segments and answers may belong to it.
func (c *crowds) unclear(t *traces.Trace) map[int]int {
	all := map[int]int{}
	for _, one := range c.named {
		for _, id := range one.ops {
			all[id] += one.count
		}
	}
	sums := map[stretchOf][]int{}
	for which, list := range c.sent { // unordered: each has its own sums
		sum := make([]int, len(list)+1)
		for i, one := range list {
			sum[i+1] = sum[i] + one.count
		}
		sums[which] = sum
	}
	between := func(which stretchOf, from, to time.Duration) int {
		list, sum := c.sent[which], sums[which]
		if len(list) == 0 {
			return 0
		}
		first := sort.Search(len(list), func(i int) bool { return list[i].sent >= from })
		end := sort.Search(len(list), func(i int) bool { return list[i].sent > to })
		return sum[end] - sum[first]
	}
	for i := range t.History.Operations {
		o := &t.History.Operations[i]
		until, use := returns(o), usesResource(o)
		n := between(stretchOf{o.Client, pool{use, true}}, until, until)
		if until > o.Call.At {
			n += between(stretchOf{o.Client, pool{use, false}}, o.Call.At, until-1)
		}
		if n > 0 {
			all[o.ID] += n
		}
	}
	return all
}
