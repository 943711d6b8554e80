package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// moved reports whether a tenure ended because its record had been moved to another server: the store itself
// deleted it where it was, when the other one had it.
func (hs *Holders) moved(t *tenure) bool {
	if !hs.divided() || t.over == nil || t.over.Kind != model.RecordDeleted || t.over.By != (model.Origin{}) {
		return false
	}
	return slices.ContainsFunc(hs.tenures(), func(other tenure) bool {
		return other.first == t.first && hs.server(other.node) != hs.server(t.node) && other.from.Seq < t.over.Seq && hs.movedIn(&other)
	})
}

// movedIn reports whether a tenure began because its record came from another server, which had it until then, by the
// store's own doing.
func (hs *Holders) movedIn(t *tenure) bool {
	if !hs.divided() || t.wrote.By != (model.Origin{}) || t.from.Seq != t.wrote.Seq {
		return false
	}
	return slices.ContainsFunc(hs.tenures(), func(other tenure) bool {
		return other.first == t.first && hs.server(other.node) != hs.server(t.node) && other.from.Seq < t.from.Seq && other.stands(t.from.Seq)
	})
}

// moves reports whether an observation is a step of records that the store moves from one server to another.
func (hs *Holders) moves(o *model.Observation) bool {
	copied := o.Kind == model.RecordCreated || o.Kind == model.RecordDeleted
	return hs.divided() && (o.Kind == model.Assigned || copied && o.Authority != "" && o.By == (model.Origin{}))
}

// strayed reports whether, from one event to another, clients changed records at a node that was not their authority,
// or another became that without them, because they were being moved.
func (hs *Holders) strayed(from, to int64) bool {
	if !hs.divided() {
		return false
	}
	h := hs.newHomes()
	for i := range hs.h.Observations {
		o := &hs.h.Observations[i]
		if o.Seq > to {
			break
		}
		if o.Seq >= from && h.strays(o) {
			return true
		}
		h.see(o)
	}
	return false
}

// scattered reports whether the lock's keys are in several parts of the store.
func (hs *Holders) scattered() bool {
	keys := hs.lockKeys()
	return hs.o.Part != nil && slices.ContainsFunc(keys, func(key string) bool { return hs.partOf(key) != hs.partOf(keys[0]) })
}

// astray reports whether a tenure is where its acquisition's requests did not come, right after an event: another node
// was the authority of its key, or it was a copy of a record that the store had not removed where it was.
func (hs *Holders) astray(t *tenure, seq int64) bool {
	if !hs.divided() {
		return false
	}
	h := hs.newHomes()
	for i := range hs.h.Observations {
		if o := &hs.h.Observations[i]; o.Seq <= seq {
			h.see(o)
		}
	}
	if h.assigned(t.key) && h.authority(t.key) != t.node {
		return true
	}
	return hs.movedIn(t) && !slices.ContainsFunc(hs.tenures(), func(other tenure) bool { return other.first == t.first && hs.moved(&other) })
}
