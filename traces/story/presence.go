package story

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Presence is a stretch in which a key had one value and one expiry on one node.
type Presence struct {
	Node, Key, Value string
	Owner            model.Origin
	From, To         model.Stamp
	Expires          time.Duration // 0: never, or with its session
	Session          string        // that it lives with
	// End is the kind of event that ended it; empty if it lasted to the end of the run.
	End model.ObservationKind
	// Began is the observation that began it, ended the one that ended it.
	Began, Ended *model.Observation
}

// presences returns all stretches of all keys on all nodes, in the order in which
// they began.
func presences(t *traces.Trace) []Presence {
	type place struct{ node, key string }
	var all []Presence
	open := map[place]int{}
	for i := range t.History.Observations {
		o := &t.History.Observations[i]
		where := place{o.Node, o.Key}
		if !o.Kind.OfRecord() {
			continue
		}
		at, found := open[where]
		switch {
		case found && all[at].GoesOn(o):
			continue
		case found && all[at].SameStep(o):
			all[at].Expires = o.ExpiresAt
			continue
		}
		if found {
			all[at].To, all[at].End, all[at].Ended = o.Stamp, o.Kind, o
			delete(open, where)
		}
		if (o.Kind == model.RecordCreated || o.Kind == model.RecordChanged) && !emptied(t, o) {
			open[where] = len(all)
			h := Presence{
				Node: o.Node, Key: o.Key, Value: o.Value, Owner: o.Owner, From: o.Stamp,
				To: RunEnd(t), Session: o.Session, Began: o,
			}
			if h.Session == "" {
				h.Expires = o.ExpiresAt
			}
			all = append(all, h)
		}
	}
	return all
}

// removes reports whether an observation is that of a record that is removed or emptied, and whose it was.
func removes(t *traces.Trace, o *model.Observation) (was model.Origin, is bool) {
	if emptied(t, o) {
		return o.OldOwner, true
	}
	return o.Owner, o.Kind == model.RecordDeleted
}

// SameStep reports whether the observation belongs to the step that wrote the key, such as a script's, and adds no more
// than an expiry.
func (p *Presence) SameStep(o *model.Observation) bool {
	return o.Kind == model.RecordChanged && o.At == p.Began.At && o.By == p.Began.By && o.Value == p.Value
}

// GoesOn reports whether the observation is an extension of the session that the record lives with.
func (p *Presence) GoesOn(o *model.Observation) bool {
	return o.Kind == model.RecordChanged && p.Session != "" && o.Session == p.Session && o.Value == p.Value && o.Owner == p.Owner
}

// keysSeen returns the keys in the history: first the lock's, then the others in the order in which they appeared.
func keysSeen(t *traces.Trace, locks []string) []string {
	keys := slices.Clone(locks)
	for _, o := range t.History.Observations {
		if o.Key != "" && !slices.Contains(keys, o.Key) {
			keys = append(keys, o.Key)
		}
	}
	return keys
}

// presentAt returns the stretch of a key on a node at an event, or nil.
func presentAt(all []Presence, node, key string, seq int64) *Presence {
	for i := range all {
		p := &all[i]
		if p.Node == node && p.Key == key && p.From.Seq <= seq && seq < p.To.Seq {
			return p
		}
	}
	return nil
}

// Pause is a stretch for which something was paused.
type Pause struct {
	Actor    string
	From, To model.Stamp
}

// pauses returns the pauses of processes and nodes, in the order of their beginnings. One that never ends, ends with the
// run, or with a crash.
func pauses(t *traces.Trace) []Pause {
	var all []Pause
	open := map[string]int{}
	for _, o := range t.History.Observations {
		at, paused := open[o.Node]
		switch o.Kind {
		case model.Paused:
			if !paused {
				open[o.Node] = len(all)
				all = append(all, Pause{Actor: o.Node, From: o.Stamp, To: RunEnd(t)})
			}
		case model.Resumed, model.Crashed:
			if paused {
				all[at].To = o.Stamp
				delete(open, o.Node)
			}
		}
	}
	return all
}
