package labreport

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// size is the size of a plot. A page has each plot in both sizes, and shows the one that fits.
type size struct {
	name                   string
	width, height          float64
	left, right, top, foot float64 // the margins
	xTicks, yTicks         int
}

var (
	wide   = size{"wide", 600, 346, 66, 16, 14, 50, 8, 6}
	narrow = size{"narrow", 350, 300, 54, 10, 12, 48, 4, 5}
)

// drawing is a plot under construction.
type drawing struct {
	*Plot
	size
	x, y scale
	out  strings.Builder
}

// svg returns the plot as a picture for a screen of the given kind. The id is unique in the page.
func (p *Plot) svg(s size, id string) string {
	d := &drawing{Plot: p, size: s}
	d.scales()
	fmt.Fprintf(&d.out, `<svg class="plot %s" viewBox="0 0 %.0f %.0f" role="img" aria-labelledby="%[4]s-t %[4]s-d"><title id="%[4]s-t">%[5]s</title><desc id="%[4]s-d">%[6]s</desc>`,
		s.name, s.width, s.height, id, wording.HTML(p.Title), wording.HTML(d.description()))
	d.axes()
	if !slices.ContainsFunc(p.Series, func(s Series) bool { return len(d.stretches(&s)) > 0 }) {
		fmt.Fprintf(&d.out, `<text class="nothing" x="%s" y="%s">Nothing was measured.</text>`, px((d.left+d.width-d.right)/2), px((d.top+d.height-d.foot)/2))
	}
	for i := range p.Series {
		d.band(i)
	}
	for i := range p.Series {
		d.series(i)
	}
	d.out.WriteString(`</svg>`)
	return d.out.String()
}

// scales chooses scales for all points and their intervals.
func (d *drawing) scales() {
	var xs, ys []float64
	for _, s := range d.Series {
		for _, p := range s.Points {
			xs = append(xs, p.X)
			ys = append(ys, p.Y, p.Low, p.High)
		}
	}
	var exact []float64
	if d.Kind == Lines {
		exact = xs
	}
	d.x = newScale(scale{Axis: d.X, from: d.left, to: d.width - d.right, about: d.xTicks, tight: true}, xs, exact)
	d.y = newScale(scale{Axis: d.Y, from: d.height - d.foot, to: d.top, about: d.yTicks, zero: true}, ys, nil)
}

// description describes the plot for readers who cannot see it.
func (d *drawing) description() string {
	text := fmt.Sprintf("%s by %s.", d.y.title(), d.x.title())
	for _, s := range d.Series {
		shown := slices.DeleteFunc(slices.Clone(s.Points), func(p Point) bool { return !d.shows(p) })
		if len(shown) == 0 {
			text += " " + s.Name + ": nothing."
			continue
		}
		first, last := shown[0], shown[len(shown)-1]
		text += fmt.Sprintf(" %s: from %s at %s to %s at %s.", s.Name, Number(first.Y), Number(first.X), Number(last.Y), Number(last.X))
	}
	return text + " The table below has the points."
}

func (d *drawing) shows(p Point) bool { return d.x.shows(p.X) && d.y.shows(p.Y) }

// axes draws the grid, the labels and the titles.
func (d *drawing) axes() {
	right, bottom := d.width-d.right, d.height-d.foot
	for _, t := range d.y.ticks {
		y := d.y.at(t.value)
		fmt.Fprintf(&d.out, `<line class="grid" x1="%s" x2="%s" y1="%s" y2="%[3]s"/><text class="tick y" x="%[4]s" y="%[5]s">%[6]s</text>`,
			px(d.left), px(right), px(y), px(d.left-7), px(y+4), wording.HTML(t.label))
	}
	for _, t := range d.x.ticks {
		x := d.x.at(t.value)
		anchor := ""
		if x > right-14 {
			anchor = " last"
		}
		fmt.Fprintf(&d.out, `<line class="notch" x1="%[1]s" x2="%[1]s" y1="%[2]s" y2="%[3]s"/><text class="tick x%[4]s" x="%[1]s" y="%[5]s">%[6]s</text>`,
			px(x), px(bottom), px(bottom+4), anchor, px(bottom+18), wording.HTML(t.label))
	}
	fmt.Fprintf(&d.out, `<line class="axis" x1="%s" x2="%s" y1="%[3]s" y2="%[3]s"/>`, px(d.left), px(right), px(bottom))
	fmt.Fprintf(&d.out, `<text class="name" x="%s" y="%s">%s</text>`, px((d.left+right)/2), px(d.height-8), wording.HTML(d.x.title()))
	fmt.Fprintf(&d.out, `<text class="name" transform="translate(%s %s) rotate(-90)">%s</text>`, px(13), px((d.top+bottom)/2), wording.HTML(d.y.title()))
}

// stretches returns the parts of a series without gaps.
func (d *drawing) stretches(s *Series) (list [][]Point) {
	var now []Point
	for _, p := range s.Points {
		if d.shows(p) {
			now = append(now, p)
			continue
		}
		if now != nil {
			list = append(list, now)
		}
		now = nil
	}
	if now != nil {
		list = append(list, now)
	}
	return list
}

// band draws the confidence intervals of a series.
func (d *drawing) band(i int) {
	for _, part := range d.stretches(&d.Series[i]) {
		if !slices.ContainsFunc(part, func(p Point) bool { return p.Low < p.High }) {
			continue
		}
		var there, back []string
		for _, p := range part {
			low, high := p.Low, p.High
			if !d.y.shows(low) {
				low = p.Y
			}
			if !d.y.shows(high) {
				high = p.Y
			}
			there = append(there, px(d.x.at(p.X))+","+px(d.y.at(high)))
			back = append(back, px(d.x.at(p.X))+","+px(d.y.at(low)))
		}
		slices.Reverse(back)
		fmt.Fprintf(&d.out, `<polygon class="band %s" points="%s"/>`, look(i), strings.Join(append(there, back...), " "))
	}
}

// series draws the line of a series, and on straight lines its points.
func (d *drawing) series(i int) {
	s := &d.Series[i]
	fmt.Fprintf(&d.out, `<g class="series %s"><title>%s</title>`, look(i), wording.HTML(s.Name))
	for _, part := range d.stretches(s) {
		fmt.Fprintf(&d.out, `<path class="line" d="%s"/>`, d.path(part))
		if d.Kind != Lines {
			continue
		}
		for _, p := range part {
			d.out.WriteString(mark(i, d.x.at(p.X), d.y.at(p.Y), wording.HTML(s.Name+": "+d.says(p))))
		}
	}
	d.out.WriteString(`</g>`)
}

// says returns a text for a point.
func (d *drawing) says(p Point) string {
	text := withUnit(p.Y, d.Y.Unit) + " at " + withUnit(p.X, d.X.Unit)
	if p.Low < p.High {
		text += ", " + Number(p.Low) + " to " + Number(p.High)
	}
	return text
}

func withUnit(x float64, unit string) string { return strings.TrimSpace(Number(x) + " " + unit) }

// path joins points, by straight lines or by steps that rise at each point.
func (d *drawing) path(part []Point) string {
	var b strings.Builder
	for i, p := range part {
		x, y := px(d.x.at(p.X)), px(d.y.at(p.Y))
		switch {
		case i == 0:
			fmt.Fprintf(&b, "M%s %s", x, y)
		case d.Kind == Steps:
			fmt.Fprintf(&b, "H%sV%s", x, y)
		default:
			fmt.Fprintf(&b, "L%s %s", x, y)
		}
	}
	return b.String()
}

// px formats a coordinate with one decimal.
func px(x float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", math.Round(x*10)/10), ".0")
}

// The looks of series: eight colours, five dashes and four marks, so that two series of a plot differ in more than their
// colour.
const (
	colours = 8
	dashes  = 5
	shapes  = 4
	// legends is the number of series that their entries in the legend can single out.
	legends = 40
)

// look returns the classes of a series.
func look(i int) string {
	return fmt.Sprintf("c%d d%d n%d", i%colours, (i+i/colours)%dashes, i%legends)
}

// mark returns the mark of a point of a series.
func mark(i int, x, y float64, title string) string {
	const r = 3.6
	shape := ""
	switch i % shapes {
	case 0:
		shape = fmt.Sprintf(`<circle class="mark" cx="%s" cy="%s" r="%.1f">`, px(x), px(y), r)
		return shape + "<title>" + title + "</title></circle>"
	case 1:
		shape = fmt.Sprintf("M%s %sh%[3]sv%[3]sh-%[3]sz", px(x-r), px(y-r), px(2*r))
	case 2:
		shape = fmt.Sprintf("M%s %sl%s %sh-%sz", px(x), px(y-4.4), px(4.4), px(7.6), px(8.8))
	default:
		shape = fmt.Sprintf("M%s %sl%[3]s %[3]sl-%[3]s %[3]sl-%[3]s -%[3]sz", px(x), px(y-4.6), px(4.6))
	}
	return `<path class="mark" d="` + shape + `"><title>` + title + `</title></path>`
}

// sample returns the entry of a series in the legend.
func (p *Plot) sample(i int) string {
	point := ""
	if p.Kind == Lines {
		point = mark(i, 15, 7, "")
		point = strings.Replace(point, "<title></title>", "", 1)
	}
	return `<svg class="sample series ` + look(i) + `" viewBox="0 0 30 14" width="30" height="14" aria-hidden="true"><path class="line" d="M1 7H29"/>` + point + `</svg>`
}

// grid is the points of a plot as a table.
type grid struct {
	Head []string
	Rows [][]string
	Note string
}

// mostRows is the maximum number of points of a series in a page's table.
const mostRows = 41

// points returns the table of the plot's points. Series with the same X values, or with the same Y values as distributions
// have, are side by side.
func (p *Plot) points() (g grid) {
	x, y := axisTitle(p.X), axisTitle(p.Y)
	switch {
	case p.shared(func(q Point) float64 { return q.X }):
		g = p.sideBySide(x, func(q Point) string { return Number(q.X) }, pointText)
	case p.shared(func(q Point) float64 { return q.Y }):
		g = p.sideBySide(y, func(q Point) string { return Number(q.Y) }, func(q Point) string { return Number(q.X) })
		g.Note = "The columns have the " + x + "."
	default:
		g.Head = []string{"", x, y}
		for _, s := range p.Series {
			for _, q := range thinned(s.Points) {
				g.Rows = append(g.Rows, []string{s.Name, Number(q.X), pointText(q)})
			}
		}
	}
	for _, s := range p.Series {
		if n := len(s.Points); n > mostRows {
			g.Note = strings.TrimSpace(g.Note + fmt.Sprintf(" These are some of %s of each line; the JSON output has all of them.", wording.Count(n, "point")))
			break
		}
	}
	return g
}

func axisTitle(a Axis) string { return Column{Name: a.Name, Unit: a.Unit}.Title() }

func pointText(q Point) string {
	text := Number(q.Y)
	if known(q.Y) && q.Low < q.High {
		text += " (" + Number(q.Low) + " to " + Number(q.High) + ")"
	}
	return text
}

// shared reports whether all series have the same values of the given coordinate.
func (p *Plot) shared(of func(Point) float64) bool {
	for _, s := range p.Series {
		if !slices.EqualFunc(s.Points, p.Series[0].Points, func(a, b Point) bool { return of(a) == of(b) }) {
			return false
		}
	}
	return len(p.Series) > 0
}

func (p *Plot) sideBySide(head string, first, cell func(Point) string) (g grid) {
	g.Head = []string{head}
	for _, s := range p.Series {
		g.Head = append(g.Head, s.Name)
		for i, q := range thinned(s.Points) {
			if i == len(g.Rows) {
				g.Rows = append(g.Rows, []string{first(q)})
			}
			g.Rows[i] = append(g.Rows[i], cell(q))
		}
	}
	return g
}

// thinned returns at most mostRows of the points, evenly spread, including the first and the last.
func thinned(all []Point) []Point {
	n := len(all)
	if n <= mostRows {
		return all
	}
	list := make([]Point, mostRows)
	for i := range list {
		list[i] = all[i*(n-1)/(mostRows-1)]
	}
	return list
}
