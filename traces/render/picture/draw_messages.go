package picture

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// labelledTrip is the minimum width in pixels of a labelled message.
const labelledTrip = 30

// messagePainter draws messages and connections.
type messagePainter struct{ *Picture }

// drawMessages draws the messages between lanes, and the events of connections.
func (p messagePainter) drawMessages() {
	for i := range p.Extract.Events {
		e := &p.Extract.Events[i]
		to, from := p.Lane(e.Actor), p.Lane(e.Peer)
		switch e.Kind {
		case sim.EventDeliver, sim.EventDrop:
			p.drawMessage(from, to, e)
		case sim.EventRefused, sim.EventReset, sim.EventTimeout, sim.EventDial, sim.EventClose:
			if to != nil {
				p.drawTick(to, e)
			}
		}
	}
	p.drawLateDials()
}

// drawLateDials draws the connection attempts that the network held back. The
// log says when they arrive, the observation of the delay when they began.
func (p messagePainter) drawLateDials() {
	for i := range p.Trace.History.Observations {
		o := &p.Trace.History.Observations[i]
		if o.Kind != model.Delayed || p.IsLate(o) || !p.Extract.shows(o.Seq, o.Seq) {
			continue
		}
		if e := p.LateDial(o); e != nil {
			late := *e
			late.Sent, late.Late = o.At, true
			p.drawMessage(p.Lane(o.Node), p.Lane(e.Actor), &late)
		}
	}
}

// drawMessage draws a segment as a line from its departure to its arrival.
func (p messagePainter) drawMessage(from, to *Lane, e *sim.Event) {
	if from == nil || to == nil || from == to {
		return // one end is no lane
	}
	what := p.PayloadOrDetail(e)
	class := "msg " + p.messageColor(from, to)
	lines := []string{what}
	if request := p.Requests.Answered(e); request != nil {
		lines = append(lines, "Answers "+p.PayloadOrDetail(request)+".")
	}
	if e.Detail != what {
		lines = append(lines, e.Detail)
	}
	if code := p.CodeOf(e.Seq); code != "" {
		lines = append(lines, "Sent by "+code+".")
	}
	title := fmt.Sprintf("%s to %s", e.Peer, e.Actor)
	took := traces.Briefly(e.At - e.Sent)
	y0, y1 := from.port(to), to.port(from)
	switch {
	case e.Kind == sim.EventDrop:
		class += " lost"
		title += ": lost"
	case e.Late:
		class += " late"
		title += ": held back for " + took
	}
	d := p.describe(e.Sent, fmt.Sprintf("%s to %s (%s), event %d", traces.Moment(e.Sent), traces.Moment(e.At), took, e.Seq), title, lines...)
	p.of(d, p.Exchanges().Of(e))
	if e.Late {
		p.Add(LayerMessages, Shape{Kind: ShapeLine, Class: "glow", T0: e.Sent, T1: e.At, Y0: y0, Y1: y1, Detail: d})
	}
	p.Add(LayerMessages, Shape{Kind: ShapeLine, Class: class, T0: e.Sent, T1: e.At, Y0: y0, Y1: y1, Detail: d})
	if e.Kind == sim.EventDrop {
		p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: "lostend", T0: e.At, Y0: y1, path: glyphCross, Detail: d})
	} else {
		p.Add(LayerMessages, Shape{Kind: shapeGlyph, Class: "arrival " + class, T0: e.At, Y0: y1, path: glyphDot, Detail: d})
	}
	p.nameMessage(from, to, e, p.MessageName(e))
}

// nameMessage writes the message into the lane of the server: before its arrival there, or after its departure.
func (p messagePainter) nameMessage(from, to *Lane, e *sim.Event, what string) {
	l := Label{Class: "msgname " + p.messageColor(from, to), T0: e.Sent, T1: e.At, need: labelledTrip, Long: what,
		ends: []int{p.index(from), p.index(to)}}
	if to.Actor.Kind == traces.ClientActor {
		l.Y, l.Place = from.above(), placeAfter
	} else {
		l.Y, l.Place = to.above(), PlaceBefore
	}
	if e.Late {
		y0, y1 := from.port(to), to.port(from)
		p.Write(Label{
			Class: "late strong", T0: e.Sent, T1: e.At, Y: y0 - 4, fall: y1 - y0, need: 3 * labelledTrip, Place: placeMiddle, Rank: rankFault,
			Long: fmt.Sprintf("%s held back for %s", p.MessageText(e), traces.Briefly(e.At-e.Sent)), Short: "held back", ends: l.ends,
		})
		if l.Place == placeAfter {
			return // the name at its departure would say nothing more
		}
		l.Class, l.Long, l.Short, l.Rank = "late strong", "late: "+what, "late", rankFault
	}
	p.Write(l)
}

// messageColor returns the colour of the client at either end.
func (p messagePainter) messageColor(from, to *Lane) string {
	for _, l := range []*Lane{from, to} {
		if l.Actor.Kind == traces.ClientActor {
			return colorClass(l.color)
		}
	}
	return "kx"
}

// drawTick draws an event of a connection at one end.
func (p messagePainter) drawTick(l *Lane, e *sim.Event) {
	class, path := "tick", glyphTick
	switch e.Kind {
	case sim.EventRefused, sim.EventReset:
		class, path = "tick bad", "M-3-3L3 3M-3 3L3-3"
	case sim.EventTimeout:
		class, path = "tick bad", glyphRead
	}
	title := fmt.Sprintf("%s: %s", e.Actor, e.Kind)
	if e.Peer != "" {
		title += ", " + e.Peer
	}
	d := p.describe(e.At, fmt.Sprintf("%s, event %d", traces.Moment(e.At), e.Seq), title, e.Detail)
	p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: class, T0: e.At, Y0: l.Bottom(), path: path, Detail: d})
	if class != "tick" {
		p.Write(Label{Class: "lab", T0: e.At, T1: e.At, Y: l.Bottom() + 3, Place: placeAfter, Rank: rankMessage, Long: string(e.Kind)})
	}
}
