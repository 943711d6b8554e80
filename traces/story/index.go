package story

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// index finds what belongs to an operation without reading the history again.
type index struct {
	// LastOf is, by acquisition, the last event that belongs to it.
	LastOf map[int]int64
	// released is, by acquisition, the return of the first Release that succeeded.
	released map[int]int64
	// claimsOf are, by acquisition, its claims in their order.
	claimsOf map[int][]*Claim
	// grants are, by acquisition, the stretches of the lock's key that it
	// wrote on nodes that were authorities: the first of each node.
	grants map[int][]*Presence
	// removals are, by operation, the removals of the lock's key that it
	// caused on authorities.
	removals map[int][]*model.Observation
	// Overwritten is, by the event of a write, the write of another acquisition that it undoes.
	Overwritten map[int64]*model.Observation
}

func (s *Facts) newIndex() index {
	x := index{
		LastOf: map[int]int64{}, released: map[int]int64{}, claimsOf: map[int][]*Claim{}, grants: map[int][]*Presence{},
		removals: map[int][]*model.Observation{}, Overwritten: map[int64]*model.Observation{},
	}
	for i := range s.Trace.History.Operations {
		o := &s.Trace.History.Operations[i]
		x.LastOf[o.Acquisition] = max(x.LastOf[o.Acquisition], o.Call.Seq, o.Return.Seq)
		if o.Kind == model.Release && o.Result == model.OK && x.released[o.Acquisition] == 0 {
			x.released[o.Acquisition] = o.Return.Seq
		}
	}
	for i := range s.Claims {
		c := &s.Claims[i]
		x.claimsOf[c.Acquire.ID] = append(x.claimsOf[c.Acquire.ID], c)
	}
	for i := range s.Presences {
		p := &s.Presences[i]
		id := AcquisitionOf(s.Trace, p.Owner.Op)
		known := slices.ContainsFunc(x.grants[id], func(g *Presence) bool { return g.Node == p.Node })
		if id != 0 && p.Began.Authority != "" && s.IsLockKey(p.Key) && !known {
			x.grants[id] = append(x.grants[id], p)
		}
	}
	for i := range s.Trace.History.Observations {
		o := &s.Trace.History.Observations[i]
		if _, is := removes(s.Trace, o); is && o.Authority != "" && o.By.Op != 0 && s.IsLockKey(o.Key) {
			x.removals[o.By.Op] = append(x.removals[o.By.Op], o)
		}
	}
	s.findOverwritten(x.Overwritten)
	return x
}

// ClaimBy returns the last claim of an acquisition that has begun by an event, or
// the first if none has; nil if there is none.
func (x *index) ClaimBy(acquisition int, seq int64) *Claim {
	var last *Claim
	for i, c := range x.claimsOf[acquisition] {
		if i == 0 || c.From.Seq <= seq {
			last = c
		}
	}
	return last
}

// findOverwritten finds lost updates: a write undoes another acquisition's write that happened after it had read the value
// that it now writes back, changed.
func (s *Facts) findOverwritten(found map[int64]*model.Observation) {
	type reader struct {
		node        string
		acquisition int
	}
	lastWrite := map[string]*model.Observation{}
	seen := map[reader]*model.Observation{} // the last write at the time of the read
	reading := map[reader]bool{}
	for i := range s.Trace.History.Observations {
		o := &s.Trace.History.Observations[i]
		who := reader{o.Node, AcquisitionOf(s.Trace, o.By.Op)}
		switch o.Kind {
		case model.ResourceRead:
			reading[who], seen[who] = true, lastWrite[o.Node]
		case model.ResourceWritten:
			last := lastWrite[o.Node]
			if reading[who] && last != nil && last != seen[who] && AcquisitionOf(s.Trace, last.By.Op) != who.acquisition {
				found[o.Seq] = last
			}
			lastWrite[o.Node], seen[who] = o, o
		}
	}
}
