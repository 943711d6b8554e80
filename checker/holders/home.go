package holders

import (
	"maps"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// This file follows the authorities of keys in a store whose servers have different parts of the records. The authority of
// a key is the serving node of the server that its part is assigned to.

// home is the home of records: node, or the node that took its place; and, for records that it does not have, the node
// sentTo to which it redirects clients, if any.
type home struct{ node, sentTo string }

// at is a record on a node.
type at struct{ node, key string }

// Homes follows, in the course of the observations, which node is the authority of each key.
type Homes struct {
	hs      *Holders
	leaders map[string]string // the serving node, by server: those that were promoted
	down    map[string]bool   // nodes
	first   map[string]home   // by key: where it was first seen
	parts   map[string]home   // by part: where it is assigned
	has     map[at]bool       // which nodes that act as authorities have a record
}

// Divided reports whether the servers have different records: then one of them is the authority of a key.
func (hs *Holders) Divided() bool { return hs.o.Nodes < 2 && len(hs.o.Servers) > 1 && !hs.o.Apart }

// NewHomes returns where the records of the store belong, before any observation.
func (hs *Holders) NewHomes() *Homes {
	return &Homes{
		hs: hs, leaders: map[string]string{}, down: map[string]bool{},
		first: map[string]home{}, parts: map[string]home{}, has: map[at]bool{},
	}
}

// See takes an observation into account.
func (h *Homes) See(o *model.Observation) {
	place := o.Place()
	switch {
	case o.Kind == model.Promoted:
		h.leaders[h.hs.Server(place)] = place
		h.down[place] = false
	case o.Kind == model.Crashed:
		h.down[place] = true
	case o.Kind == model.Returned:
		h.down[place] = false
	case o.Kind == model.Assigned:
		h.parts[o.Part] = home{place, o.SentTo}
		h.leaders[h.hs.Server(place)] = place
	case o.Authority == "" || !o.Kind.OfRecord():
	default:
		h.has[at{place, o.Key}] = o.Kind == model.RecordCreated || o.Kind == model.RecordChanged
		if _, known := h.first[o.Key]; !known {
			h.first[o.Key] = home{node: place}
		}
	}
}

// clone returns a copy that is advanced independently.
func (h *Homes) clone() *Homes {
	c := *h
	c.leaders, c.down, c.has = maps.Clone(h.leaders), maps.Clone(h.down), maps.Clone(h.has)
	c.first, c.parts = maps.Clone(h.first), maps.Clone(h.parts)
	return &c
}

// PartOf returns the part that a key belongs to: the key itself if it moves alone.
func (hs *Holders) PartOf(key string) string {
	if hs.o.Part == nil {
		return key
	}
	return hs.o.Part(key)
}

// of returns the home of a key, without a node if it is not known.
func (h *Homes) of(key string) home {
	if assigned, is := h.parts[h.hs.PartOf(key)]; is {
		return assigned
	}
	return h.first[key]
}

// serving returns the node that serves in place of the given one.
func (h *Homes) serving(node string) string {
	if leader := h.leaders[h.hs.Server(node)]; leader != "" {
		return leader
	}
	return node
}

// Assigned reports whether the store has assigned the part of a key to a server.
func (h *Homes) Assigned(key string) bool {
	_, is := h.parts[h.hs.PartOf(key)]
	return is
}

// Authority returns the node whose record of a key counts, "" if it is not known.
func (h *Homes) Authority(key string) string {
	home := h.of(key)
	owner := h.serving(home.node)
	if home.sentTo != "" && !h.has[at{owner, key}] {
		return h.serving(home.sentTo)
	}
	return owner
}

// strays reports whether an observation not yet seen shows a client's change of a record whose part is assigned to another
// node, or the assignment of a part away from its records.
func (h *Homes) strays(o *model.Observation) bool {
	part := h.hs.PartOf(o.Key)
	_, assigned := h.parts[part]
	switch {
	case o.Kind == model.Assigned:
		part = o.Part
	case o.Authority == "" || !o.Kind.OfRecord() || o.Kind == model.RecordExpired || o.By.Client == "":
		return false
	default:
		return assigned && o.Place() != h.Authority(o.Key)
	}
	before, had := h.parts[part]
	changed := false
	for _, key := range slices.Sorted(maps.Keys(h.first)) {
		if h.hs.PartOf(key) == part {
			was := h.Authority(key)
			h.parts[part] = home{o.Place(), o.SentTo}
			changed = changed || h.has[at{was, key}] && h.Authority(key) != was
			if h.parts[part] = before; !had {
				delete(h.parts, part)
			}
		}
	}
	return changed
}

// isDown reports whether the authority of a key, or of any key if it is empty, is down.
func (h *Homes) isDown(key string) bool {
	if key != "" {
		return h.down[h.Authority(key)]
	}
	for _, k := range h.hs.LockKeys() {
		if h.down[h.Authority(k)] {
			return true
		}
	}
	return false
}
