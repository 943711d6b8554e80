package checker

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// This file answers what took a record away, and whether a server forgot anything.

// loss returns the observation that took the acquisition's key from the
// authority, if the key is gone when the given event (which counts) has
// happened.
func (j *Judge) loss(acquisition int, key string, until int64) *model.Observation {
	var lost *model.Observation
	var room [4]keyView
	nodes := room[:0]
	had := false
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq > until {
			break
		}
		if o.Key != key && (o.Kind != model.Promoted && o.Kind != model.Returned || !j.among(nodes, o.Place())) {
			continue
		}
		var n *keyView
		n, nodes = viewOf(nodes, o.Place())
		mine := j.acquisitionOf(o.Owner) == acquisition
		var gone *model.Observation
		switch o.Kind {
		case model.RecordCreated, model.RecordChanged:
			if mine && o.Authority != "" {
				had, lost = true, nil
			} else if o.Authority != "" && n.has {
				gone = overwritten(n, o)
			}
			n.has, n.back = mine, nil
		case model.RecordExpired, model.RecordDeleted, model.RecordDropped:
			if mine && (o.Authority != "" || o.Kind == model.RecordDropped) && !j.moves(o) {
				gone = o
			}
			n.has = n.has && !mine
		case model.Promoted:
			if !n.has {
				gone = o
			}
		case model.Returned:
			n.back = o
		}
		if had && lost == nil {
			lost = gone
		}
	}
	return lost
}

// among reports whether a node is of the server of those that have been seen with the key, or none has.
func (j *Judge) among(views []keyView, node string) bool {
	return len(views) == 0 || slices.ContainsFunc(views, func(v keyView) bool { return j.sameServer(v.node, node) })
}

// keyView is what one node has of an acquisition's key.
type keyView struct {
	node string
	has  bool
	// back is when the node last came back with the key in doubt.
	back *model.Observation
}

// viewOf returns the view of the node, adding it to the views if need be.
func viewOf(views []keyView, node string) (*keyView, []keyView) {
	for i := range views {
		if views[i].node == node {
			return &views[i], views
		}
	}
	views = append(views, keyView{node: node})
	return &views[len(views)-1], views
}

// overwritten returns the observation by which a node lost the key when another
// owner's was observed there: a change, or else the node's absence.
func overwritten(n *keyView, o *model.Observation) *model.Observation {
	if o.Kind == model.RecordChanged {
		return o
	}
	return n.back
}

// forgets reports whether an observation of the kind shows a store that forgets.
func forgets(kind model.ObservationKind) bool {
	return kind == model.Promoted || kind == model.Returned || kind == model.RecordDropped
}

// forgot reports whether a server forgot anything between two events: it lost keys
// in a restart or when it came back, or a node replaced another that had other
// values, or that goes on beside it.
func (j *Judge) forgot(from, to int64) bool {
	var copies []copyOf
	var serving, down, beside []string
	for i := range j.h.Observations {
		o := &j.h.Observations[i]
		if o.Seq > to {
			break
		}
		if o.Seq >= from && len(beside) > 0 {
			return true
		}
		switch o.Kind {
		case model.RecordCreated, model.RecordChanged, model.RecordExpired, model.RecordDeleted:
			copies = slices.DeleteFunc(copies, func(c copyOf) bool { return c.node == o.Place() && c.key == o.Key })
			if o.Kind == model.RecordCreated || o.Kind == model.RecordChanged {
				copies = append(copies, copyOf{o.Place(), o.Key, o.Value, o.Items})
			}
			if o.Authority != "" && !slices.Contains(serving, o.Place()) {
				if slices.ContainsFunc(serving, func(n string) bool { return j.sameServer(n, o.Place()) }) {
					beside = append(beside, o.Place())
				}
				serving = append(serving, o.Place())
			}
		case model.RecordDropped:
			if o.Seq >= from {
				return true
			}
		case model.Crashed, model.Returned:
			at := func(n string) bool { return n == o.Place() }
			if down, beside = slices.DeleteFunc(down, at), slices.DeleteFunc(beside, at); o.Kind == model.Crashed {
				down = append(down, o.Place())
			}
		case model.Promoted:
			for _, old := range serving {
				switch {
				case old == o.Place() || !j.sameServer(old, o.Place()):
				case !slices.Contains(down, old):
					beside = append(beside, old)
				case o.Seq >= from && !sameCopies(copies, old, o.Place()):
					return true
				}
			}
			serving = slices.DeleteFunc(serving, func(n string) bool { return j.sameServer(n, o.Place()) })
			serving = append(serving, o.Place())
		}
	}
	return len(beside) > 0
}

// copyOf is what a node has of a key.
type copyOf struct {
	node, key, value string
	items            []string
}

func sameCopies(copies []copyOf, a, b string) bool {
	has := func(node string, c *copyOf) bool {
		return slices.ContainsFunc(copies, func(o copyOf) bool {
			return o.node == node && o.key == c.key && o.value == c.value && slices.Equal(o.items, c.items)
		})
	}
	for i := range copies {
		c := &copies[i]
		if c.node == a && !has(b, c) || c.node == b && !has(a, c) {
			return false
		}
	}
	return true
}
