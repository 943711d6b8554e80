package picture

import (
	"fmt"
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// resourcePainter draws the protected resource.
type resourcePainter struct{ *Picture }

// drawResource draws the values of the protected resource, and the accesses
// that it saw.
func (p resourcePainter) drawResource(l *Lane) {
	p.drawPauses(l)
	seen := p.Accesses(l.Actor.Name)
	p.drawValues(l, seen)
	for i := range seen {
		if o := &seen[i]; p.Extract.shows(o.Seq, o.Seq) || p.Concerns(o.By.Op) && p.Verdict != nil {
			p.drawAccess(l, o)
		}
	}
}

// drawValues draws the value as a band that changes with each write.
func (p resourcePainter) drawValues(l *Lane, seen []model.Observation) {
	for _, v := range p.Values(seen) {
		from, to := v.From.At, v.To.At
		text, color := fmt.Sprintf("%d", v.Value), "kx"
		if v.Writer != "" {
			text, color = fmt.Sprintf("%d, written by %s", v.Value, v.Writer), p.ColorOf(v.Writer)
		}
		d := p.describe(from, story.During(from, to), fmt.Sprintf("the value is %s", text))
		p.of(d, v.Op)
		p.Add(layerBars, Shape{Kind: ShapeRect, Class: "value " + color, T0: from, T1: to, Y0: l.Top + StripHeight + 1, Y1: l.Top + StripHeight + valueHeight - 1, least: 1, Detail: d})
		p.Write(Label{Class: "lab strong", T0: from, T1: to, Y: l.Top + StripHeight + 14, Place: placeInside, Rank: rankBar, Long: text, Short: fmt.Sprint(v.Value), own: []int{d}})
	}
}

// drawAccess draws one access at the moment at which the resource served it.
func (p resourcePainter) drawAccess(l *Lane, o *model.Observation) {
	y := l.Top + StripHeight + valueHeight + actionHeight/2
	s := Shape{Kind: shapeGlyph, T0: o.At, Y0: y, path: glyphRead, Class: "mark open"}
	text := fmt.Sprintf("%s reads %d", o.By.Client, o.Number)
	var lines []string
	class, short, claim := "lab", "", rankRead
	switch o.Kind {
	case model.ResourceWritten:
		s.path, s.Class, claim = glyphWrite, "mark", rankAction
		text = fmt.Sprintf("%s writes %d", o.By.Client, o.Number)
		if over := p.Overwritten[o.Seq]; over != nil {
			class, short, claim = "lab bad", "lost update", rankFault
			text += " over " + story.Owned(strconv.FormatInt(over.Number, 10), over.By, o.By.Client)
			lines = append(lines, "An update is lost.")
		}
	case model.ResourceRefused:
		s.path, s.Class, claim = glyphCross, "no", rankFault
		text = fmt.Sprintf("%s refused", o.By.Client)
	}
	if o.Fenced {
		lines = append(lines, fmt.Sprintf("It carried token %d.", o.Token))
	}
	s.Class += " " + p.ColorOf(o.By.Client)
	s.Detail = p.describe(o.At, story.When(o.Stamp), text, lines...)
	p.of(s.Detail, o.By.Op)
	p.Add(LayerMarks, s)
	p.Write(Label{Class: class, T0: o.At, T1: o.At, Y: y + 4, Place: placeAfter, Rank: claim, Long: text, Short: short})
}
