package render

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// livesTop is where the rows begin in a lane of lives.
const livesTop = 6

// maxLifeRows is how many rows a lane of lives has.
const maxLifeRows = 8

// lifeLane is the lane of what the store calls by a noun: rows for each client, or for those that
// the story is about if there are too many.
func (p *picture) lifeLane(noun string) lane {
	l := lane{actor: traces.Actor{Kind: traces.NodeActor}, title: wording.Fit(wording.Printable(noun)+"s", 14), noun: noun, note: "by the " + p.termsAt(p.lives.nodeOf(noun)).Serving}
	l.lives = p.lifeRows(noun, func(string) bool { return true })
	if len(l.lives) > maxLifeRows {
		l.lives = p.lifeRows(noun, func(client string) bool { return slices.Contains(p.clients, client) })
		l.lives = l.lives[:min(len(l.lives), maxLifeRows)]
	}
	l.height = max(livesTop+float64(len(l.lives))*lifeHeight+4, stripHeight+32)
	return l
}

// lifeRows divides the lives of clients into rows, in the order of the clients' lanes and then
// those of nobody, so that none covers another. There is at most one row too many; what it has no
// room for is left out.
func (p *picture) lifeRows(noun string, of func(client string) bool) [][]int {
	rows := [][]int{}
	for _, client := range append(actorNames(p.t), "") {
		if !of(client) {
			continue
		}
		first := len(rows)
		for _, i := range p.lives.ofClient[client] {
			if p.lives.all[i].began.Note.Noun != noun {
				continue
			}
			at := first
			for at < len(rows) && p.lives.all[rows[at][len(rows[at])-1]].unaware.Seq > p.lives.all[i].from.Seq {
				at++
			}
			if at == len(rows) && at <= maxLifeRows {
				rows = append(rows, nil)
			}
			if at < len(rows) {
				rows[at] = append(rows[at], i)
			}
		}
	}
	return rows
}

func actorNames(t *traces.Trace) []string {
	var names []string
	for _, a := range t.Actors {
		names = append(names, a.Name)
	}
	return names
}

// drawLives draws what the authority knows of the lives of a lane, and when their owners learn
// of their ends.
func (p *picture) drawLives(l *lane) {
	for row, indices := range l.lives {
		top := l.top + livesTop + float64(row)*lifeHeight
		for _, i := range indices {
			p.drawLife(&p.lives.all[i], top, top+lifeHeight-3)
		}
	}
}

// drawLife draws a life, whose filling drains with the time until its end, should its owner not
// be heard of.
func (p *picture) drawLife(x *life, top, bottom float64) {
	color := p.colorOf(x.client)
	d := p.describe(x.from.At, during(x.from.At, x.to.At), p.fill(x.began.Note.Title, x.began), p.lines(x)...)
	p.add(layerBars, shape{kind: shapeRect, class: "key " + color, t0: x.from.At, t1: x.to.At, y0: top, y1: bottom, least: 1.5, detail: d})
	p.drain(x, top, bottom, d)
	own := []int{d}
	for _, i := range p.lives.inside[x.subject] {
		own = append(own, p.drawInside(&p.lives.all[i], top, bottom, d)...)
	}
	for i, stay := range x.stays {
		to, note := x.to.At, stay.note
		if i+1 < len(x.stays) {
			to = x.stays[i+1].from.At
		}
		if i > 0 {
			p.add(layerMarks, shape{kind: shapeGlyph, class: "end", t0: stay.from.At, y0: (top + bottom) / 2, path: glyphTick, detail: d})
		}
		p.write(label{class: "lab strong", t0: stay.from.At, t1: to, y: bottom - 5, place: placeInside, rank: rankBar,
			long: p.fill(note.Note.Label, note), short: p.fill(note.Note.Short, note), own: own})
	}
	if x.end().Bad {
		p.drawBadEnd(x, top, bottom, own)
	}
}

// drain draws how much time a life has left at each moment.
func (p *picture) drain(x *life, top, bottom float64, d int) {
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
		p.add(layerBars, shape{kind: shapeArea, class: "ttl " + p.colorOf(x.client), detail: d, corners: []corner{
			{r.at.At, bottom}, {r.at.At, left(r.at.At)}, {to, left(to)}, {to, bottom},
		}})
	}
}

// drawBadEnd marks the end of a life, and how long its owner does not know of it. Own are the details of the life's bar.
func (p *picture) drawBadEnd(x *life, top, bottom float64, own []int) {
	to, end := x.unaware, x.ended
	middle := (top + bottom) / 2
	d := p.describe(x.to.At, during(x.to.At, to.At), p.fill(end.Note.Title, end))
	p.add(layerMarks, shape{kind: shapeGlyph, class: "no", t0: x.to.At, y0: middle, path: glyphCross, detail: d})
	p.write(label{class: "lab strong", t0: x.to.At, t1: x.to.At, y: bottom - 5, place: placeBefore, rank: rankFault,
		long: p.fill(end.Note.Label, end), short: p.fill(end.Note.Short, end), own: append([]int{d}, own...)})
	if to.Seq <= x.to.Seq || end.Note.State == "" {
		return
	}
	p.add(layerBars, shape{kind: shapeRect, class: "ghost " + p.colorOf(x.client), t0: x.to.At, t1: to.At, y0: top, y1: bottom, detail: d})
	p.write(label{class: "lab", t0: x.to.At, t1: to.At, y: bottom - 5, place: placeMiddle, rank: rankAction, long: x.client + " does not know", own: []int{d}})
	if to != x.learnt {
		return
	}
	told := p.describe(to.At, when(to), p.fill(x.told.Note.Title, x.told))
	p.add(layerMarks, shape{kind: shapeGlyph, class: "end", t0: to.At, y0: middle, path: glyphTick, detail: told})
	p.write(label{class: "lab strong", t0: to.At, t1: to.At, y: bottom - 5, place: placeAfter, rank: rankRead,
		long: p.fill(x.told.Note.Label, x.told), short: p.fill(x.told.Note.Short, x.told), own: []int{d}})
}

// drawInside draws a life within the bar of the subject of the same name, whose detail is around, and returns its own.
func (p *picture) drawInside(x *life, top, bottom float64, around int) (own []int) {
	if !p.extract.shows(x.from.Seq, x.to.Seq) {
		return nil
	}
	d := p.describe(x.from.At, during(x.from.At, x.to.At), p.fill(x.began.Note.Title, x.began), p.lines(x)...)
	p.add(layerBars, shape{kind: shapeRect, class: "ttl " + p.colorOf(x.client), t0: x.from.At, t1: x.to.At, y0: top, y1: bottom, least: 1, detail: d})
	if !x.end().Bad {
		return []int{d}
	}
	p.add(layerMarks, shape{kind: shapeGlyph, class: "no", t0: x.to.At, y0: (top + bottom) / 2, path: glyphCross, detail: d})
	p.write(label{class: "lab", t0: x.to.At, t1: x.to.At, y: bottom - 5, place: placeAfter, rank: rankAction,
		long: p.fill(x.end().Label, x.ended), short: p.fill(x.end().Short, x.ended), own: []int{around, d}})
	return []int{d}
}

// queueOn is the most subjects that wait at a node for any of the keys at the same time, as
// far as there is room.
func (p *picture) queueOn(node string, keys []string) (n int) {
	for i := range p.lives.all {
		x := &p.lives.all[i]
		if x.place == model.PlaceRecord && x.node == node && x.slot < maxQueue && slices.Contains(keys, x.began.Note.Record) {
			n = max(n, x.slot+1)
		}
	}
	return n
}

// stripe is where a life that waits for a record is drawn in a lane; not at all if its record has no row
// there, or no room for it.
func (l *lane) stripe(x *life) (top, bottom float64, ok bool) {
	row := l.rowOf(x.began.Note.Record)
	if row == nil || x.node != l.actor.Name || x.slot >= row.queue {
		return 0, 0, false
	}
	top = l.top + row.top + row.height + 1 + float64(x.slot)*stripeHeight
	return top, top + stripeHeight - 1, true
}

// drawQueues draws who waits for the records of a node, below each, and the circles of those
// that wait for each other.
func (p *picture) drawQueues(l *lane) {
	for i := range p.lives.all {
		x := &p.lives.all[i]
		if x.place != model.PlaceRecord {
			continue
		}
		top, bottom, ok := l.stripe(x)
		if !ok || !p.extract.shows(x.from.Seq, x.to.Seq) {
			continue
		}
		d := p.describe(x.from.At, during(x.from.At, x.to.At), p.fill(x.began.Note.Title, x.began), p.lines(x)...)
		p.of(d, x.began.Owner.Op)
		p.add(layerBars, shape{kind: shapeRect, class: "wait " + p.colorOf(x.client), t0: x.from.At, t1: x.to.At, y0: top, y1: bottom, least: 1, detail: d})
		if len(x.end().Refs) > 0 {
			p.drawCircle(l, x)
		}
	}
}

// drawCircle draws the edges of a circle of lives that wait, at the moment of the end of one: from
// each record to what the one waits for that has it.
func (p *picture) drawCircle(l *lane, ended *life) {
	list := p.circle(ended.ended)
	for i, x := range list {
		next := list[(i+1)%len(list)]
		row := l.rowOf(x.began.Note.Record)
		top, bottom, ok := l.stripe(next)
		if row == nil || !ok {
			continue
		}
		from := l.top + row.top + row.height/2
		d := p.describe(ended.to.At, when(ended.to), fmt.Sprintf("%s has %s, and waits for %s", next.client, wording.Key(x.began.Note.Record), wording.Key(next.began.Note.Record)))
		path := arrow(float64(10*i-5*(len(list)-1)), (top+bottom)/2-from)
		p.add(layerMarks, shape{kind: shapeGlyph, class: "no", t0: ended.to.At, y0: from, path: path, detail: d})
	}
	if len(list) > 0 {
		top, _, _ := l.stripe(ended)
		p.write(label{class: "lab strong", t0: ended.to.At, t1: ended.to.At, y: top + 4, above: l.above(), place: placeAfter, rank: rankFault,
			long: p.fill(ended.end().Label, ended.ended), short: p.fill(ended.end().Short, ended.ended)})
	}
}

// arrow is the path of an arrow that goes down, or up if dy is negative, beside the moment.
func arrow(dx, dy float64) string {
	head := 4.0
	if dy < 0 {
		head = -head
	}
	return fmt.Sprintf("M%s 0V%sM%s %sL%s %sL%s %s", px(dx), px(dy), px(dx-3), px(dy-head), px(dx), px(dy), px(dx+3), px(dy-head))
}
