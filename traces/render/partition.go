package render

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/traces"
)

// list is names in a sentence: "nobody", "c1", "c1 and c2", "c1, c2 and c3".
func list(names []string) string {
	if len(names) == 0 {
		return "nobody"
	}
	return wording.And(names)
}

// List joins names: "n1, c1 and c2".
func List(names []string) string { return list(printables(names)) }

// parting is a partition of the network.
type parting struct {
	from, to model.Stamp
	*model.Observation
}

// partings are the partitions, in the order of their beginnings. One that never
// ends ends with the run.
func partings(t *traces.Trace) []parting {
	var all []parting
	for i := range t.History.Observations {
		o := &t.History.Observations[i]
		switch o.Kind {
		case model.Parted:
			all = append(all, parting{o.Stamp, model.Stamp{Seq: t.LastSeq() + 1, At: t.EndAt()}, o})
		case model.United:
			for j := range all {
				if all[j].Value == o.Value && all[j].to.Seq > o.Seq {
					all[j].to = o.Stamp
				}
			}
		}
	}
	return all
}

// sides are the actors on either side, the node's own first.
func (p *parting) sides() (a, b []string) {
	return p.Sides.A, p.Sides.B
}

// text says what the partition keeps from whom, and for how long; whose
// sentence it continues is the first of its side.
func (p *parting) text() string {
	a, b := p.sides()
	phrase, also := "is cut off from %s", [...]string{"and so is ", "and so are "}
	switch p.Sides.Held {
	case model.FromAToB:
		phrase, also = "is not heard by %s any more", [...]string{"nor is ", "nor are "}
	case model.FromBToA:
		phrase, also = "does not hear %s any more", [...]string{"nor does ", "nor do "}
	}
	text := fmt.Sprintf(phrase, List(b)) + " for " + traces.Briefly(lasting(p.Observation, p.to.At))
	if others := a[1:]; len(others) > 0 {
		text += ", " + also[min(len(others), 2)-1] + List(others)
	}
	return text
}

// partingSteps tells of partitions that there were in the story's time, and of
// how they began if that was before.
func (s *story) partingSteps() []candidate {
	var all []candidate
	for _, p := range partings(s.t) {
		if p.to.Seq < s.from || p.from.Seq > s.to {
			continue
		}
		all = append(all, step(p.from, p.Node, p.text(), telling))
		if p.to.Seq <= s.to {
			all = append(all, step(p.to, p.Node, "and those on the other side hear each other again", telling-1))
		}
		for i := range s.t.History.Observations {
			o := &s.t.History.Observations[i]
			if o.Kind == model.Promoted && p.from.Seq < o.Seq && o.Seq < min(p.to.Seq, s.from) {
				all = append(all, s.worldSteps(o)...)
			}
		}
	}
	return all
}

// drawPartings draws a bar under each lane of a partition's first side while it
// lasts, and says on the node's what it is cut off from.
func (p *picture) drawPartings() {
	for _, s := range partings(p.t) {
		a, _ := s.sides()
		for i, name := range a {
			l := p.lane(name)
			if l == nil {
				continue
			}
			y := l.bottom() - 4
			d := p.tell(s.from.At, during(s.from.At, s.to.At), s.Node+" "+s.text(), "What is sent across waits, and arrives when it is over.")
			p.add(layerMarks, shape{kind: shapeRect, class: "parted", t0: s.from.At, t1: s.to.At, y0: y, y1: y + 4, least: 1.5, detail: d})
			if i == 0 {
				p.write(label{class: "lab strong", t0: s.from.At, t1: s.to.At, y: y - 3, place: placeMiddle, rank: rankFault,
					long: s.Node + " " + s.text(), short: "cut off"})
			}
		}
	}
}
