package picture

import (
	_ "embed" // the style sheet
	"html/template"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

//go:embed view/chart.css
var chartCSS string

// Chart is a picture in lanes, in the style of a trace's page, of something other than a trace. From left to right it has
// places, from 0 to Length, all equally wide, with texts in Ticks. It needs [PageStyle] or [FigureStyle] on the page, and
// [FigureDefs]. Texts are shown as text, whatever they contain, and shortened where there is no room.
type Chart struct {
	// ID is a word that no other picture of the page has. Title and About describe the chart
	// to readers who cannot see it.
	ID, Title, About string
	Length           float64
	Lanes            []ChartLane
	Bars             []ChartBar
	Ticks            []ChartTick
	Gaps             []ChartGap
	// Flag marks a place through all lanes, if it has a text.
	Flag ChartTick
}

// ChartLane is a lane. It has room for a row of claims and below it for one of calls.
type ChartLane struct {
	Name, Note string
	// Caption is the text above the lane, empty for none.
	Caption string
	// Colored is set if the lane has a colour of its own. Colored lanes have eight colours in
	// turn.
	Colored bool
}

// ChartKind is the meaning of a bar.
type ChartKind int

// The kinds of bars.
const (
	ChartClaim   ChartKind = iota // what somebody holds
	ChartCall                     // a call, until it returned
	ChartUnknown                  // a call of unknown outcome
	ChartEvent                    // what happened at one place, From
	ChartNote                     // what went on beside the calls
)

// ChartBar is a bar in a lane, between two places.
type ChartBar struct {
	Kind     ChartKind
	Lane     int
	From, To float64
	// Ringed marks the bar; Faded makes it pale.
	Ringed, Faded bool
	// Long is written if there is room for it, and otherwise Short. Tip is shown while the pointer is on the bar.
	Long, Short, Tip string
}

// ChartTick is a text at a place.
type ChartTick struct {
	At   float64
	Text string
}

// ChartGap is something left out at a place.
type ChartGap struct {
	At  float64
	Tip string
}

// PageStyle returns the style sheet of pages that look like a trace's page.
func PageStyle() string { return SheetCSS + chartCSS }

// ColorOf returns the class of the n-th colour of a chart's lanes.
func ColorOf(n int) string { return colorClass(n) }

const (
	chartPlace  = time.Millisecond // of the picture's time for a place
	chartLetter = 8.2              // the width of a letter of a lane's name, at most
	mostName    = 26               // characters of such a name
	mostGutter  = 24 + mostName*chartLetter
	gapWidth    = 0.34 // of a place
	noClaims    = 8.0  // the height of the row of claims if there are none
)

// SVG draws the chart.
func (c *Chart) SVG() template.HTML {
	p := &Canvas{Title: c.Title, About: c.About, Height: epochTop}
	f := NewFrame(c.ID, Window{at(-0.6), at(max(c.Length, 1) + 0.6)})
	f.Left = c.gutter()
	claims := float64(noClaims)
	if slices.ContainsFunc(c.Bars, func(b ChartBar) bool { return b.Kind == ChartClaim }) {
		claims = beliefHeight
	}
	p.chartLanes(c.Lanes, claims)
	p.ticks = c.ticks(f)
	for _, g := range c.Gaps {
		p.Add(layerCover, Shape{Kind: ShapeRect, Class: "gap", T0: at(g.At - gapWidth/2), T1: at(g.At + gapWidth/2), Y0: epochTop + captionHeight, Y1: p.Height, least: 4, tip: wording.Printable(g.Tip), Detail: None})
	}
	if c.Flag.Text != "" {
		p.chartFlag(c.Flag, c.Length)
	}
	for i := range c.Bars {
		p.chartBar(&c.Bars[i], claims, i)
	}
	slices.SortStableFunc(p.labels, func(a, b Label) int { return int(b.Rank) - int(a.Rank) })
	return template.HTML(p.PlainSVG(f))
}

// at returns the picture's time of a place.
func at(place float64) time.Duration { return time.Duration(place * float64(chartPlace)) }

// gutter returns where the lanes begin, behind their names.
func (c *Chart) gutter() float64 {
	longest := 0
	for i := range c.Lanes {
		longest = max(longest, utf8.RuneCountInString(wording.Printable(c.Lanes[i].Name)))
	}
	return min(max(gutterWidth, 24+float64(longest)*chartLetter), mostGutter)
}

// shortName returns a name of a lane that fits before it: names of one kind differ at their ends.
func shortName(name string) string {
	runes := []rune(wording.Printable(name))
	if len(runes) <= mostName {
		return string(runes)
	}
	return string(runes[:mostName/2-1]) + "…" + string(runes[len(runes)-mostName/2:])
}

// chartLanes gives each lane its room. Claims is the height of their row.
func (p *Canvas) chartLanes(lanes []ChartLane, claims float64) {
	colors := 0
	for i := range lanes {
		l := Lane{Title: shortName(lanes[i].Name), Note: wording.Fit(wording.Printable(lanes[i].Note), 30), Caption: lanes[i].Caption, height: StripHeight + claims + actionHeight}
		l.Actor.Kind = traces.ResourceActor
		if lanes[i].Colored {
			l.Actor.Kind, l.color = traces.ClientActor, colors%maxColors
			colors++
		}
		if l.Caption != "" {
			p.Height += captionHeight
		}
		l.Top = p.Height
		p.Height += l.height + laneGap
		p.Lanes = append(p.Lanes, l)
	}
}

// ticks are those for which there is room, side by side.
func (c *Chart) ticks(f Frame) []tick {
	all, free := []tick{}, f.Left-20
	for _, t := range c.Ticks {
		text := wording.Fit(wording.Printable(t.Text), 24)
		x, half := f.x(at(t.At)), float64(utf8.RuneCountInString(text))*6.4/2
		if x-half < free || x+half > f.Right+rightMargin {
			continue
		}
		all, free = append(all, tick{at(t.At), text}), x+half+8
	}
	return all
}

func (p *Canvas) chartFlag(flag ChartTick, length float64) {
	p.Add(layerGround, Shape{Kind: ShapeRect, Class: "broken", T0: at(flag.At), T1: at(length + 0.6), Y0: FlagTop, Y1: p.Height, Detail: None})
	p.Add(LayerMarks, Shape{Kind: ShapeLine, Class: "brokenedge", T0: at(flag.At), T1: at(flag.At), Y0: FlagTop, Y1: p.Height, Detail: None})
	p.Write(Label{Class: "flag", T0: at(flag.At), T1: at(length), Y: FlagTop + 13, Place: placeFlag, Rank: RankFrame, Long: flag.Text})
}

// chartBar draws a bar, the n-th, with its label.
func (p *Canvas) chartBar(b *ChartBar, claimRow float64, n int) {
	l := &p.Lanes[b.Lane]
	color, faded := "kx", ""
	if l.Actor.Kind == traces.ClientActor {
		color = colorClass(l.color)
	}
	if b.Faded {
		faded = " around"
	}
	claims, calls := l.Top+StripHeight, l.Top+StripHeight+claimRow
	s := Shape{Kind: ShapeRect, T0: at(b.From), T1: at(b.To), Y0: calls + 1, Y1: calls + 15, least: 3, Detail: n, tip: wording.Fit(wording.Printable(b.Tip), 400)}
	text := Label{Class: "lab", T0: s.T0, T1: s.T1, Y: calls + 12, Place: placeFlag, Rank: rankAction, Long: b.Long, Short: b.Short, own: []int{n}}
	if b.Faded {
		text.Rank, text.Class = rankRead, "lab quiet"
	}
	depth := layerBars
	switch b.Kind {
	case ChartClaim:
		s.Class, s.Y0, s.Y1 = "claim "+color, claims+1, claims+beliefHeight-2
		text.Class, text.Y, text.Place, text.Rank = "on "+color, claims+14, placeInside, rankBar
	case ChartCall:
		s.Class = "call " + color
	case ChartUnknown:
		s.Class = "call open " + color
	case ChartEvent:
		s.Class, s.Kind, s.path, s.Y0, depth = "fault", shapeGlyph, glyphBolt, calls+8, LayerMarks
		text.Place, text.Class = placeAfter, "lab strong"
	case ChartNote:
		s.Class, s.Y0, s.Y1, depth = "pause", l.Top+StripHeight, l.Bottom(), layerCover
		text.Class, text.Place, text.Rank, text.Y = "lab strong", placeFlag, rankFault, l.Top+12
	}
	s.Class += faded
	p.Add(depth, s)
	if b.Ringed {
		p.Add(LayerMarks, Shape{Kind: ShapeRect, Class: "ring", T0: s.T0, T1: s.T1, Y0: s.Y0 - 1.5, Y1: s.Y1 + 1.5, least: 6, Detail: n, tip: s.tip})
	}
	p.Write(text)
}
