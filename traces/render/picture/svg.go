package picture

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/traces"
)

// Widths, in pixels.
const (
	PictureWidth = 1180 // pixels, where no script fits it to the page
	gutterWidth  = 112  // the names of the lanes
	rightMargin  = 14
)

// Frame is the place and the stretch of time of a drawn picture.
type Frame struct {
	name string // "overview" or "lens"
	Window
	Left, Right float64
}

// NewFrame returns a frame of the usual width.
func NewFrame(name string, w Window) Frame {
	return Frame{name, w, gutterWidth, PictureWidth - rightMargin}
}

// x returns the pixel of a time. The conversions keep compilers from fusing the
// multiplication and the addition, so that every machine draws the same.
func (f Frame) x(t time.Duration) float64 {
	return f.Left + float64(float64(t-f.From)/float64(f.Span())*float64(f.Right-f.Left))
}

// Bracket returns the horizontal range of a lens.
func (f Frame) Bracket(lens Window) (x0, x1 float64) {
	x0 = f.x(max(lens.From, f.From))
	return x0, max(x0+1, f.x(min(lens.To, f.To)))
}

// svgWriter writes the elements of a picture. Each element with a time has it in data attributes, in nanoseconds: the
// script that moves a picture to another stretch of time needs nothing else.
type svgWriter struct {
	strings.Builder
	Frame
}

// SVG returns the picture for one stretch of time. If lens is not nil the picture shows its range, and contains all
// shapes: those outside of the stretch hidden, for the script to move.
func (p *Canvas) SVG(f Frame, lens *Window) string {
	whole := lens != nil
	w := &svgWriter{Frame: f}
	height := p.Height + axisHeight
	title, about := p.titles(f)
	w.printf(`<svg id="%s" class="pic" viewBox="0 0 %d %s" width="%d" height="%s" role="img" tabindex="0" aria-labelledby="%s-title" aria-describedby="%s-desc" data-from="%d" data-to="%d">`+"\n",
		f.name, PictureWidth, Px(height), PictureWidth, Px(height), f.name, f.name, f.From, f.To)
	w.printf("<title id=\"%s-title\">%s</title>\n<desc id=\"%s-desc\">%s</desc>\n", f.name, wording.HTML(title), f.name, wording.HTML(about))
	w.printf(`<clipPath id="%s-clip"><rect class="clip" x="%s" y="0" width="%s" height="%s"/></clipPath>`+"\n",
		f.name, Px(f.Left), Px(f.Right-f.Left), Px(height))
	p.writeLanes(w)
	p.writeAxis(w)
	w.printf("<g class=\"plot\" clip-path=\"url(#%s-clip)\">\n", f.name)
	if lens != nil {
		x0, x1 := f.Bracket(*lens)
		w.printf(`<rect id="bracket" class="bracket" x="%s" y="%d" width="%s" height="%s"/>`+"\n", Px(x0), FlagTop, Px(x1-x0), Px(height-FlagTop))
	}
	for _, shapes := range p.Layers {
		for i := range shapes {
			w.shape(&shapes[i], whole)
		}
	}
	if whole {
		w.printf(`<line class="cursor off" x1="0" x2="0" y1="%d" y2="%s"/>`+"\n", FlagTop, Px(p.Height))
	}
	r := &room{left: f.Left, right: f.Right}
	p.placeBars(w.Frame, r)
	p.takeMarks(w.Frame, r)
	p.writeBadges(w, r)
	p.writeLabels(w, r, whole)
	w.WriteString("</g>\n")
	for i, l := range p.Lanes {
		if l.Caption != "" {
			w.printf(`<text class="caption" data-lane="%d" x="4" y="%s">%s</text>`+"\n", i, Px(l.Top-7), wording.HTML(l.Caption))
		}
	}
	w.WriteString("</svg>\n")
	return w.String()
}

// titles describe a picture to readers who cannot see it.
func (p *Canvas) titles(f Frame) (title, about string) {
	if p.Title != "" {
		return p.Title, p.About
	}
	title = "The run in lanes, to scale in time"
	if f.name == "lens" {
		title = "The lens: a part of the run, magnified"
	}
	about = fmt.Sprintf("From %s to %s. Lanes from top to bottom:", traces.Moment(f.From), traces.Moment(f.To))
	for _, l := range p.Lanes {
		if l.Lives != nil {
			about += fmt.Sprintf(" %s;", l.Title)
			continue
		}
		about += fmt.Sprintf(" %s (%s);", l.Title, l.Actor.Kind)
	}
	return title, about + " the steps tell the same in words."
}

// writeLanes draws the lanes' names and borders.
func (p *Canvas) writeLanes(w *svgWriter) {
	w.WriteString("<g class=\"lanes\">\n")
	for i := range p.Lanes {
		l := &p.Lanes[i]
		w.printf(`<g class="head" data-lane="%d">`, i)
		w.printf(`<rect class="lane" x="0" y="%s" width="%s" height="%s"/>`, Px(l.Top), Px(w.Right), Px(l.height))
		color := ""
		if l.Actor.Kind == traces.ClientActor {
			color = colorClass(l.color)
			w.printf(`<rect class="swatch %s" x="0" y="%s" width="5" height="%s"/>`, color, Px(l.Top), Px(l.height))
		}
		w.printf(`<text class="name" x="14" y="%s">%s</text><text class="note" x="14" y="%s">%s</text></g>`+"\n",
			Px(l.Top+StripHeight+12), wording.HTML(l.Title), Px(l.Top+StripHeight+26), wording.HTML(l.Note))
	}
	w.WriteString("</g>\n")
}

// writeAxis draws the ticks of the time axis.
func (p *Canvas) writeAxis(w *svgWriter) {
	w.printf("<g class=\"axis\" data-bottom=\"%s\">\n", Px(p.Height))
	list := p.ticks
	if list == nil {
		list = ticks(w.Window, w.Right-w.Left)
	}
	for _, t := range list {
		x := Px(w.x(t.at))
		w.printf(`<line x1="%s" x2="%s" y1="%d" y2="%s"/>`, x, x, axisHeight-6, Px(p.Height))
		w.printf(`<text x="%s" y="14">%s</text><text x="%s" y="%s">%s</text>`+"\n", x, wording.HTML(t.text), x, Px(p.Height+15), wording.HTML(t.text))
	}
	w.WriteString("</g>\n")
}

// shape writes one shape.
func (w *svgWriter) shape(s *Shape, whole bool) {
	t0, t1 := s.span()
	off := t1 < w.From || t0 > w.To
	if off && !whole {
		return
	}
	attrs := fmt.Sprintf(`class="%s"`, s.Class+only(off, " off"))
	if s.Detail != None {
		attrs += fmt.Sprintf(` data-d="%d"`, s.Detail)
	}
	x0 := w.x(s.T0)
	switch s.Kind {
	case ShapeRect:
		from, to := w.sides(s)
		w.printf(`<rect %s data-t="%d" data-u="%d" data-w="%s" x="%s" y="%s" width="%s" height="%s"`,
			attrs, s.T0, s.T1, Px(s.least), Px(from), Px(s.Y0), Px(max(0, to-from)), Px(s.Y1-s.Y0))
	case ShapeLine:
		w.printf(`<line %s data-t="%d" data-u="%d" x1="%s" y1="%s" x2="%s" y2="%s"`,
			attrs, s.T0, s.T1, Px(x0), Px(s.Y0), Px(w.x(s.T1)), Px(s.Y1))
	case shapeArea:
		var times, points []string
		for _, c := range s.corners {
			times = append(times, fmt.Sprintf("%d,%s", c.t, Px(c.y)))
			points = append(points, Px(w.x(c.t))+","+Px(c.y))
		}
		w.printf(`<polygon %s data-p="%s" points="%s"`, attrs, strings.Join(times, " "), strings.Join(points, " "))
	case shapeGlyph:
		w.printf(`<path %s data-t="%d" data-y="%s" transform="translate(%s %s)" d="%s"`,
			attrs, s.T0, Px(s.Y0), Px(x0), Px(s.Y0), s.path)
	}
	if s.tip == "" {
		w.WriteString("/>\n")
		return
	}
	w.printf("><title>%s</title></%s>\n", wording.HTML(s.tip), elements[s.Kind])
}

// sides returns where a rect begins and ends.
func (f Frame) sides(s *Shape) (from, to float64) {
	x0 := f.x(s.T0)
	return max(x0, f.Left-4), min(max(f.x(s.T1), x0+s.least), f.Right+4)
}

// placeBars reserves the room of the bars.
func (p *Canvas) placeBars(f Frame, r *room) {
	for at, shapes := range p.Layers {
		for i := range shapes {
			s := &shapes[i]
			if from, to := f.sides(s); s.isBar(Layer(at)) && s.T1 >= f.From && s.T0 <= f.To {
				r.bars = append(r.bars, bar{from, to, s.Y0, s.Y1, s.Detail, Layer(at) == layerCover || strings.HasPrefix(s.Class, "ghost")})
			}
		}
	}
}

// elements are the SVG elements of shapes.
var elements = map[ShapeKind]string{ShapeRect: "rect", ShapeLine: "line", shapeArea: "polygon", shapeGlyph: "path"}

// span returns when a shape begins and ends.
func (s *Shape) span() (from, to time.Duration) {
	switch s.Kind {
	case shapeGlyph:
		return s.T0, s.T0
	case shapeArea:
		return s.corners[0].t, s.corners[len(s.corners)-1].t
	}
	return s.T0, s.T1
}

// markRoom is the room on either side of a mark, from its middle. The text of a mark is just outside of it, and so never
// beyond another mark, to which it would seem to belong.
const markRoom = 7.5

// takeMarks reserves the room of the marks.
func (p *Canvas) takeMarks(f Frame, r *room) {
	for _, s := range p.Layers[LayerMarks] {
		if x := f.x(s.T0); s.Kind == shapeGlyph && x >= f.Left && x <= f.Right {
			r.taken = append(r.taken, box{x - markRoom, x + markRoom, s.Y0 + 4})
		}
	}
}

// badgeSize is the diameter of a step's number, and badgeGap the minimum distance of two.
const (
	badgeSize = 18
	badgeGap  = 2
)

// writeBadges draws the numbers of the steps; lines lead from their places to their times.
func (p *Canvas) writeBadges(w *svgWriter, r *room) {
	places := p.spread(w.Frame)
	for i, b := range p.Badges {
		x, off := w.x(b.T), b.T < w.From || b.T > w.To
		if !off {
			r.taken = append(r.taken, box{places[i] - badgeSize/2, places[i] + badgeSize/2, b.Y + 4})
		}
		class := "badge" + only(b.Violating, " bad") + only(off, " off")
		w.printf(`<g class="%s" data-t="%d" data-y="%s" data-step="%d" transform="translate(%s %s)"><path d="M%s 9L0 0"/><circle r="8.5"/><text y="4">%d</text></g>`+"\n",
			class, b.T, Px(b.Y), b.Number, Px(places[i]), Px(b.Y), Px(x-places[i]), b.Number)
	}
}

// spread finds places for the badges at which none covers another of the same lane: to the right of their times, but
// inside the picture.
func (p *Canvas) spread(f Frame) []float64 {
	places := make([]float64, len(p.Badges))
	free := map[float64]float64{} // by lane, where the next one may stand
	for i, b := range p.Badges {
		places[i] = max(f.x(b.T), free[b.Y], f.Left+badgeSize/2)
		if b.T >= f.From && b.T <= f.To {
			free[b.Y] = places[i] + badgeSize + badgeGap
		}
	}
	end := map[float64]float64{}
	for i, b := range slices.Backward(p.Badges) {
		if b.T < f.From || b.T > f.To {
			continue
		}
		if end[b.Y] == 0 {
			end[b.Y] = f.Right - badgeSize/2
		}
		places[i] = min(places[i], end[b.Y])
		end[b.Y] = places[i] - badgeSize - badgeGap
	}
	return places
}

// writeLabels draws the labels for which there is room.
func (p *Canvas) writeLabels(w *svgWriter, r *room, whole bool) {
	for i := range p.labels {
		l := &p.labels[i]
		at := r.place(l, w.x(l.T0), w.x(l.T1))
		if !at.ok && !whole {
			continue
		}
		class, text := l.Class, at.text
		if !at.ok {
			class, text = class+" off", l.Long
		}
		more := ""
		if l.ends != nil {
			more = fmt.Sprintf(` data-l="%d %d"`, l.ends[0], l.ends[1])
		}
		if len(l.own) > 0 {
			more += fmt.Sprintf(` data-o="%s"`, strings.Trim(fmt.Sprint(l.own), "[]"))
		}
		if l.above != 0 {
			more += fmt.Sprintf(` data-v="%s"`, Px(l.above))
		}
		w.printf(`<text class="%s"%s data-t="%d" data-u="%d" data-y="%s" data-f="%s" data-n="%s" data-p="%c" data-a="%s" data-b="%s" x="%s" y="%s">%s</text>`+"\n",
			class, more, l.T0, l.T1, Px(l.Y), Px(l.fall), Px(l.need), l.Place,
			wording.HTML(l.Long), wording.HTML(l.Short), Px(at.x), Px(at.y), wording.HTML(text))
	}
}

// only returns a text if a condition holds, and else empty.
func only(condition bool, text string) string {
	if !condition {
		return ""
	}
	return text
}

func (w *svgWriter) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// Px formats a length to a tenth of a pixel.
func Px(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// PlainSVG returns the picture without the attributes that a script needs.
func (p *Canvas) PlainSVG(f Frame) string { return scriptData.ReplaceAllString(p.SVG(f, nil), "") }

// scriptData matches the attributes of a picture that only a script needs, a third of it. Quotes in texts are escaped, so
// no text matches.
var scriptData = regexp.MustCompile(` (data-[a-z]+|tabindex)="[^"]*"`)
