package monitor

import (
	"fmt"

	"github.com/lockpick-dev/lockpick/model"
)

// barrier judges a cyclic barrier for a number of parties.
//
// A generation is complete once that many Awaits have arrived in it. An Await that returned must be in a complete one. The
// monitor completes a generation as late as possible: when an Await returns that is in none. All of its parties may then
// arrive together at that event, which separates generations from each other. Its other places may stay open: Awaits that
// were under way fill them as they return (see slots), without a further generation. Completing a generation earlier would
// leave fewer Awaits to fill it, and leaving a place to a later Await would need one more generation; so if this finds no
// order there is none.
//
// An Await that returned a generation (Value) must be in that one, which fixes how many are complete when it returns. If
// some Awaits of a history return their generation and others do not, the others are judged as if theirs could be any, and
// if that finds no order it is a doubt.
//
// A failed Await is not counted, and one of unknown outcome may fill a place at any time after its call.
type barrier struct {
	verdict
	parties int
	// generations are those with free places; complete is the number of complete ones.
	generations []generation
	complete    int64
	calls       slots // the calls that may fill places, and the free places
	valued      int   // 1 if some Await named its generation, 2 if some did not
}

// generation is a complete generation that has free places.
type generation struct {
	number int64
	at     int64 // the event at which it was completed
	free   int
}

func newBarrier(parties int) *barrier { return &barrier{parties: parties} }

func (m *barrier) Call(c *model.Call) {
	if !m.over() && c.Op == model.Await {
		m.calls.called(c.Call)
	}
}

func (m *barrier) End() {}

func (m *barrier) Return(c *model.Call) {
	if m.over() || c.Op != model.Await || c.Outcome == model.Unknown {
		return
	}
	m.calls.left(c.Call)
	switch {
	case c.Outcome == model.Failed:
		if !m.calls.enough() {
			m.wrong(c, fmt.Sprintf("%s gave up, and without it nobody can have been there for those who were let go before.", holder(c)))
		}
		return
	case c.Valued:
		m.valued |= 1
		m.named(c)
	default:
		m.valued |= 2
		if !m.join(c, func(generation) bool { return true }) {
			m.completes(c)
		}
	}
	if !m.over() && !m.calls.enough() {
		m.wrong(c, fmt.Sprintf("%s was let go at event %d, in generation %d, though fewer than %d were there by then.",
			holder(c), c.Return, m.complete-1, m.parties))
	}
}

// wrong records a violation, or a doubt if the history does not say enough.
func (m *barrier) wrong(c *model.Call, sentence string) {
	if m.valued == 3 {
		m.doubts("Some Awaits say their generation and others do not; in which those are is not judged. Their generations would settle it.")
		return
	}
	m.violate(Passed, c.Return, sentence, c)
}

// join takes a free place in a generation that was completed while the Await
// was under way, and reports whether there was one.
func (m *barrier) join(c *model.Call, fits func(generation) bool) bool {
	for i := range m.generations {
		g := &m.generations[i]
		if g.at < c.Call || !fits(*g) {
			continue
		}
		m.calls.fill(g.at)
		if g.free--; g.free == 0 {
			m.generations = append(m.generations[:i], m.generations[i+1:]...)
		}
		return true
	}
	return false
}

// completes handles the completion of a generation by the return of an Await in it.
func (m *barrier) completes(c *model.Call) {
	m.calls.open(m.parties-1, c.Return)
	if m.parties > 1 {
		m.generations = append(m.generations, generation{m.complete, c.Return, m.parties - 1})
	}
	m.complete++
}

// named handles the return of an Await that returned its generation.
func (m *barrier) named(c *model.Call) {
	if c.Value < 0 {
		m.wrong(c, fmt.Sprintf("%s was let go in generation %d.", holder(c), c.Value))
		return
	}
	if c.Value >= m.complete {
		if c.Value-m.complete > int64(len(m.calls.calls)) {
			m.wrong(c, m.notThere(c))
			return
		}
		for m.complete < c.Value { // no Await of it has returned yet
			m.calls.open(m.parties, c.Return)
			m.generations = append(m.generations, generation{m.complete, c.Return, m.parties})
			m.complete++
		}
		m.completes(c)
		return
	}
	if !m.join(c, func(g generation) bool { return g.number == c.Value }) {
		m.wrong(c, m.notThere(c))
	}
}

func (m *barrier) notThere(c *model.Call) string {
	return fmt.Sprintf("%s was let go in generation %d (%s), which it cannot have been in: %d were complete by then, and others were there.",
		holder(c), c.Value, interval(c), m.complete)
}
