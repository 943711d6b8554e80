package render

import (
	"cmp"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// maxDrawnLines is the most printed lines that a picture has.
const maxDrawnLines = 300

const (
	maxPrintedRows = 4  // of those who print; the others share the last one
	shortLine      = 28 // characters of a line for which there is no room
)

// printers are those who have printed lines, in the order in which they began to.
func (p *picture) printers() (names []string) {
	lines, _ := p.printedLines()
	for _, r := range lines {
		if !slices.Contains(names, r.Actor) {
			names = append(names, r.Actor)
		}
	}
	return names
}

// drawPrinted draws the lines that were printed, each where it was, in a row for each who prints.
func (p *picture) drawPrinted(l *lane) {
	lines, _ := p.printedLines()
	printers, drawn := p.printers(), 0
	for _, r := range lines {
		if !p.extract.shows(r.Seq, r.Seq) || drawn == maxDrawnLines {
			continue
		}
		drawn++
		y := l.top + printedHeight*(0.5+float64(min(slices.Index(printers, r.Actor), maxPrintedRows-1))) + 2
		d := p.describe(r.At, traces.Moment(r.At), cmp.Or(r.Actor, sim.Conductor)+" prints", lineText(r))
		p.add(layerMarks, shape{kind: shapeGlyph, class: "mark open " + p.colorOf(r.Actor), t0: r.At, y0: y, path: glyphSaid, detail: d})
		p.write(label{class: "lab", t0: r.At, t1: r.At, y: y + 4, place: placeAfter, rank: rankRead, long: lineText(r), short: wording.Fit(lineText(r), shortLine)})
	}
}
