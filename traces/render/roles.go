package render

import (
	"cmp"
	"fmt"
	"sort"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// role is what a node was for a while.
type role string

const (
	roleServing   role = "serving"
	roleFollowing role = "following"
	roleStale     role = "stale"      // cut off: another was promoted, it does not know
	roleAlone     role = "leaderless" // it serves no requests
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
	case roleAlone:
		return "no " + t.Serving
	}
	return string(r)
}

// class is how a role is drawn: a node that serves no requests looks like one that is down.
func (r role) class() string {
	if r == roleAlone {
		return string(roleDown)
	}
	return string(r)
}

// reign is a stretch in which a node had one role.
type reign struct {
	role     role
	epoch    int64 // in which it serves; 0 if the store counts none
	from, to model.Stamp
}

// called is what the role is called in the store, with its epoch.
func (r *reign) called(t model.Terms) string {
	if r.epoch == 0 {
		return r.role.called(t)
	}
	return fmt.Sprintf("%s, epoch %d", r.role.called(t), r.epoch)
}

// reigns are the roles of one node.
func (s *story) reigns(node string) []reign {
	roles, known := s.roles[node]
	if !known {
		roles = reigns(s.t, node)
		s.roles[node] = roles
	}
	return roles
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
	serve := func(o *model.Observation) {
		turn(roleServing, o.Stamp)
		all[len(all)-1].epoch = o.Epoch
	}
	replaced := false // another has been promoted in its place since it last was
	for i := range t.History.Observations {
		o := &t.History.Observations[i]
		now := all[len(all)-1].role
		if o.Kind == model.Promoted && serverOf(t, o.Node) == serverOf(t, node) {
			replaced = o.Node != node
		}
		switch {
		case o.Kind == model.Crashed && o.Node == node:
			turn(roleDown, o.Stamp)
		case (o.Kind == model.Promoted || turnsTo(o, model.RoleServing)) && o.Node == node:
			serve(o)
		case turnsTo(o, model.RoleAlone) && o.Node == node:
			turn(roleAlone, o.Stamp)
		case o.Kind == model.Promoted && now == roleServing && serverOf(t, o.Node) == serverOf(t, node):
			turn(roleStale, o.Stamp)
		case o.Kind == model.Returned && o.Node == node && o.Authority == node && replaced:
			turn(roleStale, o.Stamp)
		case o.Kind == model.Returned && o.Node == node && o.Authority != "":
			turn(roleServing, o.Stamp)
		case o.Kind == model.Returned && o.Node == node:
			turn(roleFollowing, o.Stamp)
		}
	}
	return all
}

// turnsTo reports whether an observation is a note that its node has a role from then on.
func turnsTo(o *model.Observation, r model.Role) bool { return o.Note != nil && o.Note.Role == r }

// firstRole is what a node was when the run began. What it says of its keys
// tells; of a silent node, whether it was promoted, or else the order of its
// server's actors.
func firstRole(t *traces.Trace, node string) role {
	for i := range t.History.Observations {
		o := &t.History.Observations[i]
		switch {
		case o.Node != node:
		case o.Kind == model.Promoted:
			return roleFollowing
		case turnsTo(o, model.RoleServing), o.Key != "" && o.Authority != "":
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
	if n := begun(reigns, seq); n > 0 {
		return reigns[n-1].role
	}
	return roleServing
}

// begun is how many of a node's roles have begun by an event.
func begun(reigns []reign, seq int64) int {
	return sort.Search(len(reigns), func(i int) bool { return reigns[i].from.Seq > seq })
}

// epoch is a stretch between promotions.
type epoch struct {
	number   int64
	from, to model.Stamp
	serving  string
}

// findEpochs divides the run at its promotions; nil if there are none, or if
// there are several servers, each with a serving of its own.
func (s *story) findEpochs() []epoch {
	if serverCount(s.t) > 1 {
		return nil
	}
	first := epoch{number: 1}
	for _, a := range s.t.Actors {
		if a.Kind == traces.NodeActor && firstRole(s.t, a.Name) == roleServing {
			first.serving = a.Name
			break
		}
	}
	all := []epoch{first}
	for i := range s.t.History.Observations {
		o := &s.t.History.Observations[i]
		switch {
		case turnsTo(o, model.RoleServing) && o.Epoch != 0:
			all[0].number = o.Epoch
		case o.Kind == model.Promoted:
			all = append(all, epoch{number: cmp.Or(o.Epoch, int64(len(all)+1)), from: o.Stamp, serving: o.Node})
		}
	}
	if len(all) == 1 {
		return nil
	}
	for i := range all {
		all[i].to = model.Stamp{Seq: s.t.LastSeq() + 1, At: s.t.EndAt()}
		if i+1 < len(all) {
			all[i].to = all[i+1].from
		}
	}
	return all
}
