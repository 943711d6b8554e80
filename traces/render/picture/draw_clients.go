package picture

import (
	"fmt"
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// Paths of the marks, around their places.
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

// clientPainter draws what clients believe and do.
type clientPainter struct{ *Picture }

// drawClient draws what a client believes and does.
func (p clientPainter) drawClient(l *Lane) {
	p.drawPauses(l)
	for i := range p.Trace.History.Operations {
		o := &p.Trace.History.Operations[i]
		if o.Client != l.Actor.Name || !p.draws(o) {
			continue
		}
		if o.Kind == model.Acquire {
			p.drawWaiting(l, o)
		} else {
			p.drawAction(l, o)
		}
	}
	for _, c := range p.Claims {
		if c.Acquire.Client == l.Actor.Name && p.draws(c.Acquire) {
			p.drawClaim(l, c)
		}
	}
	for _, o := range p.Trace.History.Observations {
		if o.Node == l.Actor.Name {
			p.drawBlow(l, &o)
			p.drawSaying(l, &o)
		}
	}
}

// draws reports whether the page shows an operation.
func (p clientPainter) draws(o *model.Operation) bool {
	if _, told := slices.BinarySearch(p.Acquisitions, o.Acquisition); told && p.Verdict != nil {
		return true
	}
	return p.Extract.shows(o.Call.Seq, max(o.Call.Seq, o.Return.Seq, p.LastOf[o.ID]))
}

// drawSaying draws the statements of a process of a program.
func (p clientPainter) drawSaying(l *Lane, o *model.Observation) {
	if o.Note == nil || !p.Extract.shows(o.Seq, o.Seq) {
		return
	}
	y := l.row(0) + beliefHeight + actionHeight/2 - 1
	g := glyphOf(o.Note)
	if o.Note.Bad {
		g = glyph{"no", glyphCross}
	}
	_, text := p.Sentence(o)
	d := p.describe(o.At, story.When(o.Stamp), o.Node+": "+text)
	p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: g.class + " " + colorClass(l.color), T0: o.At, Y0: y, path: g.path, Detail: d})
	p.Write(Label{Class: "lab", T0: o.At, T1: o.At, Y: y + 4, Place: placeAfter, Rank: rankAction, Long: text})
}

// row returns the top of the belief row of a thread.
func (l *Lane) row(thread int) float64 {
	return l.Top + StripHeight + float64(min(thread, maxThreads-1))*(beliefHeight+actionHeight)
}

// until returns when an operation returned, or the end of the run if it did not.
func (p clientPainter) until(o *model.Operation) time.Duration {
	if o.Return.Happened() {
		return o.Return.At
	}
	return p.Trace.EndAt()
}

func (p clientPainter) drawWaiting(l *Lane, o *model.Operation) {
	y := l.row(o.Thread) + beliefHeight
	end := p.until(o)
	d := p.describe(o.Call.At, story.During(o.Call.At, end), o.Client+" waits for the lock", story.OutcomeText(o), p.CalledBy(o))
	p.of(d, o.ID)
	p.Add(layerBars, Shape{Kind: ShapeRect, Class: "wait " + colorClass(l.color), T0: o.Call.At, T1: end, Y0: y - 5, Y1: y - 1, least: 1, Detail: d})
	p.Write(Label{Class: "quiet", T0: o.Call.At, T1: end, Y: y - 8, Place: placeInside, Rank: rankState, Long: "waits for the lock", Short: "waits"})
	if o.Result == model.OK {
		return
	}
	p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: "no", T0: end, Y0: y - 3, path: glyphCross, Detail: d})
	p.Write(Label{Class: "lab", T0: end, T1: end, Y: y - 8, Place: placeAfter, Rank: rankAction, Long: "acquire: " + string(o.Result) + story.Because(o.Err), Short: string(o.Result)})
}

func (p clientPainter) drawClaim(l *Lane, c story.Claim) {
	o, color := c.Acquire, colorClass(l.color)
	y := l.row(o.Thread)
	from := "its Acquire's return"
	if c.Resumed {
		from = "when it learns that its lease, which had ended, goes on,"
	}
	lines := []string{"From " + from + " until " + string(c.End) + "."}
	text, short := o.Client+" believes that it holds the lock", "holds"
	if o.Fenced {
		short = fmt.Sprintf("token %d", o.Token)
		text += ", " + short
		lines = append(lines, "It has "+short+".")
	}
	if o.Leased {
		lines = append(lines, "Its lease ends, by its own clock, at "+traces.Moment(c.Until)+".")
	}
	d := p.describe(c.From.At, story.During(c.From.At, c.To.At), o.Client+" believes that it holds the lock", lines...)
	p.of(d, o.ID)
	p.Add(layerBars, Shape{Kind: ShapeRect, Class: "claim " + color, T0: c.From.At, T1: c.To.At, Y0: y + 1, Y1: y + beliefHeight - 1, least: 1.5, Detail: d})
	p.Write(Label{Class: "on " + color, T0: c.From.At, T1: c.To.At, Y: y + 14, Place: placeInside, Rank: rankBar, Long: text, Short: short, own: []int{d}})
}

// drawAction draws an access, a release or an extension: a line while it is
// under way, and a mark at its call.
func (p clientPainter) drawAction(l *Lane, o *model.Operation) {
	y := l.row(o.Thread) + beliefHeight + actionHeight/2 - 1
	end := p.until(o)
	text, path, class := actionText(o)
	claim := rankAction
	if o.Kind == model.Read || o.Kind == model.Extend {
		claim = rankRead
	}
	lines := []string{story.OutcomeText(o), p.CalledBy(o)}
	class += " " + colorClass(l.color)
	if c := p.ClaimBy(o.Acquisition, o.Call.Seq); c != nil && o.Kind != model.Release && o.Call.Seq > c.To.Seq {
		class += " late"
		lines = append(lines, fmt.Sprintf("%s after its claim to the lock had ended: %s.", traces.Briefly(o.Call.At-c.To.At), c.End))
	}
	d := p.describe(o.Call.At, story.During(o.Call.At, end), o.Client+" "+text, lines...)
	p.of(d, o.ID)
	p.Add(layerBars, Shape{Kind: ShapeRect, Class: "busy " + colorClass(l.color), T0: o.Call.At, T1: end, Y0: y + 8, Y1: y + 10, least: 0.5, Detail: d})
	p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: class, T0: o.Call.At, Y0: y, path: path, Detail: d})
	p.Write(Label{Class: "lab", T0: o.Call.At, T1: o.Call.At, Y: y + 4, Place: placeAfter, Rank: claim, Long: text})
}

// actionText returns an operation in two words, with its mark and the mark's class.
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
