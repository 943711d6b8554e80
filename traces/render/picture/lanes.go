package picture

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// captions are the captions of groups of lanes.
var captions = map[traces.ActorKind]string{
	traces.ClientActor:   "Clients: what each of them believes",
	traces.NodeActor:     "{store}: what is true, by each node",
	traces.ElectorActor:  "{noun}s: they decide which node is the {serving}",
	traces.ResourceActor: "What the lock protects: what was accepted",
	printedActor:         "What the code printed",
}

// caption returns the caption of a group, capitalized.
func (p layout) caption(a traces.Actor) string {
	text := strings.ReplaceAll(p.Terms.Fill(captions[a.Kind]), "{noun}", a.Noun)
	if a.Kind == traces.ClientActor && p.IsProgram() {
		text = "processes: what each of them does and believes"
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:]
}

// layout gives actors their lanes in a picture.
type layout struct{ *Picture }

// layOut gives every actor its lane, and puts the lives beside the nodes above them.
func (p layout) layOut() {
	p.Height = float64(epochTop)
	if len(p.epochs) > 0 {
		p.Height += epochRow
	}
	colors := 0
	for _, a := range p.Trace.Actors {
		l := Lane{Actor: a, Title: wording.Fit(wording.Printable(a.Name), 14)}
		switch a.Kind {
		case traces.ClientActor:
			l.color, l.threads = colors%maxColors, min(p.ThreadsOf(a.Name), maxThreads)
			l.height = StripHeight + float64(l.threads)*(beliefHeight+actionHeight)
			l.Note = "client"
			if p.IsProgram() {
				l.Note = "process"
			}
			if n := p.ThreadsOf(a.Name); n > maxThreads {
				l.Note = fmt.Sprintf("%d threads", n)
			}
			colors++
		case traces.NodeActor:
			if !p.follows(a.Kind) {
				for _, noun := range p.Lives.Nouns {
					p.put(p.lifeLane(noun))
				}
			}
			p.layOutNode(&l)
		case traces.ElectorActor:
			l.Note = a.Noun
			l.strip = StripHeight + roleHeight
			l.height = StripHeight + roleHeight + noteHeight + 4
		case traces.ResourceActor:
			l.height = StripHeight + valueHeight + actionHeight
			l.Note = "resource"
		}
		p.put(l)
	}
	if lines, _ := p.PrintedLines(); len(lines) > 0 {
		p.put(Lane{Actor: traces.Actor{Name: string(printedActor), Kind: printedActor}, Title: "printed", Note: wording.Count(len(lines), "line"), height: max(StripHeight+32, printedHeight*float64(min(len(p.printers()), maxPrintedRows))+4)})
	}
}

// printedActor is the kind and the name of the lane of printed lines. No actor's name has a space.
const printedActor traces.ActorKind = "printed lines"

// follows reports whether the last lane so far is of a kind.
func (p layout) follows(kind traces.ActorKind) bool {
	n := len(p.Lanes)
	return n > 0 && p.Lanes[n-1].Actor.Kind == kind
}

// put adds a lane below the others. The first of its kind has a caption.
func (p layout) put(l Lane) {
	if !p.follows(l.Actor.Kind) {
		l.Caption = p.caption(l.Actor)
		p.Height += captionHeight
	}
	l.Top = p.Height
	p.Height += l.height + laneGap
	p.Lanes = append(p.Lanes, l)
}

// layOutNode gives a node's lane its rows.
func (p layout) layOutNode(l *Lane) {
	l.Note = p.TermsAt(l.Actor.Name).Store
	l.rows = p.rowsOn(l.Actor.Name)
	l.height = StripHeight + roleHeight + keyHeight
	if n := len(l.rows); n > 0 {
		l.height = l.rows[n-1].bottom()
	}
	if p.hasStrip(l.Actor.Name) {
		l.strip = l.height + 2
		l.height += noteHeight
	}
	l.height += 4
}

// placeBadges puts the number of each step into the lane of its actor.
func (p *Picture) placeBadges() {
	for i, s := range p.Steps {
		l := p.Lane(s.Actor)
		if l == nil {
			continue
		}
		p.Badges = append(p.Badges, Badge{T: s.At, Y: l.Top + StripHeight/2, Number: i + 1, Violating: s.Violating})
	}
}

// livesTop is the top of the rows in a lane of lives.
const livesTop = 6

// maxLifeRows is the maximum number of rows of a lane of lives.
const maxLifeRows = 8
