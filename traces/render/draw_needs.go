package render

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// glyphRing goes around another mark.
const glyphRing = "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0z"

// drawNeeds puts a ring around the events in which the deviations show that
// the counterexample needs.
func (p *picture) drawNeeds() {
	if p.t.Attribution == nil {
		return
	}
	for _, d := range p.t.Attribution.Deviations {
		e := p.t.Event(d.Seq)
		if !d.Needed || e == nil || !p.extract.shows(d.Seq, d.Seq) {
			continue
		}
		l := p.lane(e.Actor)
		if l == nil {
			continue
		}
		told := p.tell(e.At, when(model.Stamp{Seq: e.Seq, At: e.At}), "needed: "+d.Text, "Without it, all else being the same, the property is not violated.")
		p.add(layerMarks, shape{kind: shapeGlyph, class: "ring", t0: e.At, y0: p.markOf(l, e), path: glyphRing, detail: told})
		p.ringed = true
	}
}

// markOf is how high in a lane the mark of an event stands.
func (p *picture) markOf(l *lane, e *sim.Event) float64 {
	from := p.lane(e.Peer)
	switch {
	case from != nil && from != l && (e.Kind == sim.EventDeliver || e.Kind == sim.EventDrop):
		return l.port(from)
	case e.Kind == sim.EventFault && l.actor.Kind == traces.NodeActor:
		return l.bottom() - keyHeight/2 - 2
	case e.Kind == sim.EventFault:
		return l.bottom() - actionHeight/2
	}
	return l.bottom()
}
