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
	expires          time.Duration // 0: never
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
		switch o.Kind {
		case model.RecordCreated, model.RecordChanged, model.RecordExpired, model.RecordDeleted, model.RecordDropped:
		default:
			continue
		}
		at, found := open[where]
		if found && all[at].sameStep(o) {
			all[at].expires = o.ExpiresAt
			continue
		}
		if found {
			all[at].to, all[at].end, all[at].ended = o.Stamp, o.Kind, o
			delete(open, where)
		}
		if o.Kind == model.RecordCreated || o.Kind == model.RecordChanged {
			open[where] = len(all)
			all = append(all, presence{
				node: o.Node, key: o.Key, value: o.Value, owner: o.Owner, from: o.Stamp,
				to: model.Stamp{Seq: t.LastSeq() + 1, At: t.EndAt()}, expires: o.ExpiresAt, began: o,
			})
		}
	}
	return all
}

// sameStep reports whether the observation is of the step that has written the
// key, such as a script's, and gives it no more than an expiry.
func (p *presence) sameStep(o *model.Observation) bool {
	return o.Kind == model.RecordChanged && o.At == p.began.At && o.By == p.began.By && o.Value == p.value
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

// role is what a node was for a while.
type role string

const (
	roleServing   role = "serving"
	roleFollowing role = "following"
	roleStale     role = "stale" // cut off: another was promoted, it does not know
	roleDown      role = "down"
)

// called is what a role is called in the store.
func (r role) called(t model.Terms) string {
	switch r {
	case roleServing:
		return t.Serving
	case roleFollowing:
		return t.Follower
	case roleStale:
		return "old " + t.Serving
	}
	return string(r)
}

// reign is a stretch in which a node had one role.
type reign struct {
	role     role
	from, to model.Stamp
}

// reigns are the roles of one node, without gaps, from the run's start to its
// end.
func reigns(t *traces.Trace, node string) []reign {
	end := model.Stamp{Seq: t.LastSeq() + 1, At: t.EndAt()}
	all := []reign{{role: firstRole(t, node), to: end}}
	turn := func(r role, at model.Stamp) {
		last := &all[len(all)-1]
		if last.role == r {
			return
		}
		last.to = at
		all = append(all, reign{role: r, from: at, to: end})
	}
	for _, o := range t.History.Observations {
		now := all[len(all)-1].role
		switch {
		case o.Kind == model.Crashed && o.Node == node:
			turn(roleDown, o.Stamp)
		case o.Kind == model.Promoted && o.Node == node:
			turn(roleServing, o.Stamp)
		case o.Kind == model.Promoted && now == roleServing && serverOf(t, o.Node) == serverOf(t, node):
			turn(roleStale, o.Stamp)
		case o.Kind == model.Returned && o.Node == node && o.Authority != "":
			turn(roleServing, o.Stamp)
		case o.Kind == model.Returned && o.Node == node:
			turn(roleFollowing, o.Stamp)
		}
	}
	return all
}

// firstRole is what a node was when the run began. What it says of its keys
// tells; of a silent node, whether it was promoted, or else the order of its
// server's actors.
func firstRole(t *traces.Trace, node string) role {
	for _, o := range t.History.Observations {
		switch {
		case o.Node != node:
		case o.Kind == model.Promoted:
			return roleFollowing
		case o.Key != "" && o.Authority != "":
			return roleServing
		case o.Key != "":
			return roleFollowing
		}
	}
	for _, a := range t.Actors {
		if a.Kind == traces.NodeActor && a.Server == serverOf(t, node) {
			if a.Name == node {
				return roleServing
			}
			break
		}
	}
	return roleFollowing
}

// serverOf is the number of the independent server that a node belongs to, 0 if
// there is but one.
func serverOf(t *traces.Trace, node string) int {
	for _, a := range t.Actors {
		if a.Name == node {
			return a.Server
		}
	}
	return 0
}

// serverCount is how many independent servers there are.
func serverCount(t *traces.Trace) int {
	n := 1
	for _, a := range t.Actors {
		n = max(n, a.Server)
	}
	return n
}

// roleAt is the role of a node at an event.
func roleAt(reigns []reign, seq int64) role {
	r := roleServing
	for _, each := range reigns {
		if each.from.Seq <= seq {
			r = each.role
		}
	}
	return r
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
