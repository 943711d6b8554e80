package render

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

const (
	pictureWidth = 1180 // pixels, where no script fits it to the page
	gutterWidth  = 112  // the names of the lanes
	rightMargin  = 14
)

// frame is where and for which stretch of time a picture is drawn.
type frame struct {
	name string // "overview" or "lens"
	window
	left, right float64
}

func newFrame(name string, w window) frame {
	return frame{name, w, gutterWidth, pictureWidth - rightMargin}
}

// x is the pixel of a time. The conversions keep compilers from fusing the
// multiplication and the addition, so that every machine draws the same.
func (f frame) x(t time.Duration) float64 {
	return f.left + float64(float64(t-f.from)/float64(f.span())*float64(f.right-f.left))
}

// bracket is from where to where a lens looks.
func (f frame) bracket(lens window) (x0, x1 float64) {
	x0 = f.x(max(lens.from, f.from))
	return x0, max(x0+1, f.x(min(lens.to, f.to)))
}

// svgWriter writes the elements of a picture. Whatever shows times carries
// them in data attributes, in nanoseconds: the script that moves a picture to
// another stretch of time needs nothing else.
type svgWriter struct {
	strings.Builder
	frame
}

// svg is the picture for one stretch of time. The one for which a lens is
// given shows where that looks, and contains all shapes: those outside of the
// stretch hidden, for the script to move.
func (p *picture) svg(f frame, lens *window) string {
	whole := lens != nil
	w := &svgWriter{frame: f}
	height := p.height + axisHeight
	title, about := p.titles(f)
	w.printf(`<svg id="%s" class="pic" viewBox="0 0 %d %s" width="%d" height="%s" role="img" tabindex="0" aria-labelledby="%s-title" aria-describedby="%s-desc" data-from="%d" data-to="%d">`+"\n",
		f.name, pictureWidth, px(height), pictureWidth, px(height), f.name, f.name, f.from, f.to)
	w.printf("<title id=\"%s-title\">%s</title>\n<desc id=\"%s-desc\">%s</desc>\n", f.name, wording.HTML(title), f.name, wording.HTML(about))
	w.printf(`<clipPath id="%s-clip"><rect class="clip" x="%s" y="0" width="%s" height="%s"/></clipPath>`+"\n",
		f.name, px(f.left), px(f.right-f.left), px(height))
	p.writeLanes(w)
	p.writeAxis(w)
	w.printf("<g class=\"plot\" clip-path=\"url(#%s-clip)\">\n", f.name)
	if lens != nil {
		x0, x1 := f.bracket(*lens)
		w.printf(`<rect id="bracket" class="bracket" x="%s" y="%d" width="%s" height="%s"/>`+"\n", px(x0), flagTop, px(x1-x0), px(height-flagTop))
	}
	for _, shapes := range p.layers {
		for i := range shapes {
			w.shape(&shapes[i], whole)
		}
	}
	if whole {
		w.printf(`<line class="cursor off" x1="0" x2="0" y1="%d" y2="%s"/>`+"\n", flagTop, px(p.height))
	}
	r := &room{left: f.left, right: f.right}
	p.placeBars(w.frame, r)
	p.takeMarks(w.frame, r)
	p.writeBadges(w, r)
	p.writeLabels(w, r, whole)
	w.WriteString("</g>\n")
	for i, l := range p.lanes {
		if l.caption != "" {
			w.printf(`<text class="caption" data-lane="%d" x="4" y="%s">%s</text>`+"\n", i, px(l.top-7), wording.HTML(l.caption))
		}
	}
	w.WriteString("</svg>\n")
	return w.String()
}

// titles describe a picture to who cannot see it.
func (p *picture) titles(f frame) (title, about string) {
	if p.title != "" {
		return p.title, p.about
	}
	title = "The run in lanes, to scale in time"
	if f.name == "lens" {
		title = "The lens: a part of the run, magnified"
	}
	about = fmt.Sprintf("From %s to %s. Lanes from top to bottom:", traces.Moment(f.from), traces.Moment(f.to))
	for _, l := range p.lanes {
		if l.lives != nil {
			about += fmt.Sprintf(" %s;", l.title)
			continue
		}
		about += fmt.Sprintf(" %s (%s);", l.title, l.actor.Kind)
	}
	return title, about + " the steps tell the same in words."
}

// writeLanes draws the lanes' names and borders.
func (p *picture) writeLanes(w *svgWriter) {
	w.WriteString("<g class=\"lanes\">\n")
	for i := range p.lanes {
		l := &p.lanes[i]
		w.printf(`<g class="head" data-lane="%d">`, i)
		w.printf(`<rect class="lane" x="0" y="%s" width="%s" height="%s"/>`, px(l.top), px(w.right), px(l.height))
		color := ""
		if l.actor.Kind == traces.ClientActor {
			color = colorClass(l.color)
			w.printf(`<rect class="swatch %s" x="0" y="%s" width="5" height="%s"/>`, color, px(l.top), px(l.height))
		}
		w.printf(`<text class="name" x="14" y="%s">%s</text><text class="note" x="14" y="%s">%s</text></g>`+"\n",
			px(l.top+stripHeight+12), wording.HTML(l.title), px(l.top+stripHeight+26), wording.HTML(l.note))
	}
	w.WriteString("</g>\n")
}

// writeAxis draws the ticks of the time axis.
func (p *picture) writeAxis(w *svgWriter) {
	w.printf("<g class=\"axis\" data-bottom=\"%s\">\n", px(p.height))
	list := p.ticks
	if list == nil {
		list = ticks(w.window, w.right-w.left)
	}
	for _, t := range list {
		x := px(w.x(t.at))
		w.printf(`<line x1="%s" x2="%s" y1="%d" y2="%s"/>`, x, x, axisHeight-6, px(p.height))
		w.printf(`<text x="%s" y="14">%s</text><text x="%s" y="%s">%s</text>`+"\n", x, wording.HTML(t.text), x, px(p.height+15), wording.HTML(t.text))
	}
	w.WriteString("</g>\n")
}

// shape writes one shape.
func (w *svgWriter) shape(s *shape, whole bool) {
	t0, t1 := s.span()
	off := t1 < w.from || t0 > w.to
	if off && !whole {
		return
	}
	attrs := fmt.Sprintf(`class="%s"`, s.class+strings.Repeat(" off", count01(off)))
	if s.detail != none {
		attrs += fmt.Sprintf(` data-d="%d"`, s.detail)
	}
	x0 := w.x(s.t0)
	switch s.kind {
	case shapeRect:
		from, to := w.sides(s)
		w.printf(`<rect %s data-t="%d" data-u="%d" data-w="%s" x="%s" y="%s" width="%s" height="%s"`,
			attrs, s.t0, s.t1, px(s.least), px(from), px(s.y0), px(max(0, to-from)), px(s.y1-s.y0))
	case shapeLine:
		w.printf(`<line %s data-t="%d" data-u="%d" x1="%s" y1="%s" x2="%s" y2="%s"`,
			attrs, s.t0, s.t1, px(x0), px(s.y0), px(w.x(s.t1)), px(s.y1))
	case shapeArea:
		var times, points []string
		for _, c := range s.corners {
			times = append(times, fmt.Sprintf("%d,%s", c.t, px(c.y)))
			points = append(points, px(w.x(c.t))+","+px(c.y))
		}
		w.printf(`<polygon %s data-p="%s" points="%s"`, attrs, strings.Join(times, " "), strings.Join(points, " "))
	case shapeGlyph:
		w.printf(`<path %s data-t="%d" data-y="%s" transform="translate(%s %s)" d="%s"`,
			attrs, s.t0, px(s.y0), px(x0), px(s.y0), s.path)
	}
	if s.tip == "" {
		w.WriteString("/>\n")
		return
	}
	w.printf("><title>%s</title></%s>\n", wording.HTML(s.tip), elements[s.kind])
}

// sides are where a rect begins and ends.
func (f frame) sides(s *shape) (from, to float64) {
	x0 := f.x(s.t0)
	return max(x0, f.left-4), min(max(f.x(s.t1), x0+s.least), f.right+4)
}

// placeBars keeps texts off the bars.
func (p *picture) placeBars(f frame, r *room) {
	for at, shapes := range p.layers {
		for i := range shapes {
			s := &shapes[i]
			if from, to := f.sides(s); s.isBar(layer(at)) && s.t1 >= f.from && s.t0 <= f.to {
				r.bars = append(r.bars, bar{from, to, s.y0, s.y1, s.detail, layer(at) == layerCover || strings.HasPrefix(s.class, "ghost")})
			}
		}
	}
}

// elements are the elements that show shapes.
var elements = map[shapeKind]string{shapeRect: "rect", shapeLine: "line", shapeArea: "polygon", shapeGlyph: "path"}

// span is from when to when a shape reaches.
func (s *shape) span() (from, to time.Duration) {
	switch s.kind {
	case shapeGlyph:
		return s.t0, s.t0
	case shapeArea:
		return s.corners[0].t, s.corners[len(s.corners)-1].t
	}
	return s.t0, s.t1
}

// markRoom is the room on either side of a mark, from its middle. The text of a mark stands
// just outside of it, and so never beyond another mark, whose it would seem to be.
const markRoom = 7.5

// takeMarks keeps texts off the marks.
func (p *picture) takeMarks(f frame, r *room) {
	for _, s := range p.layers[layerMarks] {
		if x := f.x(s.t0); s.kind == shapeGlyph && x >= f.left && x <= f.right {
			r.taken = append(r.taken, box{x - markRoom, x + markRoom, s.y0 + 4})
		}
	}
}

// badgeSize is the diameter of a step's number, and badgeGap how far apart two are at least.
const (
	badgeSize = 18
	badgeGap  = 2
)

// writeBadges draws the numbers of the steps; lines lead from where there was
// room for them to their moments.
func (p *picture) writeBadges(w *svgWriter, r *room) {
	places := p.spread(w.frame)
	for i, b := range p.badges {
		x, off := w.x(b.t), b.t < w.from || b.t > w.to
		if !off {
			r.taken = append(r.taken, box{places[i] - badgeSize/2, places[i] + badgeSize/2, b.y + 4})
		}
		class := "badge" + strings.Repeat(" bad", count01(b.violating)) + strings.Repeat(" off", count01(off))
		w.printf(`<g class="%s" data-t="%d" data-y="%s" data-step="%d" transform="translate(%s %s)"><path d="M%s 9L0 0"/><circle r="8.5"/><text y="4">%d</text></g>`+"\n",
			class, b.t, px(b.y), b.number, px(places[i]), px(b.y), px(x-places[i]), b.number)
	}
}

// spread finds places for the badges at which none covers another of the same
// lane: to the right of their moments, but inside of the picture.
func (p *picture) spread(f frame) []float64 {
	places := make([]float64, len(p.badges))
	free := map[float64]float64{} // by lane, where the next one may stand
	for i, b := range p.badges {
		places[i] = max(f.x(b.t), free[b.y], f.left+badgeSize/2)
		if b.t >= f.from && b.t <= f.to {
			free[b.y] = places[i] + badgeSize + badgeGap
		}
	}
	end := map[float64]float64{}
	for i, b := range slices.Backward(p.badges) {
		if b.t < f.from || b.t > f.to {
			continue
		}
		if end[b.y] == 0 {
			end[b.y] = f.right - badgeSize/2
		}
		places[i] = min(places[i], end[b.y])
		end[b.y] = places[i] - badgeSize - badgeGap
	}
	return places
}

// writeLabels draws the labels for which there is room.
func (p *picture) writeLabels(w *svgWriter, r *room, whole bool) {
	for i := range p.labels {
		l := &p.labels[i]
		at := r.place(l, w.x(l.t0), w.x(l.t1))
		if !at.ok && !whole {
			continue
		}
		class, text := l.class, at.text
		if !at.ok {
			class, text = class+" off", l.long
		}
		more := ""
		if l.ends != nil {
			more = fmt.Sprintf(` data-l="%d %d"`, l.ends[0], l.ends[1])
		}
		if len(l.own) > 0 {
			more += fmt.Sprintf(` data-o="%s"`, strings.Trim(fmt.Sprint(l.own), "[]"))
		}
		if l.above != 0 {
			more += fmt.Sprintf(` data-v="%s"`, px(l.above))
		}
		w.printf(`<text class="%s"%s data-t="%d" data-u="%d" data-y="%s" data-f="%s" data-n="%s" data-p="%c" data-a="%s" data-b="%s" x="%s" y="%s">%s</text>`+"\n",
			class, more, l.t0, l.t1, px(l.y), px(l.fall), px(l.need), l.place,
			wording.HTML(l.long), wording.HTML(l.short), px(at.x), px(at.y), wording.HTML(text))
	}
}

func (w *svgWriter) printf(format string, args ...any) { fmt.Fprintf(w, format, args...) }

// px is a length to a tenth of a pixel.
func px(v float64) string {
	s := strconv.FormatFloat(v, 'f', 1, 64)
	s = strings.TrimSuffix(s, ".0")
	if s == "-0" {
		return "0"
	}
	return s
}

// scriptData are the attributes of a picture that are for a script, which is a
// third of it. No text can be taken for one: in texts, quotes are escaped.
var scriptData = regexp.MustCompile(` (data-[a-z]+|tabindex)="[^"]*"`)
