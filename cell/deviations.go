package cell

import (
	"fmt"
	"slices"

	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// Deviations describes each kind of deviation from the calm run that an exhaustive search
// of the cell makes, and how many the budget allows.
func (c Cell) Deviations() []string {
	p, store := c.Params, c.Lock.Store
	terms := store.Terms()
	list := []string{
		fmt.Sprintf("which of the events that are due in the same %v goes first", sim.DefaultWindow),
		fmt.Sprintf("a segment that takes %v and not %v", stage.BaseLatency+stage.Jitter, stage.BaseLatency),
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
	if a.Times > 1 {
		what, times = a.Fault.Many, fmt.Sprintf("%d times at most", a.Times)
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
func (c Cell) DeviationText(r *explore.Recording, choice sim.Choice) (text string, seq int64) {
	if text := c.sizeText(choice); text != "" {
		return text, 0
	}
	t := &stage.Telling{Choice: choice, Store: c.Lock.Store.ID(), Servers: c.Lock.Store, Terms: c.Lock.Store.Terms()}
	if r == nil {
		return faults.Tell(nil, t)
	}
	t.Events, t.History = r.Events, &r.History
	for _, made := range r.Choices {
		if made.Kind != choice.Kind || made.Actor != choice.Actor || made.Occurrence != choice.Occurrence { // by ID, it takes minutes for thousands of choices
			continue
		}
		if made.Option != choice.Option {
			break
		}
		if t.Choice = made; made.Shows > 0 {
			t.Event = &r.Events[made.Shows-1]
			part := c.partOf(t.Event)
			t.Store, t.Terms = part.ID(), part.Terms()
		}
		return faults.Tell(c.settings().Faults(), t)
	}
	return faults.Tell(nil, t)
}

// partOf is the store that an event happens at, where there are several.
func (c Cell) partOf(e *sim.Event) stage.Store {
	if part := stage.PartOf(c.Lock.Store, c.Params, e.Actor); part != c.Lock.Store {
		return part
	}
	return stage.PartOf(c.Lock.Store, c.Params, e.Peer)
}
