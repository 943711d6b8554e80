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
		told := p.describe(e.At, when(model.Stamp{Seq: e.Seq, At: e.At}), "needed: "+d.Text, "Without it, all else being the same, the property is not violated.")
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

// drawPartings draws a bar under each lane of a partition's first side while it
// lasts, and says on the node's what it is cut off from.
func (p *picture) drawPartings() {
	for _, s := range partings(p.t) {
		a, _ := s.sides()
		for i, name := range a {
			l := p.lane(name)
			if l == nil {
				continue
			}
			y := l.bottom() - 4
			d := p.describe(s.from.At, during(s.from.At, s.to.At), s.Node+" "+s.text(), "What is sent across waits, and arrives when it is over.")
			p.add(layerMarks, shape{kind: shapeRect, class: "parted", t0: s.from.At, t1: s.to.At, y0: y, y1: y + 4, least: 1.5, detail: d})
			if i == 0 {
				p.write(label{class: "lab strong", t0: s.from.At, t1: s.to.At, y: y - 3, above: l.above(), place: placeMiddle, rank: rankFault,
					long: s.Node + " " + s.text(), short: "cut off"})
			}
		}
	}
}

// drawPauses hatches a lane while its actor was paused.
func (p *picture) drawPauses(l *lane) {
	for _, s := range p.pauses {
		if s.actor != l.actor.Name {
			continue
		}
		top, bottom := l.top+stripHeight, l.bottom()
		took := traces.Briefly(s.to.At - s.from.At)
		state, short := " is paused", "paused"
		if l.actor.Kind == traces.NodeActor {
			state, short = " hangs", "hangs"
		}
		d := p.describe(s.from.At, during(s.from.At, s.to.At), l.actor.Name+state, "It does nothing, hears nothing and does not notice; time goes on.")
		p.add(layerCover, shape{kind: shapeRect, class: "pause", t0: s.from.At, t1: s.to.At, y0: top, y1: bottom, least: 1.5, detail: d})
		p.write(label{class: "lab strong", t0: s.from.At, t1: s.to.At, y: bottom - actionHeight/2 + 3, above: l.above(), place: placeMiddle, rank: rankFault,
			long: l.actor.Name + state + " for " + took, short: short, own: []int{d}})
	}
}

// drawBlow marks what struck a process, or a clock, at one moment: a crash, a
// return, a jump.
func (p *picture) drawBlow(l *lane, o *model.Observation) {
	text := ""
	switch o.Kind {
	case model.Crashed:
		text = "crashes"
	case model.Returned:
		text = "is back"
	case model.ClockJumped, model.ClockOff:
		text = "clock " + ClockText(o)
	default:
		return
	}
	y := l.bottom() - actionHeight/2
	d := p.describe(o.At, when(o.Stamp), o.Node+" "+text)
	p.add(layerMarks, shape{kind: shapeGlyph, class: "fault", t0: o.At, y0: y, path: glyphBolt, detail: d})
	p.write(label{class: "lab strong", t0: o.At, t1: o.At, y: y + 4, place: placeAfter, rank: rankFault, long: text})
}
