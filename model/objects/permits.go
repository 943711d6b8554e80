package objects

import "github.com/lockpick-dev/lockpick/model"

// permits is the state of a [model.KindPermitSemaphore]: each permit that is granted
// has an id, and a lease.
//
//   - Acquire, ok: a permit was free, and none with this id is held. A try that
//     failed: none was free. Unknown: it took one if one was free; its id is
//     not known, so only Of can name it, and neither is its end.
//   - Release, ok: the permit that it names was held, and is free. Failed: it is
//     not held any more. Unknown: the same.
//   - Extend, ok: the permit was held, and its Until is put off. Failed or
//     unknown: nothing changed, as with [model.KindLeased].
//   - Lapse: the permit is free, under the conditions of [model.KindLeased].
//
// Any client that knows the id may release and extend, as in Redisson. Jepsen's
// Hazelcast tests have none of this kind.
type permits struct{ grants }

func (p permits) Equal(other permits) bool { return p.grants.Equal(other.grants) }
func (p permits) Hash() uint64             { return uint64(p.digest()) }

func (p permits) String() string { return semaphore(p).String() }

func stepPermits(count int64) func(permits, Action, model.Outcome) (permits, bool) {
	return func(p permits, a Action, out model.Outcome) (permits, bool) {
		c := a.Call
		switch {
		case a.Part == Lapse:
			return permits{p.without(func(x grant) bool { return x.named(a) && ranOut(a, x.until) })}, true
		case c.Op == model.Acquire:
			next, legal := p.acquire(c, out, count)
			return permits{next}, legal
		}
		for i, x := range p.grants {
			switch {
			case !x.named(a):
				continue
			case c.Op == model.Release:
				x.n = 0
			case out == model.OK:
				x.until = c.Until
			}
			return permits{p.where(i, x)}, true
		}
		return p, out != model.OK
	}
}

func (p permits) acquire(c *model.Call, out model.Outcome, count int64) (grants, bool) {
	x := grant{hold: hold{c.ID, c.Holder()}, n: 1, until: valid(c)}
	if out == model.OK {
		x.permit = c.Permit
	}
	used := false
	for i := range p.grants {
		used = used || x.permit != "" && p.grants[i].permit == x.permit
	}
	may := int64(len(p.grants)) < count
	switch {
	case out == model.Failed:
		return p.grants, !c.Try || !may
	case may && !used:
		return p.with(x), true
	}
	return p.grants, out == model.Unknown
}

// named reports whether the action concerns this grant, by the permit's id or by the
// Acquire.
func (x grant) named(a Action) bool {
	c := a.Call
	switch {
	case a.Hold != nil || c.Op.Acquires():
		return x.lapses(a)
	case c.Of != 0:
		return x.id == c.Of
	}
	return x.permit == c.Permit
}
