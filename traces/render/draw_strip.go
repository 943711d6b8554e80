package render

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// glyph is a mark of a note: how it is drawn.
type glyph struct{ class, path string }

// glyphs are those of notes. What is unknown is a dot.
var glyphs = map[model.Mark]glyph{
	model.MarkEye:   {"mark open", "M-5.5 0Q0-5.5 5.5 0Q0 5.5-5.5 0zM-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0z"},
	model.MarkBell:  {"mark", "M-5 3.5L-3.5 1V-1a3.5 3.5 0 0 1 7 0V1L5 3.5zM-1.5 4.5H1.5"},
	model.MarkCross: {"no", glyphCross},
	"":              {"mark", "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z"},
}

// glyphOf is the glyph of a note.
func glyphOf(n *model.Note) glyph {
	if g, known := glyphs[n.Mark]; known {
		return g
	}
	return glyphs[""]
}

// hasStrip reports whether notes are drawn in the strip of a node.
func (p *picture) hasStrip(node string) bool {
	return slices.ContainsFunc(p.t.History.Observations, func(o model.Observation) bool {
		return o.Node == node && o.Note != nil && o.Note.Place == model.PlaceStrip
	})
}

// drawStrip draws the notes in the strip of a node: bars of what lasts, marks of moments, and lines
// between those and what answers them.
func (p *picture) drawStrip(l *lane) {
	if l.strip == 0 {
		return
	}
	y := l.top + l.strip + noteHeight/2
	for i := range p.lives.all {
		if x := &p.lives.all[i]; x.place == model.PlaceStrip && x.node == l.actor.Name && p.extract.shows(x.from.Seq, x.to.Seq) {
			p.drawStretch(x, y-noteHeight/2+1, y+noteHeight/2-1)
		}
	}
	for i := range p.t.History.Observations {
		o := &p.t.History.Observations[i]
		if o.Node != l.actor.Name || o.Note == nil || o.Note.Place != model.PlaceStrip || o.Note.Phase != "" || !p.extract.shows(o.Seq, o.Seq) {
			continue
		}
		p.drawMark(o, y)
		if answer := p.lives.answers[o.Seq]; answer != nil {
			p.add(layerBars, shape{kind: shapeLine, class: "ghost " + p.colorOf(o.Owner.Client), t0: o.At, t1: answer.At, y0: y, y1: y, detail: none})
		}
	}
}

// drawStretch draws a life in a strip, with how it ended.
func (p *picture) drawStretch(x *life, top, bottom float64) {
	d := p.describe(x.from.At, during(x.from.At, x.to.At), p.fill(x.began.Note.Title, x.began), p.lines(x)...)
	p.of(d, x.began.Owner.Op)
	p.add(layerBars, shape{kind: shapeRect, class: "key " + p.colorOf(x.client), t0: x.from.At, t1: x.to.At, y0: top, y1: bottom, least: 1.5, detail: d})
	p.write(label{class: "lab", t0: x.from.At, t1: x.to.At, y: bottom - 3, place: placeInside, rank: rankBar,
		long: p.fill(x.began.Note.Label, x.began), short: p.fill(x.began.Note.Short, x.began), own: []int{d}})
	if x.end().Bad {
		p.add(layerMarks, shape{kind: shapeGlyph, class: "no", t0: x.to.At, y0: (top + bottom) / 2, path: glyphCross, detail: d})
	}
}

func (p *picture) drawMark(o *model.Observation, y float64) {
	g := glyphOf(o.Note)
	d := p.describe(o.At, when(o.Stamp), p.fill(o.Note.Title, o))
	p.of(d, cmp.Or(o.By.Op, o.Owner.Op))
	p.add(layerMarks, shape{kind: shapeGlyph, class: g.class + " " + p.colorOf(o.Owner.Client), t0: o.At, y0: y, path: g.path, detail: d})
	p.write(label{class: "lab", t0: o.At, t1: o.At, y: y + 4, place: placeAfter, rank: rankAction,
		long: p.fill(o.Note.Label, o), short: p.fill(o.Note.Short, o)})
}

// markHelp is a mark in the legend.
type markHelp struct{ Class, Path, Text string }

// markHelps are the marks in the strips of nodes, each with its event.
func (p *picture) markHelps() []markHelp {
	var all []markHelp
	for i := range p.t.History.Observations {
		n := p.t.History.Observations[i].Note
		if n == nil || n.Place != model.PlaceStrip || n.Phase != "" {
			continue
		}
		g := glyphOf(n)
		h := markHelp{g.class, g.path, wording.Fit(wording.Printable(strings.ReplaceAll(n.Event, "-", " ")), 40)}
		if !slices.Contains(all, h) && len(all) < maxMarkHelps {
			all = append(all, h)
		}
	}
	return all
}

// maxMarkHelps is the most marks that the legend explains.
const maxMarkHelps = 8
