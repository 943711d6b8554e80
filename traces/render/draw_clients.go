package render

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// Paths of the marks, around the place where they stand.
const (
	glyphRead    = "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0z"
	glyphWrite   = "M-5 0L0-5L5 0L0 5z"
	glyphRelease = "M-4.5-3.5H4.5L0 4.5z"
	glyphExtend  = "M-4.5 3.5H4.5L0-4.5z"
	glyphSaid    = "M-5-4H5V2.5H1L-2 5.5V2.5H-5z"
	glyphCross   = "M-4-4L4 4M-4 4L4-4"
	glyphTick    = "M0-4V4"
	glyphDot     = "M-1.5 0a1.5 1.5 0 1 0 3 0a1.5 1.5 0 1 0-3 0z"
	glyphBolt    = "M1-7L-4 1H0L-1 7L4-1H0z"
)

// drawClient draws what a client believes and does.
func (p *picture) drawClient(l *lane) {
	p.drawPauses(l)
	for i := range p.t.History.Operations {
		o := &p.t.History.Operations[i]
		if o.Client != l.actor.Name || !p.draws(o) {
			continue
		}
		if o.Kind == model.Acquire {
			p.drawWaiting(l, o)
		} else {
			p.drawAction(l, o)
		}
	}
	for _, c := range p.claims {
		if c.acquire.Client == l.actor.Name && p.draws(c.acquire) {
			p.drawClaim(l, c)
		}
	}
	for _, o := range p.t.History.Observations {
		if o.Node == l.actor.Name {
			p.drawBlow(l, &o)
			p.drawSaying(l, &o)
		}
	}
}

// draws reports whether the page shows an operation.
func (p *picture) draws(o *model.Operation) bool {
	if _, told := slices.BinarySearch(p.acquisitions, o.Acquisition); told && p.verdict != nil {
		return true
	}
	return p.extract.shows(o.Call.Seq, max(o.Call.Seq, o.Return.Seq, p.lastOf[o.ID]))
}

// drawSaying draws what a process of a program says of itself.
func (p *picture) drawSaying(l *lane, o *model.Observation) {
	if o.Note == nil || !p.extract.shows(o.Seq, o.Seq) {
		return
	}
	y := l.row(0) + beliefHeight + actionHeight/2 - 1
	g := glyphOf(o.Note)
	if o.Note.Bad {
		g = glyph{"no", glyphCross}
	}
	_, text := p.sentence(o)
	d := p.describe(o.At, when(o.Stamp), o.Node+": "+text)
	p.add(layerMarks, shape{kind: shapeGlyph, class: g.class + " " + colorClass(l.color), t0: o.At, y0: y, path: g.path, detail: d})
	p.write(label{class: "lab", t0: o.At, t1: o.At, y: y + 4, place: placeAfter, rank: rankAction, long: text})
}

// row is the top of the belief row of a thread.
func (l *lane) row(thread int) float64 {
	return l.top + stripHeight + float64(min(thread, maxThreads-1))*(beliefHeight+actionHeight)
}

// until is when an operation returned; one that did not, with the run.
func (p *picture) until(o *model.Operation) time.Duration {
	if o.Return.Happened() {
		return o.Return.At
	}
	return p.t.EndAt()
}

func (p *picture) drawWaiting(l *lane, o *model.Operation) {
	y := l.row(o.Thread) + beliefHeight
	end := p.until(o)
	d := p.describe(o.Call.At, during(o.Call.At, end), o.Client+" waits for the lock", outcomeText(o), p.calledBy(o))
	p.of(d, o.ID)
	p.add(layerBars, shape{kind: shapeRect, class: "wait " + colorClass(l.color), t0: o.Call.At, t1: end, y0: y - 5, y1: y - 1, least: 1, detail: d})
	p.write(label{class: "quiet", t0: o.Call.At, t1: end, y: y - 8, place: placeInside, rank: rankState, long: "waits for the lock", short: "waits"})
	if o.Result == model.OK {
		return
	}
	p.add(layerMarks, shape{kind: shapeGlyph, class: "no", t0: end, y0: y - 3, path: glyphCross, detail: d})
	p.write(label{class: "lab", t0: end, t1: end, y: y - 8, place: placeAfter, rank: rankAction, long: "acquire: " + string(o.Result) + because(o.Err), short: string(o.Result)})
}

func (p *picture) drawClaim(l *lane, c claim) {
	o, color := c.acquire, colorClass(l.color)
	y := l.row(o.Thread)
	from := "its Acquire's return"
	if c.again {
		from = "when it learns that its lease, which had ended, goes on,"
	}
	lines := []string{"From " + from + " until " + string(c.end) + "."}
	text, short := o.Client+" believes that it holds the lock", "holds"
	if o.Fenced {
		short = fmt.Sprintf("token %d", o.Token)
		text += ", " + short
		lines = append(lines, "It has "+short+".")
	}
	if o.Leased {
		lines = append(lines, "Its lease ends, by its own clock, at "+traces.Moment(c.until)+".")
	}
	d := p.describe(c.from.At, during(c.from.At, c.to.At), o.Client+" believes that it holds the lock", lines...)
	p.of(d, o.ID)
	p.add(layerBars, shape{kind: shapeRect, class: "claim " + color, t0: c.from.At, t1: c.to.At, y0: y + 1, y1: y + beliefHeight - 1, least: 1.5, detail: d})
	p.write(label{class: "on " + color, t0: c.from.At, t1: c.to.At, y: y + 14, place: placeInside, rank: rankBar, long: text, short: short, own: []int{d}})
}

// drawAction draws an access, a release or an extension: a line while it is
// under way, and a mark at its call.
func (p *picture) drawAction(l *lane, o *model.Operation) {
	y := l.row(o.Thread) + beliefHeight + actionHeight/2 - 1
	end := p.until(o)
	text, path, class := actionText(o)
	claim := rankAction
	if o.Kind == model.Read || o.Kind == model.Extend {
		claim = rankRead
	}
	lines := []string{outcomeText(o), p.calledBy(o)}
	class += " " + colorClass(l.color)
	if c := p.claimBy(o.Acquisition, o.Call.Seq); c != nil && o.Kind != model.Release && o.Call.Seq > c.to.Seq {
		class += " late"
		lines = append(lines, fmt.Sprintf("%s after its claim to the lock had ended: %s.", traces.Briefly(o.Call.At-c.to.At), c.end))
	}
	d := p.describe(o.Call.At, during(o.Call.At, end), o.Client+" "+text, lines...)
	p.of(d, o.ID)
	p.add(layerBars, shape{kind: shapeRect, class: "busy " + colorClass(l.color), t0: o.Call.At, t1: end, y0: y + 8, y1: y + 10, least: 0.5, detail: d})
	p.add(layerMarks, shape{kind: shapeGlyph, class: class, t0: o.Call.At, y0: y, path: path, detail: d})
	p.write(label{class: "lab", t0: o.Call.At, t1: o.Call.At, y: y + 4, place: placeAfter, rank: claim, long: text})
}

// actionText is an operation in two words, with its mark and the mark's
// class.
func actionText(o *model.Operation) (text, path, class string) {
	switch o.Kind {
	case model.Read:
		text, path, class = fmt.Sprintf("reads %d", o.Value), glyphRead, "mark open"
	case model.Write:
		text, path, class = fmt.Sprintf("writes %d", o.Value), glyphWrite, "mark"
	case model.Release:
		text, path, class = "releases", glyphRelease, "mark"
	default:
		text, path, class = string(o.Kind)+"s", glyphExtend, "mark open"
	}
	switch {
	case o.NotHeld:
		text += ": not held"
	case o.Result != model.OK:
		text += ": " + string(o.Result)
	}
	return text, path, class
}

// outcomeText is what the client was told.
func outcomeText(o *model.Operation) string {
	text := fmt.Sprintf("Operation %d, %s: ", o.ID, o.Kind)
	if o.Return.Happened() {
		text += string(o.Result)
	} else {
		text += "never returns"
	}
	if o.Err != "" {
		text += " (" + o.Err + ")"
	}
	return text
}
