package render

import (
	"cmp"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// drawNode draws what a node of the store is and what it has.
func (p *picture) drawNode(l *lane) {
	roles := p.reigns(l.actor.Name)
	for _, r := range roles {
		p.drawReign(l, r)
	}
	p.drawPauses(l)
	for i := range p.presences {
		h := &p.presences[i]
		row := l.rowOf(h.key)
		if h.node != l.actor.Name || row == nil || !p.drawsKey(h) {
			continue
		}
		if !row.lock {
			p.drawExtra(l, h, row)
			continue
		}
		d := p.describe(h.from.At, during(h.from.At, h.to.At), h.node+" has "+keyed(h.key, h.value), p.keyLines(h)...)
		p.of(d, h.owner.Op)
		for _, piece := range pieces(h, roles) {
			p.drawKey(l, h, row, piece, d)
		}
		p.drawEnd(l, h, row, d)
	}
	p.drawQueues(l)
	p.drawStrip(l)
	for _, o := range p.t.History.Observations {
		if o.Node == l.actor.Name && o.Kind == model.ClockJumped {
			p.drawBlow(l, &o)
		}
		if o.Node == l.actor.Name && o.Kind == model.Promoted {
			p.write(label{class: "lab strong", t0: o.At, t1: o.At, y: l.above(), place: placeAfter, rank: rankFault,
				long: "promoted" + p.inherited(&o), short: "promoted"})
		}
	}
}

// drawsKey reports whether the page shows a stretch of a key.
func (p *picture) drawsKey(h *presence) bool {
	return p.verdict != nil && p.concerns(h.owner.Op) || p.extract.shows(h.from.Seq, h.to.Seq)
}

// drawReign draws the role of a node as a band, and greys the lane while the
// node is down.
func (p *picture) drawReign(l *lane, r reign) {
	y := l.top + stripHeight
	class, called := r.role.class(), r.called(p.termsAt(l.actor.Name))
	d := p.describe(r.from.At, during(r.from.At, r.to.At), fmt.Sprintf("%s: %s", l.actor.Name, called))
	p.add(layerBars, shape{kind: shapeRect, class: "role " + class, t0: r.from.At, t1: r.to.At, y0: y, y1: y + roleHeight, detail: d})
	p.write(label{class: "rolename " + class, t0: r.from.At, t1: r.to.At, y: y + 11, place: placeInside, rank: rankFrame, long: called, own: []int{d}})
	if r.role == roleDown {
		p.add(layerCover, shape{kind: shapeRect, class: "downtime", t0: r.from.At, t1: r.to.At, y0: y + roleHeight, y1: l.bottom(), detail: d})
		p.add(layerMarks, shape{kind: shapeGlyph, class: "fault", t0: r.from.At, y0: l.bottom() - keyHeight/2 - 2, path: glyphBolt, detail: d})
		p.write(label{class: "lab strong", t0: r.from.At, t1: r.to.At, y: l.bottom() - keyHeight/2 + 2, above: l.above(), place: placeMiddle, rank: rankFault,
			long: l.actor.Name + " is down", short: "down", own: []int{d}})
	}
}

// piece is a part of a key's stretch in which it looks the same.
type piece struct {
	from, to time.Duration
	class    string // "" is a key that is there
}

// pieces divides a key's stretch: a node that is down or serves no requests cannot be
// asked, and what has expired counts no more though it is still there.
func pieces(h *presence, roles []reign) []piece {
	var all []piece
	for _, r := range roles {
		from, to := max(h.from.At, r.from.At), min(h.to.At, r.to.At)
		if from >= to {
			continue
		}
		class := ""
		if r.role == roleDown || r.role == roleAlone {
			class = "ghost"
		}
		expiry := to
		if h.expires > 0 {
			expiry = min(to, max(from, h.expires))
		}
		if from < expiry {
			all = append(all, piece{from, expiry, class})
		}
		if expiry < to {
			all = append(all, piece{expiry, to, "spent"})
		}
	}
	return all
}

// drawKey draws a piece of the lock's key, whose detail is d. Its filling drains with the time
// that is left to it.
func (p *picture) drawKey(l *lane, h *presence, row *keyRow, s piece, d int) {
	top := l.top + row.top + 2
	bottom := top + row.height - 2
	color := p.colorOf(h.owner.Client)
	switch s.class {
	case "spent":
		p.add(layerBars, shape{kind: shapeRect, class: "spent " + color, t0: s.from, t1: s.to, y0: bottom - 3, y1: bottom, detail: d})
		return
	case "ghost":
		p.add(layerBars, shape{kind: shapeRect, class: "ghost " + color, t0: s.from, t1: s.to, y0: top, y1: bottom, detail: d})
		return
	}
	p.add(layerBars, shape{kind: shapeRect, class: "key " + color, t0: s.from, t1: s.to, y0: top, y1: bottom, least: 1.5, detail: d})
	left := func(t time.Duration) float64 { // the height of what is left
		if h.expires <= h.from.At {
			return bottom - top
		}
		return (bottom - top) * float64(h.expires-t) / float64(h.expires-h.from.At)
	}
	p.add(layerBars, shape{kind: shapeArea, class: "ttl " + color, detail: d, corners: []corner{
		{s.from, bottom}, {s.from, bottom - left(s.from)}, {s.to, bottom - left(s.to)}, {s.to, bottom},
	}})
	owner := h.owner.Client
	if owner == "" {
		owner = "nobody"
	}
	whose := owner + "'s " + p.termsAt(h.node).Record
	text := whose + ": " + recordEntry(h.began)
	if h.expires > h.from.At {
		text += ", expires in " + traces.Briefly(h.expires-h.from.At)
	}
	p.write(label{class: "lab strong", t0: s.from, t1: s.to, y: (top+bottom)/2 + 4, place: placeInside, rank: rankBar, long: text, short: whose, own: []int{d}})
}

// keyLines describes a key.
func (p *picture) keyLines(h *presence) []string {
	lines := []string{"Written by " + originText(h.owner) + "."}
	switch {
	case h.session != "":
		lines = append(lines, fmt.Sprintf("Ends with the %s %s.", p.termsAt(h.node).Session, h.session))
	case h.expires > 0:
		lines = append(lines, fmt.Sprintf("Expires at %s, %s after it was written.", traces.Moment(h.expires), traces.Briefly(h.expires-h.from.At)))
	default:
		lines = append(lines, "Never expires.")
	}
	if h.ended == nil {
		return append(lines, "It is there when the run ends.")
	}
	end := fmt.Sprintf("Ended (%s) at event %d", h.end, h.ended.Seq)
	if h.ended.By != (model.Origin{}) {
		end += " by " + originText(h.ended.By)
	}
	return append(lines, end+".")
}

// originText names who caused something.
func originText(o model.Origin) string {
	if o.Client == "" {
		return "nobody"
	}
	text := o.Client
	if o.Op != 0 {
		text += fmt.Sprintf(" (operation %d)", o.Op)
	}
	return text
}

// drawEnd marks how a stretch of the lock's key ended, whose detail is has, if by anything but its
// own release.
func (p *picture) drawEnd(l *lane, h *presence, row *keyRow, has int) {
	y := l.top + row.top + row.height/2 + 1
	text, short, class, place, claim := "", "", "no", placeAfter, rankAction
	switch {
	case h.ended == nil || h.ended.Authority == "" && h.end != model.RecordDropped:
		return
	case h.end == model.RecordExpired && h.session != "":
		text, class, place, claim = "ends with the "+p.termsAt(h.node).Session, "end", placeBefore, rankState
	case h.end == model.RecordExpired:
		text, class, place, claim = "expires", "end", placeBefore, rankState
	case h.end == model.RecordDropped:
		text = "dropped"
	case h.end == model.RecordDeleted && acquisitionOf(p.t, h.ended.By.Op) != acquisitionOf(p.t, h.owner.Op):
		text, short = "removed by "+h.ended.By.Client, "removed"
	default:
		return
	}
	d := p.describe(h.to.At, when(h.to), fmt.Sprintf("%s's %s: %s", h.owner.Client, p.termsAt(h.node).Record, text), p.keyLines(h)...)
	p.of(d, cmp.Or(h.ended.By.Op, h.owner.Op))
	path := glyphCross
	if class == "end" {
		path = glyphTick
	} else if h.end == model.RecordDeleted && h.expires > h.to.At {
		p.add(layerBars, shape{kind: shapeRect, class: "ghost " + p.colorOf(h.owner.Client), t0: h.to.At, t1: h.expires,
			y0: y - row.height/2 + 1, y1: y + row.height/2 - 1, detail: d})
	}
	p.add(layerMarks, shape{kind: shapeGlyph, class: class, t0: h.to.At, y0: y, path: path, detail: d})
	p.write(label{class: "lab strong", t0: h.to.At, t1: h.to.At, y: y + 4, above: l.above(), place: place, rank: claim, long: text, short: short, own: []int{has, d}})
}

// drawExtra draws a key other than the lock's.
func (p *picture) drawExtra(l *lane, h *presence, row *keyRow) {
	y := l.top + row.top + 2
	d := p.describe(h.from.At, during(h.from.At, h.to.At), h.node+" has "+keyed(h.key, h.value), p.keyLines(h)...)
	p.of(d, h.owner.Op)
	color := p.colorOf(h.owner.Client)
	p.add(layerBars, shape{kind: shapeRect, class: "key " + color, t0: h.from.At, t1: h.to.At, y0: y, y1: y + extraHeight - 2, least: 1, detail: d})
	p.write(label{class: "lab", t0: h.from.At, t1: h.to.At, y: y + 10.5, place: placeInside, rank: rankBar,
		long: recordEntry(h.began), short: wording.Key(h.key), own: []int{d}})
}
