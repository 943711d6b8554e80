package render

import (
	"fmt"
	"strconv"

	"github.com/lockpick-dev/lockpick/model"
)

// drawResource draws the values of the protected resource, and the accesses
// that it saw.
func (p *picture) drawResource(l *lane) {
	p.drawPauses(l)
	seen := p.accesses(l.actor.Name)
	p.drawValues(l, seen)
	for i := range seen {
		if o := &seen[i]; p.extract.shows(o.Seq, o.Seq) || p.concerns(o.By.Op) && p.verdict != nil {
			p.drawAccess(l, o)
		}
	}
}

// drawValues draws the value as a band that changes with each write.
func (p *picture) drawValues(l *lane, seen []model.Observation) {
	for _, v := range p.values(seen) {
		from, to := v.from.At, v.to.At
		text, color := fmt.Sprintf("%d", v.value), "kx"
		if v.writer != "" {
			text, color = fmt.Sprintf("%d, written by %s", v.value, v.writer), p.colorOf(v.writer)
		}
		d := p.describe(from, during(from, to), fmt.Sprintf("the value is %s", text))
		p.of(d, v.op)
		p.add(layerBars, shape{kind: shapeRect, class: "value " + color, t0: from, t1: to, y0: l.top + stripHeight + 1, y1: l.top + stripHeight + valueHeight - 1, least: 1, detail: d})
		p.write(label{class: "lab strong", t0: from, t1: to, y: l.top + stripHeight + 14, place: placeInside, rank: rankBar, long: text, short: fmt.Sprint(v.value), own: []int{d}})
	}
}

// drawAccess draws one access at the moment at which the resource served it.
func (p *picture) drawAccess(l *lane, o *model.Observation) {
	y := l.top + stripHeight + valueHeight + actionHeight/2
	s := shape{kind: shapeGlyph, t0: o.At, y0: y, path: glyphRead, class: "mark open"}
	text := fmt.Sprintf("%s reads %d", o.By.Client, o.Number)
	var lines []string
	class, short, claim := "lab", "", rankRead
	switch o.Kind {
	case model.ResourceWritten:
		s.path, s.class, claim = glyphWrite, "mark", rankAction
		text = fmt.Sprintf("%s writes %d", o.By.Client, o.Number)
		if over := p.overwritten[o.Seq]; over != nil {
			class, short, claim = "lab bad", "lost update", rankFault
			text += " over " + owned(strconv.FormatInt(over.Number, 10), over.By, o.By.Client)
			lines = append(lines, "An update is lost.")
		}
	case model.ResourceRefused:
		s.path, s.class, claim = glyphCross, "no", rankFault
		text = fmt.Sprintf("%s refused", o.By.Client)
	}
	if o.Fenced {
		lines = append(lines, fmt.Sprintf("It carried token %d.", o.Token))
	}
	s.class += " " + p.colorOf(o.By.Client)
	s.detail = p.describe(o.At, when(o.Stamp), text, lines...)
	p.of(s.detail, o.By.Op)
	p.add(layerMarks, s)
	p.write(label{class: class, t0: o.At, t1: o.At, y: y + 4, place: placeAfter, rank: claim, long: text, short: short})
}
