package render

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// The heights of what a picture is made of, in pixels from the top down.
const (
	axisHeight = 24 // the time, above and below the lanes
	flagTop    = axisHeight
	flagHeight = 20 // the violation's name
	epochTop   = flagTop + flagHeight
	epochRow   = 18 // the epochs' names, if there are any

	captionHeight = 22 // "what the clients believe"
	laneGap       = 6
	stripHeight   = 18 // the numbers of the steps
	beliefHeight  = 20 // waiting and claims
	actionHeight  = 20 // accesses and releases
	roleHeight    = 12
	keyHeight     = 24 // the lock's key
	extraHeight   = 12 // another key
	valueHeight   = 20 // of the resource

	maxThreads = 4
	maxExtras  = 2
	maxColors  = 8
)

// lane is the room of one actor.
type lane struct {
	actor  traces.Actor
	title  string
	note   string // under the title
	top    float64
	height float64
	color  int // of a client, from 0
	// threads is how many rows a client has, keys the keys that a node shows.
	threads int
	keys    []string
	caption string // above the lane, if it is the first of its group
}

func (l *lane) bottom() float64 { return l.top + l.height }

// port is where messages leave a lane upwards or downwards.
func (l *lane) port(other *lane) float64 {
	if other.top > l.top {
		return l.bottom()
	}
	if l.actor.Kind == traces.ClientActor {
		return l.top
	}
	return l.top + stripHeight
}

// captions say what the lanes of a group show.
var captions = map[traces.ActorKind]string{
	traces.ClientActor:   "Clients: what each of them believes",
	traces.NodeActor:     "{store}: what is true, by each node",
	traces.ResourceActor: "What the lock protects: what was accepted",
}

// caption is that of a group, with a capital.
func (p *picture) caption(kind traces.ActorKind) string {
	text := p.terms.Fill(captions[kind])
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// layOut gives every actor its lane.
func (p *picture) layOut() {
	y := float64(epochTop)
	if len(p.epochs) > 0 {
		y += epochRow
	}
	group := traces.ActorKind("")
	colors := 0
	for _, a := range p.t.Actors {
		l := lane{actor: a, title: wording.Fit(wording.Printable(a.Name), 14)}
		switch a.Kind {
		case traces.ClientActor:
			l.color, l.threads = colors%maxColors, p.threads(a.Name)
			l.height = stripHeight + float64(l.threads)*(beliefHeight+actionHeight)
			l.note = "client"
			colors++
		case traces.NodeActor:
			l.keys = p.keysOn(a.Name)
			l.height = stripHeight + roleHeight + keyHeight + extraHeight*float64(max(0, len(l.keys)-1)) + 4
			l.note = p.terms.Store
		case traces.ResourceActor:
			l.height = stripHeight + valueHeight + actionHeight
			l.note = "resource"
		}
		if a.Kind != group {
			group, l.caption = a.Kind, p.caption(a.Kind)
			y += captionHeight
		}
		l.top = y
		y += l.height + laneGap
		p.lanes = append(p.lanes, l)
	}
	p.height = y
}

// threads is how many rows a client needs.
func (p *picture) threads(client string) int {
	n := 1
	for i := range p.t.History.Operations {
		if o := &p.t.History.Operations[i]; o.Client == client {
			n = max(n, o.Thread+1)
		}
	}
	return min(n, maxThreads)
}

// keysOn are the keys that a node's lane shows: the lock's first, then a few
// others.
func (p *picture) keysOn(node string) []string {
	var keys []string
	for _, key := range p.keys {
		shown := slices.ContainsFunc(p.presences, func(h presence) bool { return h.node == node && h.key == key })
		if shown || p.isLockKey(key) && len(keys) == 0 {
			keys = append(keys, key)
		}
	}
	return keys[:min(len(keys), 1+maxExtras)]
}

// lane is the lane of an actor, or nil.
func (p *picture) lane(name string) *lane {
	for i := range p.lanes {
		if p.lanes[i].actor.Name == name {
			return &p.lanes[i]
		}
	}
	return nil
}

// colorOf is the class of a client's colour, and of what is nobody's.
func (p *picture) colorOf(client string) string {
	if l := p.lane(client); l != nil && l.actor.Kind == traces.ClientActor {
		return colorClass(l.color)
	}
	return "kx"
}

func colorClass(n int) string { return "k" + string(rune('0'+n%maxColors)) }

// placeBadges puts the number of each step into the lane of its actor.
func (p *picture) placeBadges() {
	for i, s := range p.steps {
		l := p.lane(s.Actor)
		if l == nil {
			continue
		}
		p.badges = append(p.badges, badge{t: s.At, y: l.top + stripHeight/2, number: i + 1, violating: s.Violating})
	}
}
