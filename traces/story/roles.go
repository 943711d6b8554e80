package story

import (
	"cmp"
	"fmt"
	"sort"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Role is the role of a node for a while.
type Role string

// The roles of a node.
const (
	roleServing   Role = "serving"
	roleFollowing Role = "following"
	roleStale     Role = "stale"      // cut off: it does not know that another was promoted
	RoleAlone     Role = "leaderless" // it serves no requests
	RoleDown      Role = "down"
)

// called returns the store's noun for a role.
func (r Role) called(t model.Terms) string {
	switch r {
	case roleServing:
		return t.Serving
	case roleFollowing:
		return t.Follower
	case roleStale:
		return "old " + t.Serving
	case RoleAlone:
		return "no " + t.Serving
	}
	return string(r)
}

// Class returns how a role is drawn: a node that serves no requests looks like one that is down.
func (r Role) Class() string {
	if r == RoleAlone {
		return string(RoleDown)
	}
	return string(r)
}

// Reign is a stretch in which a node had one role.
type Reign struct {
	Role     Role
	Epoch    int64 // in which it serves; 0 if the store counts none
	From, To model.Stamp
}

// Called returns the store's noun for the role, with its epoch.
func (r *Reign) Called(t model.Terms) string {
	if r.Epoch == 0 {
		return r.Role.called(t)
	}
	return fmt.Sprintf("%s, epoch %d", r.Role.called(t), r.Epoch)
}

// Reigns returns the roles of one node.
func (s *Facts) Reigns(node string) []Reign {
	roles, known := s.roles[node]
	if !known {
		roles = reigns(s.Trace, node)
		s.roles[node] = roles
	}
	return roles
}

// reigns returns the roles of one node, without gaps, from the run's start to its end.
func reigns(t *traces.Trace, node string) []Reign {
	end := RunEnd(t)
	all := []Reign{{Role: firstRole(t, node), To: end}}
	turn := func(r Role, at model.Stamp) {
		last := &all[len(all)-1]
		if last.Role == r {
			return
		}
		last.To = at
		all = append(all, Reign{Role: r, From: at, To: end})
	}
	serve := func(o *model.Observation) {
		turn(roleServing, o.Stamp)
		all[len(all)-1].Epoch = o.Epoch
	}
	replaced := false // another has been promoted in its place since it last served
	for i := range t.History.Observations {
		o := &t.History.Observations[i]
		now := all[len(all)-1].Role
		if o.Kind == model.Promoted && serverOf(t, o.Node) == serverOf(t, node) {
			replaced = o.Node != node
		}
		switch {
		case o.Kind == model.Crashed && o.Node == node:
			turn(RoleDown, o.Stamp)
		case (o.Kind == model.Promoted || turnsTo(o, model.RoleServing)) && o.Node == node:
			serve(o)
		case turnsTo(o, model.RoleAlone) && o.Node == node:
			turn(RoleAlone, o.Stamp)
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

// firstRole returns the role of a node at the start of the run. Its observations of keys show it; for a silent node it
// depends on whether it was promoted, or else on the order of its server's actors.
func firstRole(t *traces.Trace, node string) Role {
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

// serverOf returns the number of a node's independent server, 0 if there is only one.
func serverOf(t *traces.Trace, node string) int {
	for _, a := range t.Actors {
		if a.Name == node {
			return a.Server
		}
	}
	return 0
}

// serverCount returns the number of independent servers.
func serverCount(t *traces.Trace) int {
	n := 1
	for _, a := range t.Actors {
		n = max(n, a.Server)
	}
	return n
}

// roleAt returns the role of a node at an event.
func roleAt(reigns []Reign, seq int64) Role {
	if n := begun(reigns, seq); n > 0 {
		return reigns[n-1].Role
	}
	return roleServing
}

// begun returns how many of a node's roles have begun by an event.
func begun(reigns []Reign, seq int64) int {
	return sort.Search(len(reigns), func(i int) bool { return reigns[i].From.Seq > seq })
}

// Epoch is a stretch between promotions.
type Epoch struct {
	Number   int64
	From, To model.Stamp
	Serving  string
}

// Epochs divides the run at its promotions; nil if there are none, or if there are several servers, each with its own
// serving node.
func (s *Facts) Epochs() []Epoch {
	if serverCount(s.Trace) > 1 {
		return nil
	}
	first := Epoch{Number: 1}
	for _, a := range s.Trace.Actors {
		if a.Kind == traces.NodeActor && firstRole(s.Trace, a.Name) == roleServing {
			first.Serving = a.Name
			break
		}
	}
	all := []Epoch{first}
	for i := range s.Trace.History.Observations {
		o := &s.Trace.History.Observations[i]
		switch {
		case turnsTo(o, model.RoleServing) && o.Epoch != 0:
			all[0].Number = o.Epoch
		case o.Kind == model.Promoted:
			all = append(all, Epoch{Number: cmp.Or(o.Epoch, int64(len(all)+1)), From: o.Stamp, Serving: o.Node})
		}
	}
	if len(all) == 1 {
		return nil
	}
	for i := range all {
		all[i].To = RunEnd(s.Trace)
		if i+1 < len(all) {
			all[i].To = all[i+1].From
		}
	}
	return all
}
