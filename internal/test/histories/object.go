package histories

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// object is a shared object of any kind, as plain code: the simulated clients use it, and Linearizable executes it. It is
// written apart from the models, and differently, so that the two can be compared: re-entry, for one, is another entry
// here, and a count there.
type object struct {
	spec model.Spec
	// entries are the holds, in the order in which they were taken.
	entries []entry
	// token is the greatest fencing token that was given or seen, if any was;
	// own is set if the hold of a re-entrant fenced mutex has it.
	token  int64
	tokens bool
	own    bool
	// queue are the Acquires that wait for a fair mutex.
	queue []int
	// arrived are the Awaits that arrived at a barrier.
	arrived []int
	// count is the remaining count of a latch.
	count int64
	// values are those of a register or a counter (one), or of a stock.
	values []int64
}

// entry is the result of one Acquire.
type entry struct {
	// id is that of the Acquire; if an owner may enter again, all of its entries have the id of the last one, which has
	// renewed them.
	id     int
	owner  string
	write  bool
	n      int64
	permit string
	until  int64
}

func newObject(spec model.Spec) *object {
	o := &object{spec: spec, count: spec.Count, values: []int64{spec.Initial}}
	if spec.Kind == model.KindStock {
		o.values = slices.Clone(spec.Stock)
	}
	return o
}

func (o *object) clone() *object {
	c := *o
	c.entries = slices.Clone(o.entries)
	c.queue = slices.Clone(o.queue)
	c.arrived = slices.Clone(o.arrived)
	c.values = slices.Clone(o.values)
	return &c
}

// able reports whether the object can serve a call now that is neither a release nor an arrival.
func (o *object) able(c *model.Call) bool {
	others := slices.ContainsFunc(o.entries, func(e entry) bool { return e.owner != c.Holder() })
	switch o.spec.Kind {
	case model.KindReentrant, model.KindReentrantFenced:
		return !others && (o.spec.Limit == 0 || len(o.entries) < o.spec.Limit)
	case model.KindReadWrite:
		writes := slices.ContainsFunc(o.entries, func(e entry) bool { return e.write })
		if c.Op == model.AcquireRead {
			return !writes || !others
		}
		return len(o.entries) == 0 || writes && !others
	case model.KindSemaphore:
		return o.out()+c.Amount() <= o.spec.Permits
	case model.KindPermitSemaphore:
		return o.out() < o.spec.Permits
	case model.KindFair:
		if c.Try {
			return len(o.entries) == 0 && len(o.queue) == 0
		}
		return len(o.entries) == 0 && len(o.queue) > 0 && o.queue[0] == c.ID
	case model.KindLatch:
		return c.Op != model.Await || o.count == 0
	case model.KindBarrier:
		return len(o.arrived) >= (o.generation(c)+1)*o.spec.Parties
	case model.KindRegister, model.KindCounter:
		return o.admits(c) && (c.Op != model.Cas || o.values[0] == c.Expected)
	case model.KindStock:
		return o.admits(c) && (c.Op != model.Take || o.values[c.Segment] >= c.Amount())
	}
	return len(o.entries) == 0
}

// out returns how many permits are out.
func (o *object) out() int64 {
	n := int64(0)
	for _, e := range o.entries {
		n += e.n
	}
	return n
}

// admits reports whether the token of an access is high enough.
func (o *object) admits(c *model.Call) bool { return !c.Fenced || !o.tokens || c.Token >= o.token }

// generation returns the barrier's generation in which an Await arrived.
func (o *object) generation(c *model.Call) int { return slices.Index(o.arrived, c.ID) / o.spec.Parties }

// serve applies a call that able accepted, with the call's answers. It reports whether the object could have given them.
// Those of a call of unknown outcome do not count.
func (o *object) serve(c *model.Call) bool {
	known := c.Outcome == model.OK
	switch c.Op {
	case model.Acquire, model.AcquireRead, model.AcquireWrite:
		return o.take(c, known)
	case model.CountDown:
		o.count = max(0, o.count-c.Amount())
	case model.Await:
		return o.spec.Kind != model.KindBarrier || !known || !c.Valued || int(c.Value) == o.generation(c)
	case model.Write, model.Cas:
		o.values[0] = c.N
	case model.Add:
		o.values[0] += c.N
	case model.Take:
		o.values[c.Segment] -= c.Amount()
	case model.Put:
		o.values[c.Segment] += c.Amount()
	}
	o.see(c)
	if !known || !c.Valued {
		return true
	}
	if o.spec.Kind == model.KindLatch {
		return c.Value == o.count
	}
	return c.Value == o.values[c.Segment]
}

// see applies an access that passes with its token. (Tokens that a lock gives are not seen by it.)
func (o *object) see(c *model.Call) {
	if isAccess(o.spec.Kind) && c.Fenced && o.admits(c) {
		o.token, o.tokens = c.Token, true
	}
}

func (o *object) take(c *model.Call, known bool) bool {
	e := entry{id: c.ID, owner: c.Holder(), write: c.Op == model.AcquireWrite, n: c.Amount()}
	if !known && (o.spec.Kind == model.KindLeased || o.spec.Kind == model.KindPermitSemaphore) {
		e.until = c.Call // at any time
	}
	if known {
		for _, other := range o.entries {
			if c.Permit != "" && other.permit == c.Permit {
				return false
			}
		}
		e.permit, e.until = c.Permit, c.Until
	}
	if len(o.entries) == 0 {
		o.own = false
	}
	if o.spec.Kind == model.KindFair && !c.Try {
		o.queue = o.queue[1:]
	}
	o.entries = append(o.entries, e)
	for _, other := range o.group(e) {
		for i := range o.entries {
			if o.entries[i] == other {
				o.entries[i].id = e.id
			}
		}
	}
	if !known || !c.Fenced {
		return true
	}
	if o.own && o.spec.Kind == model.KindReentrantFenced {
		return c.Token == o.token
	}
	if o.tokens && c.Token <= o.token {
		return false
	}
	o.token, o.tokens, o.own = c.Token, true, true
	return true
}

// means reports whether a Release, an Extend or an Expire names the entry.
func (o *object) means(c *model.Call, e entry) bool {
	switch o.spec.Kind {
	case model.KindReentrant, model.KindReentrantFenced:
		if c.Op != model.Expire {
			return e.owner == c.Holder()
		}
	case model.KindReadWrite:
		return e.owner == c.Holder() && e.write == (c.Op == model.ReleaseWrite)
	}
	switch {
	case c.Of != 0:
		return e.id == c.Of
	case c.Permit != "":
		return e.permit == c.Permit
	}
	return e.owner == c.Holder()
}

// give gives back what a Release names, entries of the last Acquires first, and reports whether all of it was held.
func (o *object) give(c *model.Call) bool {
	for left := c.Amount(); left > 0; {
		last := -1
		for i, e := range o.entries {
			if o.means(c, e) && (last < 0 || e.id >= o.entries[last].id) {
				last = i
			}
		}
		if last < 0 {
			return false
		}
		n := min(left, o.entries[last].n)
		left -= n
		if o.entries[last].n -= n; o.entries[last].n == 0 {
			o.entries = slices.Delete(o.entries, last, last+1)
		}
	}
	return true
}

// deny applies a Release whose answer is that its hold does not exist.
func (o *object) deny(c *model.Call) {
	if o.spec.Kind == model.KindSemaphore {
		o.give(c)
		return
	}
	o.entries = slices.DeleteFunc(o.entries, func(e entry) bool { return o.means(c, e) })
}

// extend moves the end of the hold that an Extend names, if it exists.
func (o *object) extend(c *model.Call) bool {
	found := false
	for i := range o.entries {
		if o.means(c, o.entries[i]) {
			found = true
			if c.Outcome == model.OK {
				o.entries[i].until = c.Until
			}
		}
	}
	return found
}

// group returns everything that ends with an entry when that ends by itself: the whole hold of a re-entrant owner.
func (o *object) group(e entry) []entry {
	switch o.spec.Kind {
	case model.KindReentrant, model.KindReentrantFenced, model.KindReadWrite:
	default:
		return []entry{e}
	}
	var all []entry
	for _, other := range o.entries {
		if other.owner == e.owner && other.write == e.write {
			all = append(all, other)
		}
	}
	return all
}

// end ends entries by themselves.
func (o *object) end(gone []entry) {
	o.entries = slices.DeleteFunc(o.entries, func(e entry) bool { return slices.Contains(gone, e) })
}
