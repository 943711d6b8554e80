package render

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

// worldSteps are the steps of what struck processes and nodes.
func (s *story) worldSteps(o *model.Observation) []candidate {
	if kindOf(s.t, o.Node) == traces.ClientActor && !slices.Contains(s.clients, o.Node) {
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
		return []candidate{step(o.Stamp, o.Node, "has a clock that "+ClockText(o), major)}
	case model.Promoted:
		return []candidate{step(o.Stamp, o.Node, "becomes the "+s.termsAt(o.Node).Serving+ofEpoch(o)+s.inherited(o)+s.rival(o), major)}
	case model.Returned:
		if kindOf(s.t, o.Node) == traces.ClientActor {
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

// returnText says as what a node comes back, or what it has found again.
func (s *story) returnText(o *model.Observation) string {
	roles := s.reigns(o.Node)
	follows := true
	for _, r := range roles[begun(roles, o.Seq):] {
		if r.from.At != o.At {
			break
		}
		follows = follows && r.role != roleAlone
	}
	switch {
	case o.Authority != "" || !follows:
		return "comes back"
	case roleAt(roles, o.Seq-1) == roleAlone:
		return "has a " + s.termsAt(o.Node).Serving + " again"
	}
	return "comes back as a " + s.termsAt(o.Node).Follower
}

// ClockText says what is or becomes of a clock, behind its name: "jumps 2.5s
// ahead", "is 2.5s behind", "runs 20% slow".
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
func (s *story) pauseText(o *model.Observation) string {
	text := "is paused"
	if kindOf(s.t, o.Node) == traces.NodeActor {
		text = "hangs: it accepts what comes and answers nothing,"
	}
	for _, p := range s.pauses {
		if p.actor == o.Node && p.from == o.Stamp {
			text += " for " + traces.Briefly(lasting(o, p.to.At))
		}
	}
	return text + s.holding(o)
}

// holding says that a process holds the lock when something strikes it: before that event, which may end
// what it holds.
func (s *story) holding(o *model.Observation) string {
	if s.claimingAt(o.Node, o.Seq-1) == nil {
		return ""
	}
	return " while it holds the lock"
}

// resumeText compares what a client believes when it goes on with what is
// true by then.
func (s *story) resumeText(o *model.Observation) string {
	if kindOf(s.t, o.Node) == traces.NodeActor {
		return "goes on with what has come meanwhile"
	}
	c := s.claimingAt(o.Node, o.Seq)
	if c == nil {
		return "goes on"
	}
	text := "goes on, still believing that it holds the lock"
	grants := s.grants[c.acquire.ID]
	if len(grants) == 0 {
		return text
	}
	now := s.onServing(grants[0], o.Seq)
	switch {
	case now == nil:
		return text + ", though its " + s.termsAt(grants[0].node).Record + " is gone"
	case acquisitionOf(s.t, now.owner.Op) != c.acquire.ID:
		return text + ", though the " + s.termsAt(now.node).Record + " is " + whose(now.owner, o.Node)
	}
	return text
}

// claimingAt is the claim that a client has at an event, or nil.
func (s *story) claimingAt(client string, seq int64) *claim {
	for i := range s.claims {
		if c := &s.claims[i]; c.acquire.Client == client && c.covers(seq) {
			return c
		}
	}
	return nil
}

// onServing is what a granted key is on the first node of its store that serves at an event, or if
// none does, on the one that did last; nil if it has none.
func (s *story) onServing(granted *presence, seq int64) *presence {
	key, store := granted.key, storeAt(s.t, granted.node)
	last, began := "", int64(-1)
	for _, a := range s.t.Actors {
		if a.Kind != traces.NodeActor || a.Store != store {
			continue
		}
		roles := s.reigns(a.Name)
		if roleAt(roles, seq) == roleServing {
			return presentAt(s.presences, a.Name, key, seq)
		}
		for n := begun(roles, seq); n > 0 && roles[n-1].from.Seq > began; n-- {
			if r := roles[n-1]; r.role == roleServing {
				last, began = a.Name, r.from.Seq
			}
		}
	}
	return presentAt(s.presences, last, key, seq)
}

// unreplicated says which followers a key had not reached when the serving node
// crashed.
func (s *story) unreplicated(o *model.Observation) string {
	for i := range s.presences {
		p := &s.presences[i]
		here := p.node == o.Node && p.from.Seq <= o.Seq && o.Seq <= p.to.Seq
		if !here || !s.isLockKey(p.key) || !s.concerns(p.owner.Op) {
			continue
		}
		var missing []string
		for _, a := range s.t.Actors {
			if a.Kind != traces.NodeActor || a.Server != serverOf(s.t, o.Node) || roleAt(s.reigns(a.Name), o.Seq) != roleFollowing {
				continue
			}
			copied := presentAt(s.presences, a.Name, p.key, o.Seq)
			if copied == nil || copied.value != p.value {
				missing = append(missing, wording.Printable(a.Name))
			}
		}
		if len(missing) > 0 {
			return fmt.Sprintf(" before %s has reached %s", s.owned(p.node, p.owner, ""), list(missing))
		}
	}
	return ""
}

// inherited says whether a promoted node knows of the locks that clients
// believe they hold.
func (s *story) inherited(o *model.Observation) string {
	for _, c := range s.claims {
		grants := s.grants[c.acquire.ID]
		if !c.covers(o.Seq) || len(grants) == 0 || !s.concerns(c.acquire.ID) || storeAt(s.t, grants[0].node) != storeAt(s.t, o.Node) {
			continue
		}
		held := presentAt(s.presences, o.Node, grants[0].key, o.Seq)
		if held == nil || acquisitionOf(s.t, held.owner.Op) != c.acquire.ID {
			return fmt.Sprintf(" without %s's %s", wording.Printable(c.acquire.Client), s.termsAt(o.Node).Record) + s.olderCounter(o, c.acquire.ID)
		}
		text := fmt.Sprintf(" with %s's %s", wording.Printable(c.acquire.Client), s.termsAt(o.Node).Record)
		if key := s.outdated(o); key != "" {
			text += ", but with an old " + wording.Key(key)
		}
		return text
	}
	return ""
}

// rival says who goes on serving though another node was promoted.
func (s *story) rival(o *model.Observation) string {
	for _, a := range s.t.Actors {
		if a.Kind == traces.NodeActor && a.Name != o.Node && a.Server == serverOf(s.t, o.Node) && roleAt(s.reigns(a.Name), o.Seq) == roleStale {
			return fmt.Sprintf(", which %s does not know", wording.Printable(a.Name))
		}
	}
	return ""
}

// olderCounter says that a promoted node has a lower number than an
// acquisition has written to a key other than the lock's: a counter of tokens.
func (s *story) olderCounter(o *model.Observation, acquisition int) string {
	for i := range s.presences {
		p := &s.presences[i]
		wrote := p.began.Authority != "" && p.from.Seq <= o.Seq && acquisitionOf(s.t, p.owner.Op) == acquisition
		counted, err := strconv.ParseInt(p.value, 10, 64)
		if !wrote || err != nil || s.isLockKey(p.key) {
			continue
		}
		held := presentAt(s.presences, o.Node, p.key, o.Seq)
		if held == nil {
			return fmt.Sprintf("; %s is not there, either", wording.Key(p.key))
		}
		if n, err := strconv.ParseInt(held.value, 10, 64); err == nil && n < counted {
			return fmt.Sprintf("; %s is %d there, not %d", wording.Key(p.key), n, counted)
		}
	}
	return ""
}

// outdated is a key, other than the lock's, of which a promoted node has not
// got what another node has; empty if there is none.
func (s *story) outdated(o *model.Observation) string {
	for _, key := range s.keys {
		own := presentAt(s.presences, o.Node, key, o.Seq)
		for _, a := range s.t.Actors {
			other := presentAt(s.presences, a.Name, key, o.Seq)
			if !s.isLockKey(key) && other != nil && (own == nil || own.value != other.value && own.from.Seq < other.from.Seq) {
				return key
			}
		}
	}
	return ""
}
