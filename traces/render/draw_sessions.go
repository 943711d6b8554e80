package render

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// sessionsTop is where the rows begin in the lane of sessions.
const sessionsTop = 6

// maxSessionRows is how many rows the lane of sessions has.
const maxSessionRows = 8

// sessionLane is the lane of sessions: rows for each client, or for those that the story
// is about if there are too many.
func (p *picture) sessionLane() lane {
	l := lane{actor: traces.Actor{Kind: traces.NodeActor}, title: p.terms.Session + "s", note: "by the " + p.terms.Serving}
	l.sessions = p.sessionRows(func(string) bool { return true })
	if len(l.sessions) > maxSessionRows {
		l.sessions = p.sessionRows(func(client string) bool { return slices.Contains(p.clients, client) })
		l.sessions = l.sessions[:min(len(l.sessions), maxSessionRows)]
	}
	l.height = max(sessionsTop+float64(len(l.sessions))*sessionHeight+4, stripHeight+32)
	return l
}

// sessionRows divides the sessions of clients into rows, in the order of the clients'
// lanes, so that none covers another. There is at most one row too many; what it has no
// room for is left out.
func (p *picture) sessionRows(of func(client string) bool) [][]int {
	rows := [][]int{}
	for _, a := range p.t.Actors {
		if !of(a.Name) {
			continue
		}
		first := len(rows)
		for _, i := range p.sessionsOf[a.Name] {
			at := first
			for at < len(rows) && p.sessions[rows[at][len(rows[at])-1]].unaware.Seq > p.sessions[i].from.Seq {
				at++
			}
			if at == len(rows) && at <= maxSessionRows {
				rows = append(rows, nil)
			}
			if at < len(rows) {
				rows[at] = append(rows[at], i)
			}
		}
	}
	return rows
}

// drawSessions draws what the authority knows of sessions, and when their clients learn
// of their ends.
func (p *picture) drawSessions(l *lane) {
	for row, indices := range l.sessions {
		top := l.top + sessionsTop + float64(row)*sessionHeight
		for _, i := range indices {
			p.drawSession(&p.sessions[i], top, top+sessionHeight-3)
		}
	}
}

// drawSession draws a session, whose filling drains with the time until its end, should
// its client not be heard of.
func (p *picture) drawSession(x *session, top, bottom float64) {
	color := p.colorOf(x.client)
	name := fmt.Sprintf("%s's %s", x.client, p.terms.Session)
	d := p.tell(x.from.At, during(x.from.At, x.to.At), name+" "+x.name, p.sessionLines(x)...)
	p.add(layerBars, shape{kind: shapeRect, class: "key " + color, t0: x.from.At, t1: x.to.At, y0: top, y1: bottom, least: 1.5, detail: d})
	longest := x.longest()
	for i, r := range x.renewals {
		until := x.to
		if i+1 < len(x.renewals) {
			until = x.renewals[i+1].at
		}
		if r.ends <= r.at.At || !p.extract.shows(r.at.Seq, until.Seq) {
			continue
		}
		left := func(t time.Duration) float64 { return bottom - (bottom-top)*float64(max(0, r.ends-t))/float64(longest) }
		to := min(until.At, r.ends)
		p.add(layerBars, shape{kind: shapeArea, class: "ttl " + color, detail: d, corners: []corner{
			{r.at.At, bottom}, {r.at.At, left(r.at.At)}, {to, left(to)}, {to, bottom},
		}})
	}
	for i, stay := range x.stays {
		to, text, short := x.to.At, fmt.Sprintf("%s, at %s", name, stay.node), name
		if i+1 < len(x.stays) {
			to = x.stays[i+1].from.At
		}
		if i > 0 {
			text, short = "now at "+stay.node, stay.node
			p.add(layerMarks, shape{kind: shapeGlyph, class: "end", t0: stay.from.At, y0: (top + bottom) / 2, path: glyphTick, detail: d})
		}
		p.write(label{class: "lab strong", t0: stay.from.At, t1: to, y: bottom - 5, place: placeInside, rank: rankBar, long: text, short: short})
	}
	p.drawTransactions(x, top, bottom)
	if x.end == model.SessionExpired {
		p.drawExpiry(x, top, bottom)
	}
}

// drawExpiry marks the end of a session, and how long its client does not know of it.
func (p *picture) drawExpiry(x *session, top, bottom float64) {
	to := x.unaware
	middle := (top + bottom) / 2
	d := p.tell(x.to.At, during(x.to.At, to.At), fmt.Sprintf("%s does not know that its %s has %s", x.client, p.terms.Session, x.over()))
	p.add(layerMarks, shape{kind: shapeGlyph, class: "no", t0: x.to.At, y0: middle, path: glyphCross, detail: d})
	p.write(label{class: "lab strong", t0: x.to.At, t1: x.to.At, y: bottom - 5, place: placeBefore, rank: rankFault, long: p.terms.Session + " " + x.ends(), short: x.ends()})
	if to.Seq <= x.to.Seq {
		return
	}
	p.add(layerBars, shape{kind: shapeRect, class: "ghost " + p.colorOf(x.client), t0: x.to.At, t1: to.At, y0: top, y1: bottom, detail: d})
	p.write(label{class: "small", t0: x.to.At, t1: to.At, y: bottom - 5, place: placeMiddle, rank: rankAction, long: x.client + " does not know"})
	if to != x.learnt {
		return
	}
	told := p.tell(to.At, when(to), fmt.Sprintf("%s learns from %s that its %s has %s", x.client, x.teller, p.terms.Session, x.over()))
	p.add(layerMarks, shape{kind: shapeGlyph, class: "end", t0: to.At, y0: middle, path: glyphTick, detail: told})
	p.write(label{class: "lab strong", t0: to.At, t1: to.At, y: bottom - 5, place: placeAfter, rank: rankAction, long: x.client + " learns of it", short: "learns"})
}

// sessionLines describe a session.
func (p *picture) sessionLines(x *session) []string {
	last := x.renewals[len(x.renewals)-1]
	heard := fmt.Sprintf("The %s heard of %s last by %s; it would end at %s.", p.terms.Serving, x.client, traces.Moment(last.at.At), traces.Moment(last.ends))
	if last.ends == 0 {
		heard = fmt.Sprintf("It was opened at %s.", traces.Moment(x.from.At))
	}
	lines := []string{heard}
	switch x.end {
	case model.SessionExpired:
		lines = append(lines, "It "+x.over()+" at "+traces.Moment(x.to.At)+".")
	case model.SessionClosed:
		lines = append(lines, "Its client closed it at "+traces.Moment(x.to.At)+".")
	}
	if x.learnt.Happened() {
		lines = append(lines, fmt.Sprintf("%s told its client at %s.", x.teller, traces.Moment(x.learnt.At)))
	}
	return lines
}
