package render

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/model"
)

// Paths of the marks of watches: an eye, and a bell.
const (
	glyphEye  = "M-5.5 0Q0-5.5 5.5 0Q0 5.5-5.5 0zM-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0z"
	glyphBell = "M-5 3.5L-3.5 1V-1a3.5 3.5 0 0 1 7 0V1L5 3.5zM-1.5 4.5H1.5"
)

// hasWatches reports whether clients have set watches at a node.
func (p *picture) hasWatches(node string) bool {
	return slices.ContainsFunc(p.t.History.Observations, func(o model.Observation) bool { return o.Node == node && o.Watch != nil })
}

// drawWatches draws the watches at a node: marks where they are set and fire, and a line
// between the two.
func (p *picture) drawWatches(l *lane) {
	if l.watches == 0 {
		return
	}
	y := l.top + l.watches + watchHeight/2
	for i := range p.t.History.Observations {
		o := &p.t.History.Observations[i]
		if o.Node != l.actor.Name || o.Watch == nil || !p.extract.shows(o.Seq, o.Seq) {
			continue
		}
		switch o.Kind {
		case model.WatchSet:
			text := fmt.Sprintf("%s watches %s", o.Owner.Client, watchedText(o.Watch))
			p.drawWatch(o, y, "mark open", glyphEye, text, o.Owner.Client+" watches")
			if fired := p.firing(i); fired != nil {
				p.add(layerBars, shape{kind: shapeLine, class: "ghost " + p.colorOf(o.Owner.Client), t0: o.At, t1: fired.At, y0: y, y1: y, detail: none})
			}
		case model.WatchFired:
			text := fmt.Sprintf("tells %s: %s", o.Owner.Client, sawText(o.Watch))
			p.drawWatch(o, y, "mark", glyphBell, text, "tells "+o.Owner.Client)
		}
	}
}

func (p *picture) drawWatch(o *model.Observation, y float64, class, path, text, short string) {
	d := p.tell(o.At, when(o.Stamp), o.Node+": "+text)
	p.of(d, cmp.Or(o.By.Op, o.Owner.Op))
	p.add(layerMarks, shape{kind: shapeGlyph, class: class + " " + p.colorOf(o.Owner.Client), t0: o.At, y0: y, path: path, detail: d})
	p.write(label{class: "small", t0: o.At, t1: o.At, y: y + 3.5, place: placeAfter, rank: rankAction, long: text, short: short})
}
