package picture

import (
	"cmp"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// glyph is the drawing of a note's mark.
type glyph struct{ class, path string }

// glyphs are those of notes. An unknown mark is a dot.
var glyphs = map[model.Mark]glyph{
	model.MarkEye:   {"mark open", "M-5.5 0Q0-5.5 5.5 0Q0 5.5-5.5 0zM-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0z"},
	model.MarkBell:  {"mark", "M-5 3.5L-3.5 1V-1a3.5 3.5 0 0 1 7 0V1L5 3.5zM-1.5 4.5H1.5"},
	model.MarkCross: {"no", glyphCross},
	"":              {"mark", "M-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z"},
}

// glyphOf returns the glyph of a note.
func glyphOf(n *model.Note) glyph {
	if g, known := glyphs[n.Mark]; known {
		return g
	}
	return glyphs[""]
}

// stripPainter draws the notes in the strip of a lane.
type stripPainter struct{ *Picture }

// drawStrip draws the notes in the strip of a node: bars for lives, marks for moments, and lines between those and their
// answers.
func (p stripPainter) drawStrip(l *Lane) {
	if l.strip == 0 {
		return
	}
	y := l.Top + l.strip + noteHeight/2
	for i := range p.Lives.All {
		if x := &p.Lives.All[i]; x.Place == model.PlaceStrip && x.Node == l.Actor.Name && p.Extract.shows(x.From.Seq, x.To.Seq) {
			p.drawStretch(x, y-noteHeight/2+1, y+noteHeight/2-1)
		}
	}
	for i := range p.Trace.History.Observations {
		o := &p.Trace.History.Observations[i]
		if o.Node != l.Actor.Name || o.Note == nil || o.Note.Place != model.PlaceStrip || o.Note.Phase != "" || !p.Extract.shows(o.Seq, o.Seq) {
			continue
		}
		p.drawMark(o, y)
		if answer := p.Lives.Answers[o.Seq]; answer != nil {
			p.Add(layerBars, Shape{Kind: ShapeLine, Class: "ghost " + p.ColorOf(o.Owner.Client), T0: o.At, T1: answer.At, Y0: y, Y1: y, Detail: None})
		}
	}
}

// drawStretch draws a life in a strip, with how it ended.
func (p stripPainter) drawStretch(x *story.Life, top, bottom float64) {
	d := p.describe(x.From.At, story.During(x.From.At, x.To.At), p.Fill(x.Began.Note.Title, x.Began), p.Lines(x)...)
	p.of(d, x.Began.Owner.Op)
	p.Add(layerBars, Shape{Kind: ShapeRect, Class: "key " + p.ColorOf(x.Client), T0: x.From.At, T1: x.To.At, Y0: top, Y1: bottom, least: 1.5, Detail: d})
	p.Write(Label{Class: "lab", T0: x.From.At, T1: x.To.At, Y: bottom - 3, Place: placeInside, Rank: rankBar,
		Long: p.Fill(x.Began.Note.Label, x.Began), Short: p.Fill(x.Began.Note.Short, x.Began), own: []int{d}})
	if x.End().Bad {
		p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: "no", T0: x.To.At, Y0: (top + bottom) / 2, path: glyphCross, Detail: d})
	}
}

func (p stripPainter) drawMark(o *model.Observation, y float64) {
	g := glyphOf(o.Note)
	d := p.describe(o.At, story.When(o.Stamp), p.Fill(o.Note.Title, o))
	p.of(d, cmp.Or(o.By.Op, o.Owner.Op))
	p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: g.class + " " + p.ColorOf(o.Owner.Client), T0: o.At, Y0: y, path: g.path, Detail: d})
	p.Write(Label{Class: "lab", T0: o.At, T1: o.At, Y: y + 4, Place: placeAfter, Rank: rankAction,
		Long: p.Fill(o.Note.Label, o), Short: p.Fill(o.Note.Short, o)})
}

// MarkHelp is a mark in the legend.
type MarkHelp struct{ Class, Path, Text string }

// MarkHelps returns the marks in the strips of nodes, each with its event.
func (p *Picture) MarkHelps() []MarkHelp {
	var all []MarkHelp
	for i := range p.Trace.History.Observations {
		n := p.Trace.History.Observations[i].Note
		if n == nil || n.Place != model.PlaceStrip || n.Phase != "" {
			continue
		}
		g := glyphOf(n)
		h := MarkHelp{g.class, g.path, wording.Fit(wording.Printable(strings.ReplaceAll(n.Event, "-", " ")), 40)}
		if !slices.Contains(all, h) && len(all) < maxMarkHelps {
			all = append(all, h)
		}
	}
	return all
}

// maxMarkHelps is the maximum number of marks that the legend explains.
const maxMarkHelps = 8
