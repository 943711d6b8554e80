package picture

import (
	"cmp"
	"fmt"
	"time"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
	"github.com/lockpick-dev/lockpick/traces/story"
)

// nodePainter draws nodes and their records.
type nodePainter struct{ *Picture }

// drawNode draws the role and the records of a node of the store.
func (p nodePainter) drawNode(l *Lane) {
	roles := p.Reigns(l.Actor.Name)
	for _, r := range roles {
		p.drawReign(l, r)
	}
	p.drawPauses(l)
	for i := range p.Presences {
		h := &p.Presences[i]
		row := l.rowOf(h.Key)
		if h.Node != l.Actor.Name || row == nil || !p.drawsKey(h) {
			continue
		}
		if !row.lock {
			p.drawExtra(l, h, row)
			continue
		}
		d := p.describe(h.From.At, story.During(h.From.At, h.To.At), h.Node+" has "+story.Keyed(h.Key, h.Value), p.keyLines(h)...)
		p.of(d, h.Owner.Op)
		for _, piece := range pieces(h, roles) {
			p.drawKey(l, h, row, piece, d)
		}
		p.drawEnd(l, h, row, d)
	}
	lifePainter(p).drawQueues(l)
	stripPainter(p).drawStrip(l)
	for _, o := range p.Trace.History.Observations {
		if o.Node == l.Actor.Name && o.Kind == model.ClockJumped {
			p.drawBlow(l, &o)
		}
		if o.Node == l.Actor.Name && o.Kind == model.Promoted {
			p.Write(Label{Class: "lab strong", T0: o.At, T1: o.At, Y: l.above(), Place: placeAfter, Rank: rankFault,
				Long: "promoted" + p.Inherited(&o), Short: "promoted"})
		}
	}
}

// drawsKey reports whether the page shows a stretch of a key.
func (p nodePainter) drawsKey(h *story.Presence) bool {
	return p.Verdict != nil && p.Concerns(h.Owner.Op) || p.Extract.shows(h.From.Seq, h.To.Seq)
}

// drawReign draws the role of a node as a band, and greys the lane while the
// node is down.
func (p nodePainter) drawReign(l *Lane, r story.Reign) {
	y := l.Top + StripHeight
	class, called := r.Role.Class(), r.Called(p.TermsAt(l.Actor.Name))
	d := p.describe(r.From.At, story.During(r.From.At, r.To.At), fmt.Sprintf("%s: %s", l.Actor.Name, called))
	p.Add(layerBars, Shape{Kind: ShapeRect, Class: "role " + class, T0: r.From.At, T1: r.To.At, Y0: y, Y1: y + roleHeight, Detail: d})
	p.Write(Label{Class: "rolename " + class, T0: r.From.At, T1: r.To.At, Y: y + 11, Place: placeInside, Rank: RankFrame, Long: called, own: []int{d}})
	if r.Role == story.RoleDown {
		p.Add(layerCover, Shape{Kind: ShapeRect, Class: "downtime", T0: r.From.At, T1: r.To.At, Y0: y + roleHeight, Y1: l.Bottom(), Detail: d})
		p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: "fault", T0: r.From.At, Y0: l.Bottom() - keyHeight/2 - 2, path: glyphBolt, Detail: d})
		p.Write(Label{Class: "lab strong", T0: r.From.At, T1: r.To.At, Y: l.Bottom() - keyHeight/2 + 2, above: l.above(), Place: placeMiddle, Rank: rankFault,
			Long: l.Actor.Name + " is down", Short: "down", own: []int{d}})
	}
}

// piece is a part of a key's stretch in which it looks the same.
type piece struct {
	from, to time.Duration
	class    string // "" is a key that is there
}

// pieces divides a key's stretch: a node that is down or serves no requests cannot be asked, and an expired key no longer
// counts although the node still has it.
func pieces(h *story.Presence, roles []story.Reign) []piece {
	var all []piece
	for _, r := range roles {
		from, to := max(h.From.At, r.From.At), min(h.To.At, r.To.At)
		if from >= to {
			continue
		}
		class := ""
		if r.Role == story.RoleDown || r.Role == story.RoleAlone {
			class = "ghost"
		}
		expiry := to
		if h.Expires > 0 {
			expiry = min(to, max(from, h.Expires))
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

// drawKey draws a piece of the lock's key, whose detail is d. Its filling drains with the remaining time.
func (p nodePainter) drawKey(l *Lane, h *story.Presence, row *keyRow, s piece, d int) {
	top := l.Top + row.top + 2
	bottom := top + row.height - 2
	color := p.ColorOf(h.Owner.Client)
	switch s.class {
	case "spent":
		p.Add(layerBars, Shape{Kind: ShapeRect, Class: "spent " + color, T0: s.from, T1: s.to, Y0: bottom - 3, Y1: bottom, Detail: d})
		return
	case "ghost":
		p.Add(layerBars, Shape{Kind: ShapeRect, Class: "ghost " + color, T0: s.from, T1: s.to, Y0: top, Y1: bottom, Detail: d})
		return
	}
	p.Add(layerBars, Shape{Kind: ShapeRect, Class: "key " + color, T0: s.from, T1: s.to, Y0: top, Y1: bottom, least: 1.5, Detail: d})
	left := func(t time.Duration) float64 { // the height of the remaining time
		if h.Expires <= h.From.At {
			return bottom - top
		}
		return (bottom - top) * float64(h.Expires-t) / float64(h.Expires-h.From.At)
	}
	p.Add(layerBars, Shape{Kind: shapeArea, Class: "ttl " + color, Detail: d, corners: []corner{
		{s.from, bottom}, {s.from, bottom - left(s.from)}, {s.to, bottom - left(s.to)}, {s.to, bottom},
	}})
	owner := h.Owner.Client
	if owner == "" {
		owner = "nobody"
	}
	whose := owner + "'s " + p.TermsAt(h.Node).Record
	text := whose + ": " + story.RecordEntry(h.Began)
	if h.Expires > h.From.At {
		text += ", expires in " + traces.Briefly(h.Expires-h.From.At)
	}
	p.Write(Label{Class: "lab strong", T0: s.from, T1: s.to, Y: (top+bottom)/2 + 4, Place: placeInside, Rank: rankBar, Long: text, Short: whose, own: []int{d}})
}

// keyLines describes a key.
func (p nodePainter) keyLines(h *story.Presence) []string {
	lines := []string{"Written by " + originText(h.Owner) + "."}
	switch {
	case h.Session != "":
		lines = append(lines, fmt.Sprintf("Ends with the %s %s.", p.TermsAt(h.Node).Session, h.Session))
	case h.Expires > 0:
		lines = append(lines, fmt.Sprintf("Expires at %s, %s after it was written.", traces.Moment(h.Expires), traces.Briefly(h.Expires-h.From.At)))
	default:
		lines = append(lines, "Never expires.")
	}
	if h.Ended == nil {
		return append(lines, "It is there when the run ends.")
	}
	end := fmt.Sprintf("Ended (%s) at event %d", h.End, h.Ended.Seq)
	if h.Ended.By != (model.Origin{}) {
		end += " by " + originText(h.Ended.By)
	}
	return append(lines, end+".")
}

// originText names the author of something.
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

// drawEnd marks how a stretch of the lock's key, whose detail is has, ended, unless by its own release.
func (p nodePainter) drawEnd(l *Lane, h *story.Presence, row *keyRow, has int) {
	y := l.Top + row.top + row.height/2 + 1
	text, short, class, place, claim := "", "", "no", placeAfter, rankAction
	switch {
	case h.Ended == nil || h.Ended.Authority == "" && h.End != model.RecordDropped:
		return
	case h.End == model.RecordExpired && h.Session != "":
		text, class, place, claim = "ends with the "+p.TermsAt(h.Node).Session, "end", PlaceBefore, rankState
	case h.End == model.RecordExpired:
		text, class, place, claim = "expires", "end", PlaceBefore, rankState
	case h.End == model.RecordDropped:
		text = "dropped"
	case h.End == model.RecordDeleted && story.AcquisitionOf(p.Trace, h.Ended.By.Op) != story.AcquisitionOf(p.Trace, h.Owner.Op):
		text, short = "removed by "+h.Ended.By.Client, "removed"
	default:
		return
	}
	d := p.describe(h.To.At, story.When(h.To), fmt.Sprintf("%s's %s: %s", h.Owner.Client, p.TermsAt(h.Node).Record, text), p.keyLines(h)...)
	p.of(d, cmp.Or(h.Ended.By.Op, h.Owner.Op))
	path := glyphCross
	if class == "end" {
		path = glyphTick
	} else if h.End == model.RecordDeleted && h.Expires > h.To.At {
		p.Add(layerBars, Shape{Kind: ShapeRect, Class: "ghost " + p.ColorOf(h.Owner.Client), T0: h.To.At, T1: h.Expires,
			Y0: y - row.height/2 + 1, Y1: y + row.height/2 - 1, Detail: d})
	}
	p.Add(LayerMarks, Shape{Kind: shapeGlyph, Class: class, T0: h.To.At, Y0: y, path: path, Detail: d})
	p.Write(Label{Class: "lab strong", T0: h.To.At, T1: h.To.At, Y: y + 4, above: l.above(), Place: place, Rank: claim, Long: text, Short: short, own: []int{has, d}})
}

// drawExtra draws a key other than the lock's.
func (p nodePainter) drawExtra(l *Lane, h *story.Presence, row *keyRow) {
	y := l.Top + row.top + 2
	d := p.describe(h.From.At, story.During(h.From.At, h.To.At), h.Node+" has "+story.Keyed(h.Key, h.Value), p.keyLines(h)...)
	p.of(d, h.Owner.Op)
	color := p.ColorOf(h.Owner.Client)
	p.Add(layerBars, Shape{Kind: ShapeRect, Class: "key " + color, T0: h.From.At, T1: h.To.At, Y0: y, Y1: y + extraHeight - 2, least: 1, Detail: d})
	p.Write(Label{Class: "lab", T0: h.From.At, T1: h.To.At, Y: y + 10.5, Place: placeInside, Rank: rankBar,
		Long: story.RecordEntry(h.Began), Short: wording.Key(h.Key), own: []int{d}})
}
