package picture

import (
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// lifePainter draws the lives of notes' subjects.
type lifePainter struct{ *Picture }

// drawLives draws the lives of a lane as the authority knows them, and when their owners learn of their ends.
func (p lifePainter) drawLives(l *Lane) {
	for row, indices := range l.Lives {
		top := l.Top + livesTop + float64(row)*lifeHeight
		for _, i := range indices {
			p.drawLife(&p.Lives.All[i], top, top+lifeHeight-3)
		}
	}
}

// drawLife draws a life. Its filling drains with the time until its end if its owner is not heard of.
func (p lifePainter) drawLife(x *story.Life, top, bottom float64) {
	color := p.ColorOf(x.Client)
	d := p.describe(x.From.At, story.During(x.From.At, x.To.At), p.Fill(x.Began.Note.Title, x.Began), p.Lines(x)...)
	p.Add(layerBars, Shape{Kind: ShapeRect, Class: "key " + color, T0: x.From.At, T1: x.To.At, Y0: top, Y1: bottom, least: 1.5, Detail: d})
	p.drain(x, top, bottom, d)
	own := []int{d}
	for _, i := range p.Lives.Inside[x.Subject] {
		own = append(own, p.drawInside(&p.Lives.All[i], top, bottom, d)...)
	}
	for i, stay := range x.Stays {
		to, note := x.To.At, stay.Note
		if i+1 < len(x.Stays) {
			to = x.Stays[i+1].From.At
		}
		if i > 0 {
			p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: "end", T0: stay.From.At, Y0: (top + bottom) / 2, path: glyphTick, Detail: d})
		}
		p.Write(Label{Class: "lab strong", T0: stay.From.At, T1: to, Y: bottom - 5, Place: placeInside, Rank: rankBar,
			Long: p.Fill(note.Note.Label, note), Short: p.Fill(note.Note.Short, note), own: own})
	}
	if x.End().Bad {
		p.drawBadEnd(x, top, bottom, own)
	}
}

// drain draws how much time a life has left at each moment.
func (p lifePainter) drain(x *story.Life, top, bottom float64, d int) {
	longest := x.Longest()
	for i, r := range x.Renewals {
		until := x.To
		if i+1 < len(x.Renewals) {
			until = x.Renewals[i+1].At
		}
		if r.Ends <= r.At.At || !p.Extract.shows(r.At.Seq, until.Seq) {
			continue
		}
		left := func(t time.Duration) float64 { return bottom - (bottom-top)*float64(max(0, r.Ends-t))/float64(longest) }
		to := min(until.At, r.Ends)
		p.Add(layerBars, Shape{Kind: shapeArea, Class: "ttl " + p.ColorOf(x.Client), Detail: d, corners: []corner{
			{r.At.At, bottom}, {r.At.At, left(r.At.At)}, {to, left(to)}, {to, bottom},
		}})
	}
}

// drawBadEnd marks the end of a life, and how long its owner does not know of it. Own are the details of the life's bar.
func (p lifePainter) drawBadEnd(x *story.Life, top, bottom float64, own []int) {
	to, end := x.Unaware, x.Ended
	middle := (top + bottom) / 2
	d := p.describe(x.To.At, story.During(x.To.At, to.At), p.Fill(end.Note.Title, end))
	p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: "no", T0: x.To.At, Y0: middle, path: glyphCross, Detail: d})
	p.Write(Label{Class: "lab strong", T0: x.To.At, T1: x.To.At, Y: bottom - 5, Place: PlaceBefore, Rank: rankFault,
		Long: p.Fill(end.Note.Label, end), Short: p.Fill(end.Note.Short, end), own: append([]int{d}, own...)})
	if to.Seq <= x.To.Seq || end.Note.State == "" {
		return
	}
	p.Add(layerBars, Shape{Kind: ShapeRect, Class: "ghost " + p.ColorOf(x.Client), T0: x.To.At, T1: to.At, Y0: top, Y1: bottom, Detail: d})
	p.Write(Label{Class: "lab", T0: x.To.At, T1: to.At, Y: bottom - 5, Place: placeMiddle, Rank: rankAction, Long: x.Client + " does not know", own: []int{d}})
	if to != x.Learned {
		return
	}
	told := p.describe(to.At, story.When(to), p.Fill(x.Notice.Note.Title, x.Notice))
	p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: "end", T0: to.At, Y0: middle, path: glyphTick, Detail: told})
	p.Write(Label{Class: "lab strong", T0: to.At, T1: to.At, Y: bottom - 5, Place: placeAfter, Rank: rankRead,
		Long: p.Fill(x.Notice.Note.Label, x.Notice), Short: p.Fill(x.Notice.Note.Short, x.Notice), own: []int{d}})
}

// drawInside draws a life within the bar of the subject of the same name, whose detail is around, and returns the details
// of its own bars.
func (p lifePainter) drawInside(x *story.Life, top, bottom float64, around int) (own []int) {
	if !p.Extract.shows(x.From.Seq, x.To.Seq) {
		return nil
	}
	d := p.describe(x.From.At, story.During(x.From.At, x.To.At), p.Fill(x.Began.Note.Title, x.Began), p.Lines(x)...)
	p.Add(layerBars, Shape{Kind: ShapeRect, Class: "ttl " + p.ColorOf(x.Client), T0: x.From.At, T1: x.To.At, Y0: top, Y1: bottom, least: 1, Detail: d})
	if !x.End().Bad {
		return []int{d}
	}
	p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: "no", T0: x.To.At, Y0: (top + bottom) / 2, path: glyphCross, Detail: d})
	p.Write(Label{Class: "lab", T0: x.To.At, T1: x.To.At, Y: bottom - 5, Place: placeAfter, Rank: rankAction,
		Long: p.Fill(x.End().Label, x.Ended), Short: p.Fill(x.End().Short, x.Ended), own: []int{around, d}})
	return []int{d}
}

// stripe returns where a life that waits for a record is drawn in a lane; ok is false if its record has no row there, or
// no room.
func (l *Lane) stripe(x *story.Life) (top, bottom float64, ok bool) {
	row := l.rowOf(x.Began.Note.Record)
	if row == nil || x.Node != l.Actor.Name || x.Slot >= row.queue {
		return 0, 0, false
	}
	top = l.Top + row.top + row.height + 1 + float64(x.Slot)*stripeHeight
	return top, top + stripeHeight - 1, true
}

// drawQueues draws the waiters for the records of a node, below each, and the circles of those that wait for each other.
func (p lifePainter) drawQueues(l *Lane) {
	for i := range p.Lives.All {
		x := &p.Lives.All[i]
		if x.Place != model.PlaceRecord {
			continue
		}
		top, bottom, ok := l.stripe(x)
		if !ok || !p.Extract.shows(x.From.Seq, x.To.Seq) {
			continue
		}
		d := p.describe(x.From.At, story.During(x.From.At, x.To.At), p.Fill(x.Began.Note.Title, x.Began), p.Lines(x)...)
		p.of(d, x.Began.Owner.Op)
		p.Add(layerBars, Shape{Kind: ShapeRect, Class: "wait " + p.ColorOf(x.Client), T0: x.From.At, T1: x.To.At, Y0: top, Y1: bottom, least: 1, Detail: d})
		if len(x.End().Refs) > 0 {
			p.drawCircle(l, x)
		}
	}
}

// drawCircle draws the edges of a circle of waiting lives, at the end of one: from each record to the record that its
// holder waits for.
func (p lifePainter) drawCircle(l *Lane, ended *story.Life) {
	list := p.Circle(ended.Ended)
	for i, x := range list {
		next := list[(i+1)%len(list)]
		row := l.rowOf(x.Began.Note.Record)
		top, bottom, ok := l.stripe(next)
		if row == nil || !ok {
			continue
		}
		from := l.Top + row.top + row.height/2
		d := p.describe(ended.To.At, story.When(ended.To), fmt.Sprintf("%s has %s, and waits for %s", next.Client, wording.Key(x.Began.Note.Record), wording.Key(next.Began.Note.Record)))
		path := arrow(float64(10*i-5*(len(list)-1)), (top+bottom)/2-from)
		p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: "no", T0: ended.To.At, Y0: from, path: path, Detail: d})
	}
	if len(list) > 0 {
		top, _, _ := l.stripe(ended)
		p.Write(Label{Class: "lab strong", T0: ended.To.At, T1: ended.To.At, Y: top + 4, above: l.above(), Place: placeAfter, Rank: rankFault,
			Long: p.Fill(ended.End().Label, ended.Ended), Short: p.Fill(ended.End().Short, ended.Ended)})
	}
}

// arrow returns the path of an arrow that goes down, or up if dy is negative, beside the moment.
func arrow(dx, dy float64) string {
	head := 4.0
	if dy < 0 {
		head = -head
	}
	return fmt.Sprintf("M%s 0V%sM%s %sL%s %sL%s %s", Px(dx), Px(dy), Px(dx-3), Px(dy-head), Px(dx), Px(dy), Px(dx+3), Px(dy-head))
}
