package render

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
)

// waitSteps tells which waits of the story's clients are refused, and who would wait for whom.
func (s *story) waitSteps() []candidate {
	var steps []candidate
	for i := range s.waits {
		if len(steps) == MaxSteps {
			break
		}
		w := &s.waits[i]
		if w.end != model.WaitRefused || w.to.Seq < s.from || w.to.Seq > s.to || !slices.Contains(s.clients, w.owner.Client) {
			continue
		}
		text := fmt.Sprintf("lets %s not wait for %s", wording.Printable(w.owner.Client), shortKey(w.awaits))
		if with := s.circle(w); len(with) > 0 {
			text = fmt.Sprintf("refuses %s's request: %s would wait for each other for ever", wording.Printable(w.owner.Client), inCircle(with))
		}
		steps = append(steps, step(w.to, w.node, text, telling))
	}
	return steps
}

// inCircle names the clients of a circle.
func inCircle(list []*stretch) string {
	var names []string
	for _, w := range list {
		names = append(names, wording.Printable(w.owner.Client))
	}
	slices.Sort(names)
	return wording.And(slices.Compact(names))
}
