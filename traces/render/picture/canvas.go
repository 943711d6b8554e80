package picture

import (
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// Canvas has shapes with their beginnings, ends and heights, but no stretch of time. The same shapes serve every stretch;
// see svg.go.
type Canvas struct {
	Lanes   []Lane
	Height  float64 // of the lanes and everything above them
	Layers  [layerCount][]Shape
	labels  []Label
	Badges  []Badge
	Details []Detail
	// Title and about describe it, and ticks are on its axis, if it is not of a trace.
	Title, About string
	ticks        []tick
}

// Layer is the depth at which a shape lies.
type Layer int

// The layers, from the one behind all others.
const (
	layerGround Layer = iota // bands behind everything
	layerBars                // what lasts
	layerCover               // what lies over it: pauses, being down
	LayerMessages
	LayerMarks // what happens at a moment
	layerCount
)

// ShapeKind is the kind of a shape.
type ShapeKind byte

// The kinds of shapes.
const (
	ShapeRect  ShapeKind = 'r' // from t0 to t1, y0 to y1
	ShapeLine  ShapeKind = 'l' // from (t0, y0) to (t1, y1)
	shapeArea  ShapeKind = 'a' // polygon through corners
	shapeGlyph ShapeKind = 'g' // path around (t0, y0)
)

// Shape is a drawn shape.
type Shape struct {
	Kind    ShapeKind
	Class   string // for the style sheet
	T0, T1  time.Duration
	Y0, Y1  float64
	least   float64 // width in pixels below which a rect is not drawn
	corners []corner
	path    string
	Detail  int // index into picture.details, or none
	// tip is its text on a page without a script; empty for none.
	tip string
}

// isBar reports whether texts avoid a shape of a layer.
func (s *Shape) isBar(at Layer) bool { return s.Kind == ShapeRect && at != layerGround }

// None is the detail of a shape without one.
const None = -1

// corner is a corner of an area.
type corner struct {
	t time.Duration
	y float64
}

// Label is a text at a shape. It is drawn if there is room for it.
type Label struct {
	Class  string
	T0, T1 time.Duration // the stretch that it belongs to
	Y      float64       // of its base line
	fall   float64       // how much lower the base line is at T1
	above  float64       // another base line, for when there is no room on the first; 0 for none
	Long   string
	Short  string  // if long does not fit; may be empty
	need   float64 // pixels from t0 to t1 below which it is not drawn
	Place  Placing
	Rank   Rank
	// own are the details of the bars that it may cover.
	own []int
	// ends are the indices of the lanes with which it is hidden; nil if it is hidden with the lane that it is in.
	ends []int
}

// Rank is a label's claim to room, the highest first.
type Rank int

// The ranks of labels: the later ones are placed first.
const (
	rankMessage Rank = iota
	rankState        // what the picture shows without it
	rankRead
	rankAction
	rankBar
	rankFault
	RankFrame // epochs and the violation
)

// Placing is the place of a label in its stretch.
type Placing byte

// The places of labels.
const (
	placeInside Placing = 'i' // at the visible beginning of its stretch
	placeFlag   Placing = 'f' // the same, but it may reach beyond the end
	placeMiddle Placing = 'm' // in the middle of its visible stretch
	placeAfter  Placing = 'a' // after t0; before it if there is no room
	PlaceBefore Placing = 'b' // before t1; after it if there is no room
)

// Badge is the number of a step at the place where it happened.
type Badge struct {
	T         time.Duration
	Y         float64
	Number    int
	Violating bool
}

// Detail is the page's text for a shape that a reader points at.
type Detail struct {
	At    int64    `json:"at"` // in nanoseconds
	When  string   `json:"when"`
	Title string   `json:"title"`
	Lines []string `json:"lines,omitempty"`
	// Op is the operation that it belongs to, 0 if none.
	Op int `json:"op,omitempty"`
}

// Add draws a shape.
func (p *Canvas) Add(at Layer, s Shape) { p.Layers[at] = append(p.Layers[at], s) }

// Write draws a label.
func (p *Canvas) Write(l Label) {
	l.Long, l.Short = wording.Fit(wording.Printable(l.Long), 160), wording.Fit(wording.Printable(l.Short), 110)
	p.labels = append(p.labels, l)
}

// describe adds a detail for a shape, which readers see when they point at it.
func (p *Canvas) describe(at time.Duration, when, title string, lines ...string) int {
	d := Detail{At: int64(at), When: when, Title: wording.Fit(wording.Printable(title), 200)}
	for _, line := range lines {
		if line != "" {
			d.Lines = append(d.Lines, wording.Fit(wording.Printable(line), 300))
		}
	}
	p.Details = append(p.Details, d)
	return len(p.Details) - 1
}
