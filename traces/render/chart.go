package render

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

// Chart is a picture in lanes, in the style of [View], of what is not a trace. From left to
// right it has places, from 0 to Length, all equally wide; Ticks say what they are. It needs
// [PageStyle] or [FigureStyle] with it, and [FigureDefs]. Texts are shown as text, whatever they
// contain, and shortened where there is no room.
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
	// Caption stands above the lane, empty for none.
	Caption string
	// Colored is set if the lane has a colour of its own. Colored lanes have eight colours in
	// turn.
	Colored bool
}

// ChartKind says what a bar shows.
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
	// Long is written if there is room for it, and else Short. Tip is shown while the pointer
	// is on the bar.
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

// PageStyle is the style sheet of pages that look like those of [View].
func PageStyle() string { return styleCSS + chartCSS }

// ColorOf is the class of the n-th colour of a chart's lanes.
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
	p := &picture{title: c.Title, about: c.About, height: epochTop}
	f := newFrame(c.ID, window{at(-0.6), at(max(c.Length, 1) + 0.6)})
	f.left = c.gutter()
	claims := float64(noClaims)
	if slices.ContainsFunc(c.Bars, func(b ChartBar) bool { return b.Kind == ChartClaim }) {
		claims = beliefHeight
	}
	p.chartLanes(c.Lanes, claims)
	p.ticks = c.ticks(f)
	for _, g := range c.Gaps {
		p.add(layerCover, shape{kind: shapeRect, class: "gap", t0: at(g.At - gapWidth/2), t1: at(g.At + gapWidth/2), y0: epochTop + captionHeight, y1: p.height, least: 4, tip: wording.Printable(g.Tip), detail: none})
	}
	if c.Flag.Text != "" {
		p.chartFlag(c.Flag, c.Length)
	}
	for i := range c.Bars {
		p.chartBar(&c.Bars[i], claims, i)
	}
	slices.SortStableFunc(p.labels, func(a, b label) int { return int(b.rank) - int(a.rank) })
	return template.HTML(scriptData.ReplaceAllString(p.svg(f, nil), ""))
}

// at is the picture's time of a place.
func at(place float64) time.Duration { return time.Duration(place * float64(chartPlace)) }

// gutter is where the lanes begin, behind their names.
func (c *Chart) gutter() float64 {
	longest := 0
	for i := range c.Lanes {
		longest = max(longest, utf8.RuneCountInString(wording.Printable(c.Lanes[i].Name)))
	}
	return min(max(gutterWidth, 24+float64(longest)*chartLetter), mostGutter)
}

// shortName is a name of a lane that fits before it: names of one kind differ at their ends.
func shortName(name string) string {
	runes := []rune(wording.Printable(name))
	if len(runes) <= mostName {
		return string(runes)
	}
	return string(runes[:mostName/2-1]) + "…" + string(runes[len(runes)-mostName/2:])
}

// chartLanes gives each lane its room. Claims is the height of their row.
func (p *picture) chartLanes(lanes []ChartLane, claims float64) {
	colors := 0
	for i := range lanes {
		l := lane{title: shortName(lanes[i].Name), note: wording.Fit(wording.Printable(lanes[i].Note), 30), caption: lanes[i].Caption, height: stripHeight + claims + actionHeight}
		l.actor.Kind = traces.ResourceActor
		if lanes[i].Colored {
			l.actor.Kind, l.color = traces.ClientActor, colors%maxColors
			colors++
		}
		if l.caption != "" {
			p.height += captionHeight
		}
		l.top = p.height
		p.height += l.height + laneGap
		p.lanes = append(p.lanes, l)
	}
}

// ticks are those for which there is room, side by side.
func (c *Chart) ticks(f frame) []tick {
	all, free := []tick{}, f.left-20
	for _, t := range c.Ticks {
		text := wording.Fit(wording.Printable(t.Text), 24)
		x, half := f.x(at(t.At)), float64(utf8.RuneCountInString(text))*6.4/2
		if x-half < free || x+half > f.right+rightMargin {
			continue
		}
		all, free = append(all, tick{at(t.At), text}), x+half+8
	}
	return all
}

func (p *picture) chartFlag(flag ChartTick, length float64) {
	p.add(layerGround, shape{kind: shapeRect, class: "broken", t0: at(flag.At), t1: at(length + 0.6), y0: flagTop, y1: p.height, detail: none})
	p.add(layerMarks, shape{kind: shapeLine, class: "brokenedge", t0: at(flag.At), t1: at(flag.At), y0: flagTop, y1: p.height, detail: none})
	p.write(label{class: "flag", t0: at(flag.At), t1: at(length), y: flagTop + 13, place: placeFlag, rank: rankFrame, long: flag.Text})
}

// chartBar draws a bar, the n-th, with its label.
func (p *picture) chartBar(b *ChartBar, claimRow float64, n int) {
	l := &p.lanes[b.Lane]
	color, faded := "kx", ""
	if l.actor.Kind == traces.ClientActor {
		color = colorClass(l.color)
	}
	if b.Faded {
		faded = " around"
	}
	claims, calls := l.top+stripHeight, l.top+stripHeight+claimRow
	s := shape{kind: shapeRect, t0: at(b.From), t1: at(b.To), y0: calls + 1, y1: calls + 15, least: 3, detail: n, tip: wording.Fit(wording.Printable(b.Tip), 400)}
	text := label{class: "lab", t0: s.t0, t1: s.t1, y: calls + 12, place: placeFlag, rank: rankAction, long: b.Long, short: b.Short, own: []int{n}}
	if b.Faded {
		text.rank, text.class = rankRead, "lab quiet"
	}
	depth := layerBars
	switch b.Kind {
	case ChartClaim:
		s.class, s.y0, s.y1 = "claim "+color, claims+1, claims+beliefHeight-2
		text.class, text.y, text.place, text.rank = "on "+color, claims+14, placeInside, rankBar
	case ChartCall:
		s.class = "call " + color
	case ChartUnknown:
		s.class = "call open " + color
	case ChartEvent:
		s.class, s.kind, s.path, s.y0, depth = "fault", shapeGlyph, glyphBolt, calls+8, layerMarks
		text.place, text.class = placeAfter, "lab strong"
	case ChartNote:
		s.class, s.y0, s.y1, depth = "pause", l.top+stripHeight, l.bottom(), layerCover
		text.class, text.place, text.rank, text.y = "lab strong", placeFlag, rankFault, l.top+12
	}
	s.class += faded
	p.add(depth, s)
	if b.Ringed {
		p.add(layerMarks, shape{kind: shapeRect, class: "ring", t0: s.t0, t1: s.t1, y0: s.y0 - 1.5, y1: s.y1 + 1.5, least: 6, detail: n, tip: s.tip})
	}
	p.write(text)
}
