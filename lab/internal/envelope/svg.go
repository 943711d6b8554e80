package envelope

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
)

// The size of a picture, and its margins.
const (
	width, height           = 720.0, 440.0
	left, right, top, below = 76.0, 20.0, 54.0, 92.0
)

// style is that of the pictures. They have a background of their own, so that a page may be dark.
const style = `text{font:13px system-ui,sans-serif;fill:#1b1f24}.t{font-weight:600;font-size:15px}.s{fill:#57606a;font-size:12px}` +
	`.card{fill:#fff}.none{fill:#e3f2ea}.found{fill:#fbe3e4}.between{fill:#f0f1f3}.grid{stroke:#d6dbe1}.axis{stroke:#57606a}` +
	`.rule{stroke:#0067a8;stroke-width:2;stroke-dasharray:6 4;fill:none}.x{stroke:#b00020;stroke-width:2}.o{fill:#fff;stroke:#1a7f4b;stroke-width:1.6}.v{fill:#fff;stroke:#8a5a00;stroke-width:1.6}`

// SVG writes a picture with the maps below each other.
func SVG(w io.Writer, s *Search, rule *Rule, maps []*Map) error {
	tall := height * float64(len(maps))
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f" role="img" aria-labelledby="title"><title id="title">%s</title><style>%s</style><rect class="card" width="%.0f" height="%.0f"/>`,
		width, tall, width, tall, wording.HTML(s.Title()), style, width, tall)
	for i, m := range maps {
		fmt.Fprintf(&out, `<g transform="translate(0 %.0f)">%s</g>`, height*float64(i), m.drawing(s, rule))
	}
	out.WriteString("</svg>\n")
	_, err := io.WriteString(w, out.String())
	return err
}

// Title names what is searched.
func (s *Search) Title() string {
	return fmt.Sprintf("%s under %s: where %s is violated, and where none was found in %s a point", s.Lock, s.Scenario, s.named(), wording.GroupedCount(s.Runs, "schedule"))
}

// drawing is a map as a picture, without the element svg.
func (m *Map) drawing(s *Search, rule *Rule) string {
	d := &drawing{Map: m, search: s, rule: rule}
	if m.Y != Lease {
		d.rule = nil
	}
	d.heads()
	d.regions()
	d.axes()
	d.formula()
	d.points()
	d.legend()
	return d.out.String()
}

// drawing is a picture under construction.
type drawing struct {
	*Map
	search *Search
	rule   *Rule
	out    strings.Builder
}

func (d *drawing) x(v int64) float64 {
	return left + (width-left-right)*float64(v-d.XBounds.Low)/float64(d.XBounds.High-d.XBounds.Low)
}

func (d *drawing) y(v int64) float64 {
	v = min(max(v, d.YBounds.Low), d.YBounds.High)
	return height - below - (height-below-top)*float64(v-d.YBounds.Low)/float64(d.YBounds.High-d.YBounds.Low)
}

// px formats a coordinate.
func px(v float64) string { return strconv.FormatFloat(v, 'f', 1, 64) }

func (d *drawing) text(class string, x, y float64, anchor, text string) {
	fmt.Fprintf(&d.out, `<text class="%s" x="%s" y="%s" text-anchor="%s">%s</text>`, class, px(x), px(y), anchor, wording.HTML(text))
}

// heads writes the title, and what does not vary.
func (d *drawing) heads() {
	shown, _ := d.search.Axes() // the cells have been made before
	d.text("t", left, 22, "start", fmt.Sprintf("%s under %s: %s by %s", d.search.Lock, d.search.Scenario, d.Y.Title(), d.X.Title()))
	d.text("s", left, 41, "start", fmt.Sprintf("%s; %s a point, seed %d", strings.Join(d.others(d.At, shown), ", "), wording.GroupedCount(d.search.Runs, "schedule"), d.search.Seed))
}

// regions fills the sides of the border, and what lies between the points beside it.
func (d *drawing) regions() {
	fmt.Fprintf(&d.out, `<rect class="none" x="%s" y="%s" width="%s" height="%s"/>`, px(left), px(top), px(width-left-right), px(height-below-top))
	for i := range len(d.Lines) - 1 {
		a, b := &d.Lines[i], &d.Lines[i+1]
		aFound, aNone := d.edge(a)
		bFound, bNone := d.edge(b)
		d.quad("between", a, b, aFound, bFound, aNone, bNone)
		base := d.YBounds.High
		if d.Below {
			base = d.YBounds.Low
		}
		d.quad("found", a, b, base, base, aFound, bFound)
	}
}

// edge returns the values beside the border of a column; both are an end of the axis if there is none.
func (d *drawing) edge(c *Column) (found, none int64) {
	switch {
	case c.Exists:
		return c.Found, c.None
	case c.Everywhere == d.Below:
		return d.YBounds.High, d.YBounds.High
	}
	return d.YBounds.Low, d.YBounds.Low
}

// quad fills the part between two columns and two values in each.
func (d *drawing) quad(class string, a, b *Column, a1, b1, a2, b2 int64) {
	fmt.Fprintf(&d.out, `<polygon class="%s" points="%s,%s %s,%s %s,%s %s,%s"/>`, class,
		px(d.x(a.X)), px(d.y(a1)), px(d.x(b.X)), px(d.y(b1)), px(d.x(b.X)), px(d.y(b2)), px(d.x(a.X)), px(d.y(a2)))
}

// axes draws the grid, the labels and the names of the axes.
func (d *drawing) axes() {
	for _, v := range ticks(d.YBounds) {
		fmt.Fprintf(&d.out, `<line class="grid" x1="%s" x2="%s" y1="%s" y2="%[3]s"/>`, px(left), px(width-right), px(d.y(v)))
		d.text("s", left-7, d.y(v)+4, "end", d.Y.Text(v))
	}
	for _, v := range ticks(d.XBounds) {
		fmt.Fprintf(&d.out, `<line class="axis" x1="%s" x2="%[1]s" y1="%s" y2="%s"/>`, px(d.x(v)), px(height-below), px(height-below+4))
		anchor := "middle"
		if v == d.XBounds.High {
			anchor = "end"
		}
		d.text("s", d.x(v), height-below+18, anchor, d.X.Text(v))
	}
	fmt.Fprintf(&d.out, `<line class="axis" x1="%s" x2="%s" y1="%s" y2="%[3]s"/>`, px(left), px(width-right), px(height-below))
	d.text("", (left+width-right)/2, height-below+36, "middle", d.X.Title())
	fmt.Fprintf(&d.out, `<text transform="translate(16 %s) rotate(-90)" text-anchor="middle">%s</text>`, px((top+height-below)/2), d.Y.Title())
}

// ticks returns the values on an axis that have a label: multiples of 1, 2 or 5 times a power of ten, ten at most.
func ticks(b Bounds) (list []int64) {
	const most = 10
	step := int64(1)
	for i := 0; (b.High-b.Low)/step >= most; i++ {
		step = step * []int64{2, 5, 2}[i%3] / []int64{1, 2, 1}[i%3]
	}
	for v := (b.Low + step - 1) / step * step; v <= b.High; v += step {
		list = append(list, v)
	}
	return list
}

// formula draws the line of the lock's formula, as far as it is in the picture.
func (d *drawing) formula() {
	if d.rule == nil {
		return
	}
	var points []string
	for _, c := range d.Lines {
		if v := d.rule.Lease(d.point(c.X, 0)); v >= d.YBounds.Low && v <= d.YBounds.High {
			points = append(points, px(d.x(c.X))+","+px(d.y(v)))
		}
	}
	fmt.Fprintf(&d.out, `<polyline class="rule" points="%s"/>`, strings.Join(points, " "))
}

// points draws the searched points.
func (d *drawing) points() {
	for _, r := range d.Results() {
		d.mark(r.Found(), r.Vacuous, d.x(r.Point[d.X]), d.y(r.Point[d.Y]))
	}
}

func (d *drawing) mark(found, vacuous bool, x, y float64) {
	const half = 3.5
	switch {
	case found:
		fmt.Fprintf(&d.out, `<path class="x" d="M%s %sl7 7m0 -7l-7 7"/>`, px(x-half), px(y-half))
	case vacuous:
		fmt.Fprintf(&d.out, `<rect class="v" x="%s" y="%s" width="%.0f" height="%.0f"/>`, px(x-half), px(y-half), 2*half, 2*half)
	default:
		fmt.Fprintf(&d.out, `<circle class="o" cx="%s" cy="%s" r="%.1f"/>`, px(x), px(y), half)
	}
}

// legend explains the marks.
func (d *drawing) legend() {
	y := height - 34.0
	d.mark(true, false, left+5, y-4)
	d.text("s", left+16, y, "start", d.search.named()+" was violated")
	d.mark(false, false, left+265, y-4)
	d.text("s", left+276, y, "start", "none found, which is no proof")
	if d.Vacuous() > 0 {
		d.mark(false, true, left+465, y-4)
		d.text("s", left+476, y, "start", "vacuous: no fault struck a holder")
	}
	if d.rule != nil {
		fmt.Fprintf(&d.out, `<line class="rule" x1="%s" x2="%s" y1="%s" y2="%[3]s"/>`, px(left-2), px(left+12), px(y+16))
		d.text("s", left+16, y+20, "start", "the formula: "+d.rule.Text())
	}
}
