package holders

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// Moved reports whether a tenure ended because its record was moved to another server: the store itself deleted the record
// after the other server had got it.
func (hs *Holders) Moved(t *Tenure) bool {
	if !hs.Divided() || t.Over == nil || t.Over.Kind != model.RecordDeleted || t.Over.By != (model.Origin{}) {
		return false
	}
	return slices.ContainsFunc(hs.Tenures(), func(other Tenure) bool {
		return other.First == t.First && hs.Server(other.Node) != hs.Server(t.Node) && other.From.Seq < t.Over.Seq && hs.movedIn(&other)
	})
}

// movedIn reports whether a tenure began because the store moved its record from another server, which had it until then.
func (hs *Holders) movedIn(t *Tenure) bool {
	if !hs.Divided() || t.Wrote.By != (model.Origin{}) || t.From.Seq != t.Wrote.Seq {
		return false
	}
	return slices.ContainsFunc(hs.Tenures(), func(other Tenure) bool {
		return other.First == t.First && hs.Server(other.Node) != hs.Server(t.Node) && other.From.Seq < t.From.Seq && other.Stands(t.From.Seq)
	})
}

// Continues reports whether a tenure continues an earlier one of the same acquisition without a request: its node came
// back or was promoted with the record, or the store moved the record from another server.
func (hs *Holders) Continues(t *Tenure) bool { return t.Resumed || hs.movedIn(t) }

// Moves reports whether an observation is a step of a move of records from one server to another.
func (hs *Holders) Moves(o *model.Observation) bool {
	copied := o.Kind == model.RecordCreated || o.Kind == model.RecordDeleted
	return hs.Divided() && (o.Kind == model.Assigned || copied && o.Authority != "" && o.By == (model.Origin{}))
}

// Strayed reports whether, between two events, a move of records made clients change records at a node that was not their
// authority, or made a node the authority of records that it did not have.
func (hs *Holders) Strayed(from, to int64) bool {
	if !hs.Divided() {
		return false
	}
	h := hs.NewHomes()
	for i := range hs.h.Observations {
		o := &hs.h.Observations[i]
		if o.Seq > to {
			break
		}
		if o.Seq >= from && h.strays(o) {
			return true
		}
		h.See(o)
	}
	return false
}

// Scattered reports whether the lock's keys are in several parts of the store.
func (hs *Holders) Scattered() bool {
	keys := hs.LockKeys()
	return hs.o.Part != nil && slices.ContainsFunc(keys, func(key string) bool { return hs.PartOf(key) != hs.PartOf(keys[0]) })
}

// OutOfReach reports whether, right after an event, requests did not reach the node of a tenure because records were being
// moved: another node was the authority of its key, or the tenure was of a copy whose original was not removed.
func (hs *Holders) OutOfReach(t *Tenure, seq int64) bool {
	if !hs.Divided() {
		return false
	}
	h := hs.NewHomes()
	for i := range hs.h.Observations {
		if o := &hs.h.Observations[i]; o.Seq <= seq {
			h.See(o)
		}
	}
	if h.Assigned(t.Key) && h.Authority(t.Key) != t.Node {
		return true
	}
	return hs.movedIn(t) && !slices.ContainsFunc(hs.Tenures(), func(other Tenure) bool { return other.First == t.First && hs.Moved(&other) })
}
