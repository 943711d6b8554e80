package endings

import (
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// This file finds the observation that took a record away, and whether a server forgot anything.

// Loss returns the observation that took the acquisition's key from the authority, if the key is gone right after the
// event until.
func (es *Endings) Loss(acquisition int, key string, until int64) *model.Observation {
	var lost *model.Observation
	var room [4]keyView
	nodes := room[:0]
	had := false
	for i := range es.h.Observations {
		o := &es.h.Observations[i]
		if o.Seq > until {
			break
		}
		if o.Key != key && (o.Kind != model.Promoted && o.Kind != model.Returned || !es.among(nodes, o.Place())) {
			continue
		}
		var n *keyView
		n, nodes = viewOf(nodes, o.Place())
		mine := es.AcquisitionOf(o.Owner) == acquisition
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
			if mine && (o.Authority != "" || o.Kind == model.RecordDropped) && !es.Moves(o) {
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

// among reports whether a node belongs to the server of the viewed nodes, or there are none.
func (es *Endings) among(views []keyView, node string) bool {
	return len(views) == 0 || slices.ContainsFunc(views, func(v keyView) bool { return es.SameServer(v.node, node) })
}

// keyView is one node's view of an acquisition's key.
type keyView struct {
	node string
	has  bool
	// back is when the node last came back without certainty about the key.
	back *model.Observation
}

// viewOf returns the view of the node, and the views with it added if it was missing.
func viewOf(views []keyView, node string) (*keyView, []keyView) {
	for i := range views {
		if views[i].node == node {
			return &views[i], views
		}
	}
	views = append(views, keyView{node: node})
	return &views[len(views)-1], views
}

// overwritten returns the observation by which a node lost the key when another owner's value was observed there: the
// change, or else the node's absence.
func overwritten(n *keyView, o *model.Observation) *model.Observation {
	if o.Kind == model.RecordChanged {
		return o
	}
	return n.back
}

// Forgets reports whether an observation of the kind shows a store that forgets.
func Forgets(kind model.ObservationKind) bool {
	return kind == model.Promoted || kind == model.Returned || kind == model.RecordDropped
}
