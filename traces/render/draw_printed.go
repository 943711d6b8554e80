package render

import (
	"cmp"

	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// maxDrawnLines is the most printed lines that a picture has.
const maxDrawnLines = 300

// drawPrinted draws the lines that were printed, each where it was.
func (p *picture) drawPrinted(l *lane) {
	lines, _ := p.printedLines()
	y, drawn := l.top+stripHeight+printedHeight/2-2, 0
	for _, r := range lines {
		if !p.extract.shows(r.Seq, r.Seq) || drawn == maxDrawnLines {
			continue
		}
		drawn++
		d := p.describe(r.At, traces.Moment(r.At), cmp.Or(r.Actor, sim.Conductor)+" prints", lineText(r))
		p.add(layerMarks, shape{kind: shapeGlyph, class: "mark open " + p.colorOf(r.Actor), t0: r.At, y0: y, path: glyphRead, detail: d})
		p.write(label{class: "lab", t0: r.At, t1: r.At, y: y + 4, place: placeAfter, rank: rankRead, long: lineText(r)})
	}
}
