package render

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/traces"
)

// labelledTrip is how many pixels wide a message must be to be labelled.
const labelledTrip = 30

// drawMessages draws what travelled between lanes, and what happened to
// connections.
func (p *picture) drawMessages() {
	for i := range p.extract.events {
		e := &p.extract.events[i]
		to, from := p.lane(e.Actor), p.lane(e.Peer)
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
func (p *picture) drawLateDials() {
	for i := range p.t.History.Observations {
		o := &p.t.History.Observations[i]
		if o.Kind != model.Delayed || p.isLate(o) || !p.extract.shows(o.Seq, o.Seq) {
			continue
		}
		if e := p.lateDial(o); e != nil {
			late := *e
			late.Sent, late.Late = o.At, true
			p.drawMessage(p.lane(o.Node), p.lane(e.Actor), &late)
		}
	}
}

// drawMessage draws a segment as a line from where and when it was sent to
// where and when it arrived.
func (p *picture) drawMessage(from, to *lane, e *sim.Event) {
	if from == nil || to == nil || from == to {
		return // one end is no lane
	}
	what := p.payloadOrDetail(e)
	class := "msg " + p.messageColor(from, to)
	lines := []string{what}
	if request := p.requests.answered(e); request != nil {
		lines = append(lines, "Answers "+p.payloadOrDetail(request)+".")
	}
	if e.Detail != what {
		lines = append(lines, e.Detail)
	}
	if code := p.codeOf(e.Seq); code != "" {
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
	p.of(d, p.exchanges.of(e))
	if e.Late {
		p.add(layerMessages, shape{kind: shapeLine, class: "glow", t0: e.Sent, t1: e.At, y0: y0, y1: y1, detail: d})
	}
	p.add(layerMessages, shape{kind: shapeLine, class: class, t0: e.Sent, t1: e.At, y0: y0, y1: y1, detail: d})
	if e.Kind == sim.EventDrop {
		p.add(layerMarks, shape{kind: shapeGlyph, class: "lostend", t0: e.At, y0: y1, path: glyphCross, detail: d})
	} else {
		p.add(layerMessages, shape{kind: shapeGlyph, class: "arrival " + class, t0: e.At, y0: y1, path: glyphDot, detail: d})
	}
	p.nameMessage(from, to, e, p.messageName(e))
}

// nameMessage writes what a message says into the lane of the server: before
// its arrival there, or after its departure.
func (p *picture) nameMessage(from, to *lane, e *sim.Event, what string) {
	l := label{class: "msgname " + p.messageColor(from, to), t0: e.Sent, t1: e.At, need: labelledTrip, long: what,
		ends: []int{p.index(from), p.index(to)}}
	if to.actor.Kind == traces.ClientActor {
		l.y, l.place = from.above(), placeAfter
	} else {
		l.y, l.place = to.above(), placeBefore
	}
	if e.Late {
		y0, y1 := from.port(to), to.port(from)
		p.write(label{
			class: "late strong", t0: e.Sent, t1: e.At, y: y0 - 4, fall: y1 - y0, need: 3 * labelledTrip, place: placeMiddle, rank: rankFault,
			long: fmt.Sprintf("%s held back for %s", p.messageText(e), traces.Briefly(e.At-e.Sent)), short: "held back", ends: l.ends,
		})
		if l.place == placeAfter {
			return // the name at its departure would say nothing more
		}
		l.class, l.long, l.short, l.rank = "late strong", "late: "+what, "late", rankFault
	}
	p.write(l)
}

// messageColor is the colour of the client at either end.
func (p *picture) messageColor(from, to *lane) string {
	for _, l := range []*lane{from, to} {
		if l.actor.Kind == traces.ClientActor {
			return colorClass(l.color)
		}
	}
	return "kx"
}

// drawTick draws what happened to a connection at one end.
func (p *picture) drawTick(l *lane, e *sim.Event) {
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
	p.add(layerMarks, shape{kind: shapeGlyph, class: class, t0: e.At, y0: l.bottom(), path: path, detail: d})
	if class != "tick" {
		p.write(label{class: "lab", t0: e.At, t1: e.At, y: l.bottom() + 3, place: placeAfter, rank: rankMessage, long: string(e.Kind)})
	}
}
