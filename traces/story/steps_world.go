package story

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// worldSteps finds the steps of faults that struck processes and nodes.
type worldSteps struct{ plot *Plot }

// worldSteps returns the steps of a fault that struck a process or a node.
func (s worldSteps) worldSteps(o *model.Observation) []candidate {
	if KindOf(s.plot.Trace, o.Node) == traces.ClientActor && !slices.Contains(s.plot.Clients, o.Node) {
		return nil
	}
	switch o.Kind {
	case model.Paused:
		return []candidate{step(o.Stamp, o.Node, s.pauseText(o), major)}
	case model.Resumed:
		return []candidate{step(o.Stamp, o.Node, s.resumeText(o), major-1)}
	case model.Crashed:
		return []candidate{step(o.Stamp, o.Node, "crashes"+s.unreplicated(o)+s.holding(o), major)}
	case model.ClockJumped, model.ClockOff:
		return []candidate{step(o.Stamp, o.Node, "has a clock that "+ClockText(o)+unread(o), major)}
	case model.Promoted:
		return []candidate{step(o.Stamp, o.Node, "becomes the "+s.plot.TermsAt(o.Node).Serving+ofEpoch(o)+s.plot.Inherited(o)+s.rival(o), major)}
	case model.Returned:
		if KindOf(s.plot.Trace, o.Node) == traces.ClientActor {
			return []candidate{step(o.Stamp, o.Node, "starts anew, with nothing in memory", major)}
		}
		return []candidate{step(o.Stamp, o.Node, s.returnText(o), minor)}
	}
	return nil
}

// ofEpoch names the epoch in which a node begins to serve, if the store counts them.
func ofEpoch(o *model.Observation) string {
	if o.Epoch == 0 {
		return ""
	}
	return fmt.Sprintf(" of epoch %d", o.Epoch)
}

// returnText describes in which role a node comes back, or what it has found again.
func (s worldSteps) returnText(o *model.Observation) string {
	roles := s.plot.Reigns(o.Node)
	follows := true
	for _, r := range roles[begun(roles, o.Seq):] {
		if r.From.At != o.At {
			break
		}
		follows = follows && r.Role != RoleAlone
	}
	switch {
	case o.Authority != "" || !follows:
		return "comes back"
	case roleAt(roles, o.Seq-1) == RoleAlone:
		return "has a " + s.plot.TermsAt(o.Node).Serving + " again"
	}
	return "comes back as a " + s.plot.TermsAt(o.Node).Follower
}

// unread says that the process's code does not read its clock, if that is so.
func unread(o *model.Observation) string {
	if o.Unread {
		return ", which its code never reads"
	}
	return ""
}

// ClockText describes the state or the change of a clock, to follow its name: "jumps 2.5s ahead", "is 2.5s behind", "runs
// 20% slow".
func ClockText(o *model.Observation) string {
	way := " ahead"
	if o.Ahead < 0 {
		way = " behind"
		if o.Kind == model.ClockJumped {
			way = " back"
		}
	}
	var parts []string
	switch {
	case o.Kind == model.ClockJumped:
		parts = append(parts, "jumps "+traces.Briefly(o.Ahead.Abs())+way)
	case o.Ahead != 0:
		parts = append(parts, "is "+traces.Briefly(o.Ahead.Abs())+way)
	}
	if o.Rate != 0 {
		pace := " fast"
		if o.Rate < 0 {
			pace = " slow"
		}
		parts = append(parts, "runs "+strconv.FormatFloat(math.Abs(float64(o.Rate))/1e4, 'g', 3, 64)+"%"+pace)
	}
	return strings.Join(parts, " and ")
}

// pauseText describes the pause of a client, or of a node that hangs.
func (s worldSteps) pauseText(o *model.Observation) string {
	text := "is paused"
	if KindOf(s.plot.Trace, o.Node) == traces.NodeActor {
		text = "hangs: it accepts what comes and answers nothing,"
	}
	for _, p := range s.plot.Pauses {
		if p.Actor == o.Node && p.From == o.Stamp {
			text += " for " + traces.Briefly(lasting(o, p.To.At))
		}
	}
	return text + s.holding(o)
}

// holding returns a clause if a process held the lock when something struck it: just before that event, which may end its
// hold.
func (s worldSteps) holding(o *model.Observation) string {
	if s.plot.claimingAt(o.Node, o.Seq-1) == nil {
		return ""
	}
	return " while it holds the lock"
}

// resumeText compares what a client believes when it goes on with what is true by then.
func (s worldSteps) resumeText(o *model.Observation) string {
	if KindOf(s.plot.Trace, o.Node) == traces.NodeActor {
		return "goes on with what has come meanwhile"
	}
	c := s.plot.claimingAt(o.Node, o.Seq)
	if c == nil {
		return "goes on"
	}
	text := "goes on, still believing that it holds the lock"
	grants := s.plot.grants[c.Acquire.ID]
	if len(grants) == 0 {
		return text
	}
	now := s.plot.onServing(grants[0], o.Seq)
	switch {
	case now == nil:
		return text + ", though its " + s.plot.TermsAt(grants[0].Node).Record + " is gone"
	case AcquisitionOf(s.plot.Trace, now.Owner.Op) != c.Acquire.ID:
		return text + ", though the " + s.plot.TermsAt(now.Node).Record + " is " + whose(now.Owner, o.Node)
	}
	return text
}

// unreplicated describes which followers a key had not reached when the serving node crashed.
func (s worldSteps) unreplicated(o *model.Observation) string {
	for i := range s.plot.Presences {
		p := &s.plot.Presences[i]
		here := p.Node == o.Node && p.From.Seq <= o.Seq && o.Seq <= p.To.Seq
		if !here || !s.plot.IsLockKey(p.Key) || !s.plot.Concerns(p.Owner.Op) {
			continue
		}
		var missing []string
		for _, a := range s.plot.Trace.Actors {
			if a.Kind != traces.NodeActor || a.Server != serverOf(s.plot.Trace, o.Node) || roleAt(s.plot.Reigns(a.Name), o.Seq) != roleFollowing {
				continue
			}
			copied := presentAt(s.plot.Presences, a.Name, p.Key, o.Seq)
			if copied == nil || copied.Value != p.Value {
				missing = append(missing, wording.Printable(a.Name))
			}
		}
		if len(missing) > 0 {
			return fmt.Sprintf(" before %s has reached %s", s.plot.owned(p.Node, p.Owner, ""), list(missing))
		}
	}
	return ""
}

// rival names the node that goes on serving although another was promoted.
func (s worldSteps) rival(o *model.Observation) string {
	for _, a := range s.plot.Trace.Actors {
		if a.Kind == traces.NodeActor && a.Name != o.Node && a.Server == serverOf(s.plot.Trace, o.Node) && roleAt(s.plot.Reigns(a.Name), o.Seq) == roleStale {
			return fmt.Sprintf(", which %s does not know", wording.Printable(a.Name))
		}
	}
	return ""
}
