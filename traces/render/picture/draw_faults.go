package picture

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// glyphRing is a ring around another mark.
const glyphRing = "M-8 0a8 8 0 1 0 16 0a8 8 0 1 0-16 0z"

// drawNeeds draws a ring around the events that show the needed deviations of the counterexample.
func (p *Picture) drawNeeds() {
	if p.Trace.Attribution == nil {
		return
	}
	for _, d := range p.Trace.Attribution.Deviations {
		e := p.Trace.Event(d.Seq)
		if !d.Needed || e == nil || !p.Extract.shows(d.Seq, d.Seq) {
			continue
		}
		l := p.Lane(e.Actor)
		if l == nil {
			continue
		}
		told := p.describe(e.At, story.When(model.Stamp{Seq: e.Seq, At: e.At}), "needed: "+d.Text, "Without it, all else being the same, the property is not violated.")
		p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: "ring", T0: e.At, Y0: p.markOf(l, e), path: glyphRing, Detail: told})
		p.Ringed = true
	}
}

// markOf returns the height of an event's mark in a lane.
func (p *Picture) markOf(l *Lane, e *sim.Event) float64 {
	from := p.Lane(e.Peer)
	switch {
	case from != nil && from != l && (e.Kind == sim.EventDeliver || e.Kind == sim.EventDrop):
		return l.port(from)
	case e.Kind == sim.EventFault && l.Actor.Kind == traces.NodeActor:
		return l.Bottom() - keyHeight/2 - 2
	case e.Kind == sim.EventFault:
		return l.Bottom() - actionHeight/2
	}
	return l.Bottom()
}

// drawPartings draws a bar under each lane of a partition's first side while it
// lasts, with a text on the node's that names the other side.
func (p *Picture) drawPartings() {
	for _, s := range story.Partitions(p.Trace) {
		a, _ := s.Parts()
		for i, name := range a {
			l := p.Lane(name)
			if l == nil {
				continue
			}
			y := l.Bottom() - 4
			d := p.describe(s.From.At, story.During(s.From.At, s.To.At), s.Node+" "+s.Text(), "What is sent across waits, and arrives when it is over.")
			p.Add(LayerMarks, Shape{Kind: ShapeRect, Class: "parted", T0: s.From.At, T1: s.To.At, Y0: y, Y1: y + 4, least: 1.5, Detail: d})
			if i == 0 {
				p.Write(Label{Class: "lab strong", T0: s.From.At, T1: s.To.At, Y: y - 3, above: l.above(), Place: placeMiddle, Rank: rankFault,
					Long: s.Node + " " + s.Text(), Short: "cut off"})
			}
		}
	}
}

// drawPauses hatches a lane while its actor was paused.
func (p *Picture) drawPauses(l *Lane) {
	for _, s := range p.Pauses {
		if s.Actor != l.Actor.Name {
			continue
		}
		top, bottom := l.Top+StripHeight, l.Bottom()
		took := traces.Briefly(s.To.At - s.From.At)
		state, short := " is paused", "paused"
		if l.Actor.Kind == traces.NodeActor {
			state, short = " hangs", "hangs"
		}
		d := p.describe(s.From.At, story.During(s.From.At, s.To.At), l.Actor.Name+state, "It does nothing, hears nothing and does not notice; time goes on.")
		p.Add(layerCover, Shape{Kind: ShapeRect, Class: "pause", T0: s.From.At, T1: s.To.At, Y0: top, Y1: bottom, least: 1.5, Detail: d})
		p.Write(Label{Class: "lab strong", T0: s.From.At, T1: s.To.At, Y: bottom - actionHeight/2 + 3, above: l.above(), Place: placeMiddle, Rank: rankFault,
			Long: l.Actor.Name + state + " for " + took, Short: short, own: []int{d}})
	}
}

// drawBlow marks a fault that struck a process, or a clock, at one time: a crash, a return, a jump.
func (p *Picture) drawBlow(l *Lane, o *model.Observation) {
	text := ""
	switch o.Kind {
	case model.Crashed:
		text = "crashes"
	case model.Returned:
		text = "is back"
	case model.ClockJumped, model.ClockOff:
		text = "clock " + story.ClockText(o)
	default:
		return
	}
	y := l.Bottom() - actionHeight/2
	d := p.describe(o.At, story.When(o.Stamp), o.Node+" "+text)
	p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: "fault", T0: o.At, Y0: y, path: glyphBolt, Detail: d})
	p.Write(Label{Class: "lab strong", T0: o.At, T1: o.At, Y: y + 4, Place: placeAfter, Rank: rankFault, Long: text})
}
