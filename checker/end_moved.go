package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// This file answers what became of records that the store moves from one server to another, and of those of one
// lock that are in several parts of it.

// moved reports whether a tenure ended because its record had been moved to another server: the store itself
// deleted it where it was, when the other one had it.
func (j *Judge) moved(t *tenure) bool {
	if !j.divided() || t.over == nil || t.over.Kind != model.RecordDeleted || t.over.By != (model.Origin{}) {
		return false
	}
	return slices.ContainsFunc(j.tenures(), func(other tenure) bool {
		return other.first == t.first && j.server(other.node) != j.server(t.node) && other.from.Seq < t.over.Seq && j.movedIn(&other)
	})
}

// movedIn reports whether a tenure began because its record came from another server, which had it until then, by the
// store's own doing.
func (j *Judge) movedIn(t *tenure) bool {
	if !j.divided() || t.wrote.By != (model.Origin{}) || t.from.Seq != t.wrote.Seq {
		return false
	}
	return slices.ContainsFunc(j.tenures(), func(other tenure) bool {
		return other.first == t.first && j.server(other.node) != j.server(t.node) && other.from.Seq < t.from.Seq && other.stands(t.from.Seq)
	})
}

// migrated reports whether, at a place, parts of a grant do not count because another server is the authority of
// their key by then: the store has assigned the key's part to that one, or never sent clients to this one for good.
func (j *Judge) migrated(parts []part, at model.Stamp) bool {
	if !j.divided() {
		return false
	}
	h := j.newHomes()
	elsewhere := func(p *part) bool {
		_, assigned := h.parts[j.partOf(p.key)]
		return assigned && j.server(h.authority(p.key)) != p.server
	}
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq > at.Seq {
			break
		}
		h.see(o)
		if o.Kind == model.RecordDropped && slices.ContainsFunc(parts, func(p part) bool { return p.over == o && elsewhere(&p) }) {
			return true
		}
	}
	return slices.ContainsFunc(parts, func(p part) bool { return p.how == stands && elsewhere(&p) })
}

// moves reports whether an observation is a step of records that the store moves from one server to another.
func (j *Judge) moves(o *model.Observation) bool {
	copied := o.Kind == model.RecordCreated || o.Kind == model.RecordDeleted
	return j.divided() && (o.Kind == model.Assigned || copied && o.Authority != "" && o.By == (model.Origin{}))
}

// strayed reports whether, from one event to another, clients changed records at a node that was not their authority,
// or another became that without them, because they were being moved.
func (j *Judge) strayed(from, to int64) bool {
	if !j.divided() {
		return false
	}
	h := j.newHomes()
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
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

// forgetting is the cause if the store forgot anything between two events, by itself or in a migration; empty if it
// did not.
func (j *Judge) forgetting(from, to int64) string {
	switch {
	case j.strayed(from, to):
		return Migration
	case j.forgot(from, to):
		return StoreForgot
	}
	return ""
}

// scattered reports whether the lock's keys are in several parts of the store.
func (j *Judge) scattered() bool {
	keys := j.lockKeys()
	return j.o.Part != nil && slices.ContainsFunc(keys, func(key string) bool { return j.partOf(key) != j.partOf(keys[0]) })
}

// unlessScattered is the cause of what the store did to the lock, unless its keys are in several parts: each of
// these fails and moves by itself, and all of them are no majority of independent servers.
func (j *Judge) unlessScattered(cause string) string {
	if j.scattered() {
		return WrongShard
	}
	return cause
}

// refusedScattered reports whether a node refused a request of one of the operations, or of the acquisitions that they
// belong to, because its keys are in several parts.
func (j *Judge) refusedScattered(operations []int) bool {
	return slices.ContainsFunc(j.h.Observations, func(o model.Observation) bool {
		return o.Kind == model.Scattered && (slices.Contains(operations, o.By.Op) || slices.Contains(operations, j.acquisitionOf(o.By)))
	})
}

// unlessRefused is the verdict, unless it is due to a request that a node refused because its keys are in several
// parts: then it has that cause.
func (j *Judge) unlessRefused(v model.Verdict) model.Verdict {
	switch v.Cause {
	case NotServed, LeftBehind, NotWoken, Spins, NotEstablished:
		if v.Status == model.Violated && j.refusedScattered(v.Operations) {
			return with(v, WrongShard)
		}
	}
	return v
}

// astray reports whether a tenure is where its acquisition's requests did not come, right after an event: another node
// was the authority of its key, or it was a copy of a record that the store had not removed where it was.
func (j *Judge) astray(t *tenure, seq int64) bool {
	if !j.divided() {
		return false
	}
	h := j.newHomes()
	for i := range j.h.Observations {
		if o := &j.h.Observations[i]; o.Seq <= seq {
			h.see(o)
		}
	}
	if _, assigned := h.parts[j.partOf(t.key)]; assigned && h.authority(t.key) != t.node {
		return true
	}
	return j.movedIn(t) && !slices.ContainsFunc(j.tenures(), func(other tenure) bool { return other.first == t.first && j.moved(&other) })
}
