package render

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// presence is a stretch in which a key had one value and one expiry on one
// node.
type presence struct {
	node, key, value string
	owner            model.Origin
	from, to         model.Stamp
	expires          time.Duration // 0: never, or with its session
	session          string        // that it lives with
	// end is what ended it; empty if it lasted to the end of the run.
	end model.ObservationKind
	// began is the observation that began it, ended the one that ended it.
	began, ended *model.Observation
}

// presences are all stretches of all keys on all nodes, in the order in which
// they began.
func presences(t *traces.Trace) []presence {
	type place struct{ node, key string }
	var all []presence
	open := map[place]int{}
	for i := range t.History.Observations {
		o := &t.History.Observations[i]
		where := place{o.Node, o.Key}
		if !o.Kind.OfRecord() {
			continue
		}
		at, found := open[where]
		switch {
		case found && all[at].goesOn(o):
			continue
		case found && all[at].sameStep(o):
			all[at].expires = o.ExpiresAt
			continue
		}
		if found {
			all[at].to, all[at].end, all[at].ended = o.Stamp, o.Kind, o
			delete(open, where)
		}
		if o.Kind == model.RecordCreated || o.Kind == model.RecordChanged {
			open[where] = len(all)
			h := presence{
				node: o.Node, key: o.Key, value: o.Value, owner: o.Owner, from: o.Stamp,
				to: model.Stamp{Seq: t.LastSeq() + 1, At: t.EndAt()}, session: o.Session, began: o,
			}
			if h.session == "" {
				h.expires = o.ExpiresAt
			}
			all = append(all, h)
		}
	}
	return all
}

// sameStep reports whether the observation is of the step that has written the
// key, such as a script's, and gives it no more than an expiry.
func (p *presence) sameStep(o *model.Observation) bool {
	return o.Kind == model.RecordChanged && o.At == p.began.At && o.By == p.began.By && o.Value == p.value
}

// goesOn reports whether the observation is that the session lasts longer which
// the record lives with.
func (p *presence) goesOn(o *model.Observation) bool {
	return o.Kind == model.RecordChanged && p.session != "" && o.Session == p.session && o.Value == p.value && o.Owner == p.owner
}

// keysSeen are the keys that the history speaks of: first the lock's, then the others
// in the order in which they appeared.
func keysSeen(t *traces.Trace, locks []string) []string {
	keys := slices.Clone(locks)
	for _, o := range t.History.Observations {
		if o.Key != "" && !slices.Contains(keys, o.Key) {
			keys = append(keys, o.Key)
		}
	}
	return keys
}

// presentAt is the stretch of a key on a node at an event, or nil.
func presentAt(all []presence, node, key string, seq int64) *presence {
	for i := range all {
		p := &all[i]
		if p.node == node && p.key == key && p.from.Seq <= seq && seq < p.to.Seq {
			return p
		}
	}
	return nil
}

// spell is a stretch for which something was paused.
type spell struct {
	actor    string
	from, to model.Stamp
}

// pauses are the pauses of processes and nodes, in the order of their
// beginnings. One that never ends ends with the run, or with a crash.
func pauses(t *traces.Trace) []spell {
	var all []spell
	open := map[string]int{}
	for _, o := range t.History.Observations {
		at, paused := open[o.Node]
		switch o.Kind {
		case model.Paused:
			if !paused {
				open[o.Node] = len(all)
				all = append(all, spell{actor: o.Node, from: o.Stamp, to: model.Stamp{Seq: t.LastSeq() + 1, At: t.EndAt()}})
			}
		case model.Resumed, model.Crashed:
			if paused {
				all[at].to = o.Stamp
				delete(open, o.Node)
			}
		}
	}
	return all
}
