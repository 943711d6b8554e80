package render

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// picture is a run in lanes and time: shapes that know when they begin and
// end and how high they stand, but not which stretch of time is looked at.
// The same shapes serve every stretch; see svg.go.
type picture struct {
	*story
	extract extract
	steps   []Step
	lanes   []lane
	epochs  []epoch
	height  float64 // of the lanes with what is above them
	layers  [layerCount][]shape
	labels  []label
	badges  []badge
	details []detail
	// ringed is set if something has a ring: the counterexample needs it.
	ringed bool
	// title and about describe it, and ticks are on its axis, if it is of no trace.
	title, about string
	ticks        []tick
}

// layer is the depth at which a shape lies.
type layer int

const (
	layerGround layer = iota // bands behind everything
	layerBars                // what lasts
	layerCover               // what lies over it: pauses, being down
	layerMessages
	layerMarks // what happens at a moment
	layerCount
)

// shapeKind is what a shape is.
type shapeKind byte

const (
	shapeRect  shapeKind = 'r' // from t0 to t1, y0 to y1
	shapeLine  shapeKind = 'l' // from (t0, y0) to (t1, y1)
	shapeArea  shapeKind = 'a' // polygon through corners
	shapeGlyph shapeKind = 'g' // path around (t0, y0)
)

// shape is one thing drawn.
type shape struct {
	kind    shapeKind
	class   string // for the style sheet
	t0, t1  time.Duration
	y0, y1  float64
	least   float64 // width in pixels below which a rect is not drawn
	corners []corner
	path    string
	detail  int // index into picture.details, or none
	// tip is what a page without a script says of it; empty if it has nothing to say.
	tip string
}

// isBar reports whether texts keep off a shape of a layer.
func (s *shape) isBar(at layer) bool { return s.kind == shapeRect && at != layerGround }

// none is the detail of a shape that has nothing to say.
const none = -1

// corner is a corner of an area.
type corner struct {
	t time.Duration
	y float64
}

// label is a text at a shape. It is drawn if there is room for it.
type label struct {
	class  string
	t0, t1 time.Duration // what it belongs to
	y      float64       // of its base line
	fall   float64       // how much lower the base line is at t1
	above  float64       // another base line, for when there is no room on the first; 0 for none
	long   string
	short  string  // if long does not fit; may be empty
	need   float64 // pixels from t0 to t1 below which it is not drawn
	place  placing
	rank   rank
	// own are the details of the bars that it may stand on.
	own []int
	// ends are the indices of the lanes that it is gone with; nil if it is gone with the
	// lane that it stands in.
	ends []int
}

// rank is a label's claim to room, the highest first.
type rank int

const (
	rankMessage rank = iota
	rankState        // what the picture shows without it
	rankRead
	rankAction
	rankBar
	rankFault
	rankFrame // epochs and the violation
)

// placing is where a label stands.
type placing byte

const (
	placeInside placing = 'i' // at the visible beginning of its stretch
	placeFlag   placing = 'f' // the same, but it may reach beyond the end
	placeMiddle placing = 'm' // in the middle of its visible stretch
	placeAfter  placing = 'a' // after t0; before it if there is no room
	placeBefore placing = 'b' // before t1; after it if there is no room
)

// badge is the number of a step at the place where it happened.
type badge struct {
	t         time.Duration
	y         float64
	number    int
	violating bool
}

// detail is what the page says of a shape that a reader points at.
type detail struct {
	At    int64    `json:"at"` // in nanoseconds
	When  string   `json:"when"`
	Title string   `json:"title"`
	Lines []string `json:"lines,omitempty"`
	// Op is the operation that it belongs to, 0 if none.
	Op int `json:"op,omitempty"`
}

// newPicture draws a trace.
func newPicture(s *story) *picture {
	s.exchanges = s.newExchanges()
	p := &picture{story: s, steps: s.steps()}
	p.extract = s.extract(p.steps)
	if p.epochs = s.findEpochs(); len(p.epochs) > 0 {
		p.epochs[len(p.epochs)-1].to.At = wholeRun(s.t).to
	}
	p.layOut()
	p.drawEpochs()
	p.drawViolation()
	p.drawLimits()
	for i := range p.lanes {
		switch l := &p.lanes[i]; {
		case l.lives != nil:
			p.drawLives(l)
		case l.actor.Kind == traces.ClientActor:
			p.drawClient(l)
		case l.actor.Kind == traces.NodeActor:
			p.drawNode(l)
		case l.actor.Kind == traces.ElectorActor:
			p.drawPauses(l)
			p.drawStrip(l)
		case l.actor.Kind == traces.ResourceActor:
			p.drawResource(l)
		case l.actor.Kind == printedActor:
			p.drawPrinted(l)
		}
	}
	p.drawPartings()
	p.drawMessages()
	p.drawNeeds()
	p.placeBadges()
	// Of the same rank the later first: it stands after its mark, and if that
	// leaves no room for the earlier one, that stands before its own.
	slices.SortStableFunc(p.labels, func(a, b label) int { return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.t0, a.t0)) })
	return p
}

// add draws a shape.
func (p *picture) add(at layer, s shape) { p.layers[at] = append(p.layers[at], s) }

// write draws a label.
func (p *picture) write(l label) {
	l.long, l.short = wording.Fit(wording.Printable(l.long), 160), wording.Fit(wording.Printable(l.short), 110)
	p.labels = append(p.labels, l)
}

// describe keeps a detail for a shape, which readers see when they point at it.
func (p *picture) describe(at time.Duration, when, title string, lines ...string) int {
	d := detail{At: int64(at), When: when, Title: wording.Fit(wording.Printable(title), 200)}
	for _, line := range lines {
		if line != "" {
			d.Lines = append(d.Lines, wording.Fit(wording.Printable(line), 300))
		}
	}
	p.details = append(p.details, d)
	return len(p.details) - 1
}

// of says to which operation a detail belongs.
func (p *picture) of(detail, op int) {
	if p.t.History.Operation(op) != nil {
		p.details[detail].Op = op
	}
}

// drawEpochs lays a band behind each epoch and names the node that serves.
func (p *picture) drawEpochs() {
	serving := p.terms.Serving
	for i, e := range p.epochs {
		d := p.describe(e.from.At, during(e.from.At, e.to.At), fmt.Sprintf("failover epoch %d: %s is the %s", e.number, e.serving, serving))
		p.add(layerGround, shape{kind: shapeRect, class: "epoch" + parity(i), t0: e.from.At, t1: e.to.At, y0: epochTop, y1: p.height, detail: d})
		if i > 0 {
			p.add(layerGround, shape{kind: shapeLine, class: "turn", t0: e.from.At, t1: e.from.At, y0: epochTop, y1: p.height, detail: d})
		}
		p.write(label{
			class: "epochname", t0: e.from.At, t1: e.to.At, y: epochTop + 12, place: placeInside, rank: rankFrame,
			long: fmt.Sprintf("epoch %d: %s is %s", e.number, e.serving, serving), short: e.serving,
		})
	}
}

func parity(i int) string { return [...]string{" even", " odd"}[i%2] }

// drawViolation marks the window in which the property is broken through all
// lanes.
func (p *picture) drawViolation() {
	if p.verdict == nil || !p.verdict.From.Happened() {
		return
	}
	from, to := p.verdict.From, p.verdict.To
	if !to.Happened() {
		to = from
	}
	what := p.windowText()
	d := p.describe(from.At, during(from.At, to.At), p.t.Broken(p.verdict.Property)+": "+what, p.verdict.Sentence)
	p.add(layerGround, shape{kind: shapeRect, class: "broken", t0: from.At, t1: to.At, y0: flagTop, y1: p.height, least: 3, detail: d})
	for _, edge := range slices.Compact([]time.Duration{from.At, to.At}) {
		p.add(layerMarks, shape{kind: shapeLine, class: "brokenedge", t0: edge, t1: edge, y0: flagTop, y1: p.height, detail: none})
	}
	p.write(label{
		class: "flag", t0: from.At, t1: to.At, y: flagTop + 13, place: placeFlag, rank: rankFrame,
		long: "✗ " + p.verdict.Property + ": " + what, short: "✗ " + p.verdict.Property,
	})
}

// drawLimits marks the overlaps of claims before the one that is the violation.
func (p *picture) drawLimits() {
	limits, _ := p.earlierLimits()
	for _, s := range limits {
		d := p.describe(s.from.At, during(s.from.At, s.to.At), s.text, "The violation that is judged is a later overlap, which is the lock's fault.")
		p.of(d, s.op)
		p.add(layerGround, shape{kind: shapeRect, class: "overlap", t0: s.from.At, t1: s.to.At, y0: flagTop, y1: p.height, least: 3, detail: d})
		p.write(label{
			class: "flag limit", t0: s.from.At, t1: s.to.At, y: flagTop + 13, place: placeFlag, rank: rankFrame,
			long: "a limit: " + s.text, short: "a limit",
		})
	}
}

// windowText describes the violation, with the names of the clients if they are two.
func (p *picture) windowText() string {
	if p.broken.Pair != "" && len(p.clients) == 2 {
		return list(p.clients) + " " + p.broken.Pair
	}
	return p.broken.Window
}
