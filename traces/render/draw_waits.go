package render

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// drawTransactions draws the transactions of a session into its row.
func (p *picture) drawTransactions(x *session, top, bottom float64) {
	for _, i := range p.transactionsOf[x.name] {
		t := &p.transactions[i]
		if !p.extract.shows(t.from.Seq, t.to.Seq) {
			continue
		}
		title := x.client + "'s transaction"
		how := "It is open when the run ends."
		switch t.end {
		case model.TransactionCommitted:
			how = "It is committed."
		case model.TransactionRolledBack:
			how = "It is rolled back."
		}
		d := p.tell(t.from.At, during(t.from.At, t.to.At), title, how)
		p.add(layerBars, shape{kind: shapeRect, class: "ttl " + p.colorOf(x.client), t0: t.from.At, t1: t.to.At, y0: top, y1: bottom, least: 1, detail: d})
		if t.end != model.TransactionRolledBack {
			continue
		}
		p.add(layerMarks, shape{kind: shapeGlyph, class: "no", t0: t.to.At, y0: (top + bottom) / 2, path: glyphCross, detail: d})
		p.write(label{class: "lab", t0: t.to.At, t1: t.to.At, y: bottom - 5, place: placeAfter, rank: rankAction, long: "transaction rolled back", short: "rolled back"})
	}
}

// maxQueue is how many waiting sessions a row has room for.
const maxQueue = 4

// queueOn is the most sessions that wait at a node for any of the keys at the same time, as
// far as there is room.
func (p *picture) queueOn(node string, keys []string) (n int) {
	for i := range p.waits {
		if w := &p.waits[i]; w.node == node && w.place < maxQueue && slices.Contains(keys, w.awaits) {
			n = max(n, w.place+1)
		}
	}
	return n
}

// stripe is where a wait is drawn in a lane; not at all if its record has no row there, or no
// room for it.
func (l *lane) stripe(w *stretch) (top, bottom float64, ok bool) {
	row := l.rowOf(w.awaits)
	if row == nil || w.node != l.actor.Name || w.place >= row.queue {
		return 0, 0, false
	}
	top = l.top + row.top + row.height + 1 + float64(w.place)*stripeHeight
	return top, top + stripeHeight - 1, true
}

// drawQueues draws who waits for the records of a node, below each, and the circles of those
// that wait for each other.
func (p *picture) drawQueues(l *lane) {
	for i := range p.waits {
		w := &p.waits[i]
		top, bottom, ok := l.stripe(w)
		if !ok || !p.extract.shows(w.from.Seq, w.to.Seq) {
			continue
		}
		d := p.tell(w.from.At, during(w.from.At, w.to.At), p.waitText(w), waitEnds[w.end])
		p.of(d, w.owner.Op)
		p.add(layerBars, shape{kind: shapeRect, class: "wait " + p.colorOf(w.owner.Client), t0: w.from.At, t1: w.to.At, y0: top, y1: bottom, least: 1, detail: d})
		if w.end == model.WaitRefused {
			p.drawCircle(l, w)
		}
	}
}

// waitText says what a session waits for.
func (p *picture) waitText(w *stretch) string {
	text := fmt.Sprintf("%s waits for %s", w.owner.Client, shortKey(w.awaits))
	if h := presentAt(p.presences, w.node, w.awaits, w.from.Seq); h != nil && h.owner.Client != "" {
		text += ", which " + wording.Printable(h.owner.Client) + " has"
	}
	return text
}

// waitEnds say how a wait ended.
var waitEnds = map[model.ObservationKind]string{
	"":                "It still waits when the run ends.",
	model.WaitGranted: "Then it has it.",
	model.WaitEnded:   "Then it gives up, or has waited for too long.",
	model.WaitRefused: "It is refused: those who wait would wait for each other for ever.",
}

// drawCircle draws the edges of a circle of waits at the moment at which it is found: from
// each record to what the session waits for that has it.
func (p *picture) drawCircle(l *lane, refused *stretch) {
	list := p.circle(refused)
	for i, w := range list {
		row := l.rowOf(w.awaits)
		top, bottom, ok := l.stripe(list[(i+1)%len(list)])
		if row == nil || !ok {
			continue
		}
		from := l.top + row.top + row.height/2
		next := list[(i+1)%len(list)]
		d := p.tell(refused.to.At, when(refused.to), fmt.Sprintf("%s has %s, and waits for %s", next.owner.Client, shortKey(w.awaits), shortKey(next.awaits)))
		path := arrow(float64(10*i-5*(len(list)-1)), (top+bottom)/2-from)
		p.add(layerMarks, shape{kind: shapeGlyph, class: "no", t0: refused.to.At, y0: from, path: path, detail: d})
	}
	if len(list) > 0 {
		top, _, _ := l.stripe(refused)
		p.write(label{class: "lab strong", t0: refused.to.At, t1: refused.to.At, y: top + 4, place: placeAfter, rank: rankFault, long: "deadlock"})
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
