package picture

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// maxDrawnLines is the maximum number of printed lines in a picture.
const maxDrawnLines = 300

const (
	maxPrintedRows = 4  // of printing actors; the others share the last one
	shortLine      = 28 // characters of a line that does not fit
)

// printers returns the actors that printed lines, in the order of their first lines.
func (p *Picture) printers() (names []string) {
	lines, _ := p.PrintedLines()
	for _, r := range lines {
		if !slices.Contains(names, r.Actor) {
			names = append(names, r.Actor)
		}
	}
	return names
}

// drawPrinted draws the printed lines, each at its time, in a row for each actor.
func (p *Picture) drawPrinted(l *Lane) {
	lines, _ := p.PrintedLines()
	printers, drawn := p.printers(), 0
	for _, r := range lines {
		if !p.Extract.shows(r.Seq, r.Seq) || drawn == maxDrawnLines {
			continue
		}
		drawn++
		y := l.Top + printedHeight*(0.5+float64(min(slices.Index(printers, r.Actor), maxPrintedRows-1))) + 2
		d := p.describe(r.At, traces.Moment(r.At), cmp.Or(r.Actor, sim.Conductor)+" prints", story.LineText(r))
		p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: "mark open " + p.ColorOf(r.Actor), T0: r.At, Y0: y, path: glyphSaid, Detail: d})
		p.Write(Label{Class: "lab", T0: r.At, T1: r.At, Y: y + 4, Place: placeAfter, Rank: rankRead, Long: story.LineText(r), Short: wording.Fit(story.LineText(r), shortLine)})
	}
}
