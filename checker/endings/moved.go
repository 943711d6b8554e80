package endings

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// This file finds the fate of records that the store moves from one server to another, and of a lock's records that are in
// several parts of the store.

// migrated reports whether, at a place, parts of a grant do not count because another server is the authority of their
// key: the store has assigned the key's part to it, or never sent clients to the granting server for good.
func (es *Endings) migrated(parts []Part, at model.Stamp) bool {
	if !es.Divided() {
		return false
	}
	h := es.NewHomes()
	elsewhere := func(p *Part) bool {
		return h.Assigned(p.Key) && es.Server(h.Authority(p.Key)) != p.Server
	}
	for i := range es.h.Observations {
		o := &es.h.Observations[i]
		if o.Seq > at.Seq {
			break
		}
		h.See(o)
		if o.Kind == model.RecordDropped && slices.ContainsFunc(parts, func(p Part) bool { return p.Over == o && elsewhere(&p) }) {
			return true
		}
	}
	return slices.ContainsFunc(parts, func(p Part) bool { return p.How == Stands && elsewhere(&p) })
}

// Forgetting returns store-forgot or migration if the store forgot anything between two events, by itself or while it moved
// records, and "" if it did not.
func (es *Endings) Forgetting(from, to int64) string {
	switch {
	case es.Strayed(from, to):
		return model.Migration
	case es.Forgot(from, to):
		return model.StoreForgot
	}
	return ""
}

// unlessScattered returns the cause of a loss by the store, or wrong-shard if the lock's keys are in several parts: each
// part fails and moves by itself, and together they are no majority of independent servers.
func (es *Endings) unlessScattered(cause string) string {
	if es.Scattered() {
		return model.WrongShard
	}
	return cause
}

// RefusedScattered reports whether a node refused a request of one of the operations, or of the acquisitions that they
// belong to, because its keys are in several parts.
func (es *Endings) RefusedScattered(operations []int) bool {
	return slices.ContainsFunc(es.h.Observations, func(o model.Observation) bool {
		return o.Kind == model.Scattered && (slices.Contains(operations, o.By.Op) || slices.Contains(operations, es.AcquisitionOf(o.By)))
	})
}

// MovedFrom returns a part of a grant whose server clients no longer ask for its key at a stamp, because the store was
// moving the key; nil if there is none. asked is the node that they ask instead, and step the last step of the move.
func (es *Endings) MovedFrom(parts []Part, at model.Stamp) (p *Part, asked string, step *model.Observation) {
	h := es.NewHomes()
	for i := range es.h.Observations {
		if o := &es.h.Observations[i]; o.Seq <= at.Seq {
			if h.See(o); o.Kind == model.Assigned {
				step = o
			}
		}
	}
	if p = EndedBy(parts, Stands, Forgotten); p == nil || step == nil {
		return nil, "", nil
	}
	return p, h.Authority(p.Key), step
}
