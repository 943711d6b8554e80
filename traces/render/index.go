package render

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// index finds what belongs to an operation without reading the history again.
type index struct {
	// lastOf is, by acquisition, the last event of what belongs to it.
	lastOf map[int]int64
	// released is, by acquisition, the return of the first Release that succeeded.
	released map[int]int64
	// claimsOf are, by acquisition, its claims in their order.
	claimsOf map[int][]*claim
	// grants are, by acquisition, the stretches of the lock's key that it
	// wrote on nodes that were authorities: the first of each node.
	grants map[int][]*presence
	// removals are, by operation, the removals of the lock's key that it
	// caused on authorities.
	removals map[int][]*model.Observation
	// overwritten is, by the event of a write, the write of another
	// acquisition that it undoes.
	overwritten map[int64]*model.Observation
	// requests finds what an answer answers.
	requests requests
	// repeats is, by the event at which a request arrives, how the client
	// sends it if it does so again.
	repeats map[int64]string
	// returning is, by the event of its return, each operation.
	returning map[int64]*model.Operation
}

func (s *story) newIndex() index {
	x := index{
		lastOf: map[int]int64{}, released: map[int]int64{}, claimsOf: map[int][]*claim{}, grants: map[int][]*presence{},
		removals: map[int][]*model.Observation{}, overwritten: map[int64]*model.Observation{},
		repeats: map[int64]string{}, returning: map[int64]*model.Operation{},
	}
	for i := range s.t.History.Operations {
		o := &s.t.History.Operations[i]
		if o.Return.Happened() {
			x.returning[o.Return.Seq] = o
		}
		x.lastOf[o.Acquisition] = max(x.lastOf[o.Acquisition], o.Call.Seq, o.Return.Seq)
		if o.Kind == model.Release && o.Result == model.OK && x.released[o.Acquisition] == 0 {
			x.released[o.Acquisition] = o.Return.Seq
		}
	}
	for i := range s.claims {
		c := &s.claims[i]
		x.claimsOf[c.acquire.ID] = append(x.claimsOf[c.acquire.ID], c)
	}
	for i := range s.presences {
		p := &s.presences[i]
		id := acquisitionOf(s.t, p.owner.Op)
		known := slices.ContainsFunc(x.grants[id], func(g *presence) bool { return g.node == p.node })
		if id != 0 && p.began.Authority != "" && s.isLockKey(p.key) && !known {
			x.grants[id] = append(x.grants[id], p)
		}
	}
	for i := range s.t.History.Observations {
		o := &s.t.History.Observations[i]
		if o.Kind == model.RecordDeleted && o.Authority != "" && o.By.Op != 0 && s.isLockKey(o.Key) {
			x.removals[o.By.Op] = append(x.removals[o.By.Op], o)
		}
	}
	x.requests = newRequests(s.t)
	s.findOverwritten(x.overwritten)
	return x
}

// claimBy is the last claim of an acquisition that has begun by an event, or
// the first if none has; nil if there is none.
func (x *index) claimBy(acquisition int, seq int64) *claim {
	var last *claim
	for i, c := range x.claimsOf[acquisition] {
		if i == 0 || c.from.Seq <= seq {
			last = c
		}
	}
	return last
}

// findOverwritten finds lost updates: a write undoes another acquisition's if
// that one came after this one had read what it now writes back, changed.
func (s *story) findOverwritten(found map[int64]*model.Observation) {
	type reader struct {
		node        string
		acquisition int
	}
	lastWrite := map[string]*model.Observation{}
	seen := map[reader]*model.Observation{} // the last write when it read
	reading := map[reader]bool{}
	for i := range s.t.History.Observations {
		o := &s.t.History.Observations[i]
		who := reader{o.Node, acquisitionOf(s.t, o.By.Op)}
		switch o.Kind {
		case model.ResourceRead:
			reading[who], seen[who] = true, lastWrite[o.Node]
		case model.ResourceWritten:
			last := lastWrite[o.Node]
			if reading[who] && last != nil && last != seen[who] && acquisitionOf(s.t, last.By.Op) != who.acquisition {
				found[o.Seq] = last
			}
			lastWrite[o.Node], seen[who] = o, o
		}
	}
}
