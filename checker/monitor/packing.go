package monitor

import (
	"math"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// packing looks for one order of a semaphore's calls, without backtracking, where the monitor has a doubt because of tries
// that failed. If it finds one the history is legal; if not, that proves nothing.
//
// Releases take effect as late as they can: when they return, or when an acquire that returns has no room, the first to
// return first. Acquires take effect when they return or, if a failed try needs more permits to be held, earlier: again
// the first to return first, since they have the least time left. That happens when the try returns or, if the packing is
// eager, when a release returns while the try is under way.
type packing struct {
	permits, used int64
	eager         bool
	acquires      []*model.Call // under way, will succeed, and have not taken effect; by their return
	releases      []*model.Call // under way, and have not taken effect; by their return
	tries         []*model.Call // under way, will fail, and are not explained
}

// packed reports whether an order was found.
func packed(permits int64, calls []model.Call) bool {
	for i := range calls {
		if c := &calls[i]; c.Op == model.Crash || c.Op == model.Release && c.Outcome != model.OK {
			return false // how much it gave back is unknown
		}
	}
	lazy, eager := &packing{permits: permits}, &packing{permits: permits, eager: true}
	return walk(lazy, calls) || walk(eager, calls)
}

// walk feeds a packing, and reports whether it found an order.
func walk(p *packing, calls []model.Call) bool {
	m := &packer{packing: p}
	Feed(m, calls)
	return !m.failed
}

// packer is a packing that implements Monitor without a result.
type packer struct {
	*packing
	failed bool
}

func (m *packer) End()           {}
func (m *packer) Result() Result { return Result{Status: model.Undecided} }

func (m *packer) Call(c *model.Call) {
	switch {
	case m.failed || c.Op == model.Acquire && c.Pending():
	case c.Op == model.Release:
		m.releases = byReturn(m.releases, c)
	case c.Outcome == model.OK:
		m.acquires = byReturn(m.acquires, c)
	case c.Try:
		m.tries = append(m.tries, c)
		m.explain()
	}
}

func (m *packer) Return(c *model.Call) {
	switch {
	case m.failed:
	case c.Op == model.Release:
		if i := slices.Index(m.releases, c); i >= 0 {
			if m.eager {
				for _, t := range slices.Clone(m.tries) {
					m.raise(t)
				}
			}
			m.release(i)
		}
	case c.Outcome == model.OK:
		if i := slices.Index(m.acquires, c); i >= 0 {
			for m.used+c.Amount() > m.permits && len(m.releases) > 0 {
				m.release(0)
			}
			m.failed = m.used+c.Amount() > m.permits
			m.acquire(i)
		}
	case c.Try:
		if slices.Contains(m.tries, c) && !m.raise(c) {
			m.failed = true
		}
	}
}

// byReturn inserts a call into a list sorted by returns.
func byReturn(list []*model.Call, c *model.Call) []*model.Call {
	end := func(c *model.Call) int64 {
		if c.Pending() {
			return math.MaxInt64
		}
		return c.Return
	}
	i := slices.IndexFunc(list, func(x *model.Call) bool { return end(x) > end(c) })
	if i < 0 {
		i = len(list)
	}
	return slices.Insert(list, i, c)
}

func (p *packing) release(i int) {
	p.used -= p.releases[i].Amount()
	p.releases = slices.Delete(p.releases, i, i+1)
}

func (p *packing) acquire(i int) {
	p.used += p.acquires[i].Amount()
	p.acquires = slices.Delete(p.acquires, i, i+1)
	p.explain()
}

// explain drops the tries that would fail now.
func (p *packing) explain() {
	p.tries = slices.DeleteFunc(p.tries, func(t *model.Call) bool { return p.used > p.permits-t.Amount() })
}

// raise lets acquires take effect until a try fails, and reports whether it does. If it cannot, nothing changes.
func (p *packing) raise(t *model.Call) bool {
	if !slices.Contains(p.tries, t) {
		return true
	}
	used := p.used
	var chosen []int
	for i, a := range p.acquires {
		if used <= p.permits-t.Amount() && used+a.Amount() <= p.permits {
			used += a.Amount()
			chosen = append(chosen, i)
		}
	}
	if used <= p.permits-t.Amount() {
		return false
	}
	for _, i := range slices.Backward(chosen) {
		p.acquire(i)
	}
	return true
}
