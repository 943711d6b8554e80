package pieces

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Merge joins results to the state of a search. Of a long search it holds only the joined tallies, however many results
// there are.
type Merge struct {
	plan    Plan
	state   explore.State
	classes Classes
	next    int // the block that comes next
	first   int // the first block of the current joined results, -1 for none
	stopped bool
	sampled bool
}

// NewMerge merges results of a plan.
func NewMerge(p Plan) *Merge {
	return &Merge{plan: p, first: -1, state: explore.State{Blocks: map[int]explore.Tally{}}}
}

// Add adds a result, whose blocks must follow those before. Results may be left out. It returns false if the search ends
// with this result: later ones do not belong to it.
func (m *Merge) Add(r *Result) (more bool, err error) {
	switch {
	case m.stopped:
		return false, nil
	case r.First < m.next || !m.plan.Has(r.Range()):
		return false, fmt.Errorf("blocks %d to %d do not follow block %d", r.First, r.End-1, m.next)
	case (r.Whole != nil) != m.plan.Joined && r.Stop > r.First:
		return false, fmt.Errorf("blocks %d to %d are not joined as those of the others", r.First, r.End-1)
	}
	if r.First > m.next {
		m.first = -1
	}
	m.next = r.End
	for n, t := range r.Blocks { // unordered: into a map
		m.state.Blocks[n] = t
	}
	if r.Whole != nil {
		if err := m.join(r); err != nil {
			return false, err
		}
	}
	m.sampled = m.sampled || r.Sampled
	m.stopped = r.Stop < r.End || m.first >= 0 && m.run().TooMuch()
	return !m.stopped, nil
}

// run returns the current joined tally.
func (m *Merge) run() *explore.Tally {
	t := m.state.Blocks[m.first]
	return &t
}

// join joins a result to those before.
func (m *Merge) join(r *Result) error {
	if r.Sketch != nil {
		if err := m.classes.AddSketch(r.Sketch); err != nil {
			return err
		}
	} else {
		m.classes.Add(r.Whole.Classes, counted)
	}
	whole := *r.Whole
	whole.Classes = nil
	if m.state.Spans == nil {
		m.state.Spans = map[int]int{}
	}
	if m.first < 0 {
		m.first = r.First
		m.state.Blocks[m.first] = explore.Tally{}
	}
	t := m.run()
	t.Join(&whole)
	m.state.Blocks[m.first] = *t
	m.state.Spans[m.first] += r.Stop - r.First
	return nil
}

// Sampled reports whether the search ended by its sample.
func (m *Merge) Sampled() bool { return m.sampled }

// State returns the joined state. It is complete if all results were added, or the search ended earlier.
func (m *Merge) State() *explore.State {
	if m.plan.Joined {
		for n, t := range m.state.Blocks { // unordered: each by itself
			m.classes.Into(&t)
			if n != m.least() { // the first has the total
				t.Classes, t.Estimated = explore.Classes{}, nil
			}
			m.state.Blocks[n] = t
		}
		for n, span := range m.state.Spans { // unordered: each by itself
			if span < 2 {
				delete(m.state.Spans, n)
			}
		}
	}
	return &m.state
}

// least returns the first block.
func (m *Merge) least() int {
	first := m.plan.Blocks
	for n := range m.state.Blocks { // unordered: the least
		first = min(first, n)
	}
	return first
}
