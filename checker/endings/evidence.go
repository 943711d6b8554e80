package endings

import (
	"maps"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// This file finds the observations that a limit rests on.

// evidence has, for each cause that makes a violation a limit, the observations on which it may rest, by their kinds. The
// function reports whether an observation counts.
var evidence = map[string]map[model.ObservationKind]func(*accused, *model.Observation) bool{
	model.StoreForgot: {
		model.Promoted: (*accused).ofStore, model.Returned: (*accused).ofStore, model.Crashed: (*accused).ofStore, model.RecordDropped: (*accused).ofStore,
	},
	model.TwoMasters:       {model.Promoted: func(a *accused, o *model.Observation) bool { return o.Epoch > 0 && a.ofStore(o) }},
	model.Migration:        {model.Assigned: (*accused).ofStore},
	model.StoreClockJumped: {model.ClockJumped: (*accused).ofStore, model.RecordExpired: (*accused).expiredEarly},
	model.ClientClockOff:   {model.ClockJumped: (*accused).ofClient, model.ClockOff: (*accused).ofClient},
	model.HolderStopped:    {model.Paused: (*accused).ofClient},
	model.HolderLate: {
		model.Delayed: (*accused).ofMessage, model.ReplyLost: (*accused).ofMessage,
		model.ResourceRead: (*accused).onItsWay, model.ResourceWritten: (*accused).onItsWay,
	},
	model.HolderCutOff: {
		model.Parted: (*accused).partsNodes, model.Paused: (*accused).ofNode, model.Crashed: (*accused).ofNode,
		model.RecordExpired: func(a *accused, o *model.Observation) bool { return o.Broken && a.owns(o) },
	},
}

// accused are the operations of a violation and their clients.
type accused struct {
	*Endings
	ops     []int
	clients []string
}

// RestsOn returns the first observation until an event on which a limit with this cause may rest, for a violation of these
// operations; nil if there is none.
func (es *Endings) RestsOn(cause string, operations []int, until int64) *model.Observation {
	a := accused{Endings: es, ops: operations}
	for _, id := range a.ops {
		if op := es.h.Operation(id); op != nil && !slices.Contains(a.clients, op.Client) {
			a.clients = append(a.clients, op.Client)
		}
	}
	for i := range es.h.Observations {
		o := &es.h.Observations[i]
		if o.Seq > until {
			break
		}
		if counts, is := evidence[cause][o.Kind]; is && counts(&a, o) {
			return o
		}
	}
	return nil
}

// is reports whether a process is the client of one of the operations.
func (a *accused) is(client string) bool { return slices.Contains(a.clients, client) }

// owns reports whether an observation shows a record of one of the clients.
func (a *accused) owns(o *model.Observation) bool { return a.is(a.ClientOf(o.Owner)) }

// ofClient reports whether an observation concerns one of the clients, ofNode whether it concerns no client.
func (a *accused) ofClient(o *model.Observation) bool { return a.is(o.Node) }
func (a *accused) ofNode(o *model.Observation) bool   { return !a.IsClient(o.Node) }

// partsNodes reports whether a partition separates other processes than electors.
func (a *accused) partsNodes(o *model.Observation) bool { return !a.PartsElectors(o) }

// ofMessage reports whether an observation concerns a message of one of the clients, or one between nodes.
func (a *accused) ofMessage(o *model.Observation) bool {
	if client := a.ClientOf(o.By); a.IsClient(client) {
		return a.is(client)
	}
	return a.ofNode(o) || a.is(o.Node)
}

// ofStore reports whether an observation concerns a node, and the history has a record written for one of the clients or
// for an unknown one: a client without a record can lose none. The records of a stock are everybody's.
func (a *accused) ofStore(o *model.Observation) bool {
	return a.ofNode(o) && (a.o.Spec.Kind == model.KindStock || slices.ContainsFunc(a.h.Observations, func(w model.Observation) bool {
		written, by := w.Kind == model.RecordCreated || w.Kind == model.RecordChanged, a.ClientOf(w.By)
		return written && (by == "" || a.is(by) || a.owns(&w))
	}))
}

// expiredEarly reports whether a client's record expired before the end that the store had last shown.
func (a *accused) expiredEarly(o *model.Observation) bool {
	if !a.owns(o) {
		return false
	}
	if o.ExpiresAt > o.At {
		return true
	}
	shown := o.At
	for _, w := range a.ObservationsOf(o.Place(), o.Key, 0) {
		if w.Seq < o.Seq && (w.Kind == model.RecordCreated || w.Kind == model.RecordChanged) {
			shown = w.ExpiresAt
		}
	}
	return shown > o.At+rounding
}

// onItsWay reports whether an observation is an access by one of the clients that was called in time and took effect after
// its claim had ended.
func (a *accused) onItsWay(o *model.Observation) bool {
	op := a.h.Operation(o.By.Op)
	if op == nil || !slices.Contains(a.ops, op.ID) {
		return false
	}
	return slices.ContainsFunc(a.ClaimsOf(op.Acquisition), func(i int) bool {
		c := &a.Claims()[i]
		return c.Stands(op.Call) && !c.Stands(o.Stamp)
	})
}

// Evidence returns the kinds of observations on which a limit with this cause may rest, sorted; none if the cause is no
// limit.
func Evidence(cause string) []model.ObservationKind { return slices.Sorted(maps.Keys(evidence[cause])) }
