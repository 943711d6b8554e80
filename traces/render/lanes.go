package render

import (
	"fmt"
	"slices"
	"strings"
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

	captionHeight  = 22 // "what the clients believe"
	laneGap        = 6
	stripHeight    = 18 // the numbers of the steps
	beliefHeight   = 20 // waiting and claims
	actionHeight   = 20 // accesses and releases
	roleHeight     = 14
	keyHeight      = 24 // the lock's key
	smallKeyHeight = 18 // each row of them, if there are several
	extraHeight    = 15 // another key
	noteHeight     = 16 // the strip of notes
	lifeHeight     = 22 // a row of lives
	stripeHeight   = 5  // a life that waits for a record
	valueHeight    = 20 // of the resource

	printedHeight = 18 // what was printed

	maxThreads = 4
	maxRows    = 3 // of keys
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
	// threads is how many rows a client has, rows are those of a node's keys.
	threads int
	rows    []keyRow
	// strip is where in the lane a node's notes are drawn; 0 if it has none.
	strip float64
	// lives are the rows of a lane of lives, by their index in the story, and noun is what the store
	// calls them; nil in other lanes.
	lives   [][]int
	noun    string
	caption string // above the lane, if it is the first of its group
}

func (l *lane) bottom() float64 { return l.top + l.height }

// above is the base line of texts above a lane's bars, where the numbers of steps are.
func (l *lane) above() float64 { return l.top + stripHeight - 6 }

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
	traces.ElectorActor:  "{noun}s: they decide which node is the {serving}",
	traces.ResourceActor: "What the lock protects: what was accepted",
	printedActor:         "What the code printed",
}

// caption is that of a group, with a capital.
func (p *picture) caption(a traces.Actor) string {
	text := strings.ReplaceAll(p.terms.Fill(captions[a.Kind]), "{noun}", a.Noun)
	if a.Kind == traces.ClientActor && p.isProgram() {
		text = "processes: what each of them does and believes"
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// layOut gives every actor its lane, and what lives beside the nodes one above theirs.
func (p *picture) layOut() {
	p.height = float64(epochTop)
	if len(p.epochs) > 0 {
		p.height += epochRow
	}
	colors := 0
	for _, a := range p.t.Actors {
		l := lane{actor: a, title: wording.Fit(wording.Printable(a.Name), 14)}
		switch a.Kind {
		case traces.ClientActor:
			l.color, l.threads = colors%maxColors, min(p.threadsOf(a.Name), maxThreads)
			l.height = stripHeight + float64(l.threads)*(beliefHeight+actionHeight)
			l.note = "client"
			if p.isProgram() {
				l.note = "process"
			}
			if n := p.threadsOf(a.Name); n > maxThreads {
				l.note = fmt.Sprintf("%d threads", n)
			}
			colors++
		case traces.NodeActor:
			if !p.follows(a.Kind) {
				for _, noun := range p.lives.nouns {
					p.put(p.lifeLane(noun))
				}
			}
			p.layOutNode(&l)
		case traces.ElectorActor:
			l.note = a.Noun
			l.strip = stripHeight + roleHeight
			l.height = stripHeight + roleHeight + noteHeight + 4
		case traces.ResourceActor:
			l.height = stripHeight + valueHeight + actionHeight
			l.note = "resource"
		}
		p.put(l)
	}
	if lines, _ := p.printedLines(); len(lines) > 0 {
		p.put(lane{actor: traces.Actor{Name: string(printedActor), Kind: printedActor}, title: "printed", note: wording.Count(len(lines), "line"), height: max(stripHeight+32, printedHeight*float64(min(len(p.printers()), maxPrintedRows))+4)})
	}
}

// printedActor is the lane of what was printed, which is of no actor: none has a name with a space.
const printedActor traces.ActorKind = "printed lines"

// follows reports whether the last lane so far is of a kind.
func (p *picture) follows(kind traces.ActorKind) bool {
	n := len(p.lanes)
	return n > 0 && p.lanes[n-1].actor.Kind == kind
}

// put adds a lane below the others. The first of its kind has a caption.
func (p *picture) put(l lane) {
	if !p.follows(l.actor.Kind) {
		l.caption = p.caption(l.actor)
		p.height += captionHeight
	}
	l.top = p.height
	p.height += l.height + laneGap
	p.lanes = append(p.lanes, l)
}

// layOutNode gives a node's lane its rows.
func (p *picture) layOutNode(l *lane) {
	l.note = p.termsAt(l.actor.Name).Store
	l.rows = p.rowsOn(l.actor.Name)
	l.height = stripHeight + roleHeight + keyHeight
	if n := len(l.rows); n > 0 {
		l.height = l.rows[n-1].bottom()
	}
	if p.hasStrip(l.actor.Name) {
		l.strip = l.height + 2
		l.height += noteHeight
	}
	l.height += 4
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

// index is the index of a lane.
func (p *picture) index(l *lane) int {
	return slices.IndexFunc(p.lanes, func(o lane) bool { return o.top == l.top })
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
