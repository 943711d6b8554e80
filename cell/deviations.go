package cell

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

// Deviations describes each kind of deviation from the calm run that an exhaustive search
// of the cell makes, and how many the budget allows.
func (c Cell) Deviations() []string {
	p, store := c.Params, c.Lock.Store
	terms := store.Terms()
	list := []string{
		fmt.Sprintf("which of the events that are due in the same %v goes first", sim.DefaultWindow),
		fmt.Sprintf("a segment that takes %v and not %v", stage.BaseLatency+p.Jitter(), stage.BaseLatency),
	}
	if slices.ContainsFunc(p.Faults, func(a stage.Allowed) bool { return a.Fault.Resets }) {
		list = append(list, "whether a client can still read what had arrived, and was not read, when a connection is reset")
	}
	for _, a := range p.Faults {
		list = append(list, deviation(p, a, store))
		if a.Fault.More != "" {
			list = append(list, terms.Fill(a.Fault.More))
		}
	}
	return list
}

// deviation describes the faults of one kind.
func deviation(p Params, a stage.Allowed, store stage.Store) string {
	what, times := a.Fault.One, "once at most"
	if n := p.Often(a.Fault); n > 1 {
		what, times = a.Fault.Many, fmt.Sprintf("%d times at most", n)
	}
	var classes []string
	switch {
	case a.Fault.Classes != nil:
		classes = a.Fault.Classes(p, store.Terms())
	case a.Fault.Lasts != nil:
		classes = a.Fault.Lasts(p, store.Timing()).Texts()
	}
	if len(classes) > 0 {
		what += " " + wording.Or(classes)
	}
	return store.Terms().Fill(what) + ", " + times
}

// DeviationText describes what a choice of a recorded run did. Seq is the event that shows
// it, 0 if there is none. Without a recording the text names the decision.
// [Cell.DeviationTexts] is faster for several choices of one run.
func (c Cell) DeviationText(r *explore.Recording, choice sim.Choice) (text string, seq int64) {
	return c.DeviationTexts(r)(choice)
}

// DeviationTexts returns [Cell.DeviationText] for many choices of one run; it reads the run only once. The function is
// not safe for concurrent use.
func (c Cell) DeviationTexts(r *explore.Recording) func(sim.Choice) (text string, seq int64) {
	about := stage.Choice{Store: c.Lock.Store.ID(), Servers: c.Lock.Store, Terms: c.Lock.Store.Terms(), Params: c.Params}
	type decision struct {
		kind       sim.Kind
		actor      string
		occurrence int
	}
	made := map[decision]sim.Choice{}
	if r != nil {
		about.Events, about.History, about.Segments = r.Events, &r.History, payload.NewSegments(r.Events)
		for _, m := range slices.Backward(r.Choices) { // the first choice of a decision counts
			made[decision{m.Kind, m.Actor, m.Occurrence}] = m
		}
	}
	return func(choice sim.Choice) (string, int64) {
		if text := c.sizeText(choice); text != "" {
			return text, 0
		}
		t := about
		t.Choice = choice
		m, known := made[decision{choice.Kind, choice.Actor, choice.Occurrence}]
		if !known || m.Option != choice.Option {
			return faults.Describe(nil, &t)
		}
		if t.Choice = m; m.Shows > 0 {
			t.Event = &r.Events[m.Shows-1]
			part := c.partOf(t.Event)
			t.Store, t.Terms = part.ID(), part.Terms()
		}
		return faults.Describe(c.settings().Faults(), &t)
	}
}

// partOf returns the store that an event happens at, if the cell has several.
func (c Cell) partOf(e *sim.Event) stage.Store {
	if part := stage.PartOf(c.Lock.Store, c.Params, e.Actor); part != c.Lock.Store {
		return part
	}
	return stage.PartOf(c.Lock.Store, c.Params, e.Peer)
}
