package stage

import (
	"strings"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
	"github.com/lockpick-dev/lockpick/sim/payload"
)

// Choice is a choice of a recorded run, with its effect.
type Choice struct {
	sim.Choice
	// Event is the event that shows the choice, nil if none does. A Describe function may
	// replace it by one that shows it better.
	Event *sim.Event
	// Events and History are the run's.
	Events  []sim.Event
	History *model.History
	// Segments describes the segments of Events. It may be nil: they are then read for this choice alone.
	Segments *payload.Segments
	// Store is the id of the store, Servers the store itself, and Terms are its terms. Params are the run's.
	Store   string
	Servers Store
	Terms   Terms
	Params  Params
}

// Struck reports whether a fault event of the kind shows the choice.
func (t *Choice) Struck(kind sim.FaultKind) bool {
	return t.Event != nil && t.Event.Kind == sim.EventFault && strings.HasPrefix(t.Event.Detail, string(kind))
}

// Observed returns the observation at the event that shows the choice, zero if there is none.
func (t *Choice) Observed() model.Observation {
	if t.Event == nil {
		return model.Observation{}
	}
	return t.At(t.Event.Seq)
}

// At returns the observation at the event with the given number, zero if there is none.
func (t *Choice) At(seq int64) (none model.Observation) {
	for _, o := range t.History.Observations {
		if o.Seq == seq {
			return o
		}
	}
	return none
}

// Strike returns the first event of the choice's decision for which is returns true; nil if there is none.
func (t *Choice) Strike(is func(*sim.Event) bool) *sim.Event {
	if t.Event == nil || t.Event.Decision == "" {
		return nil
	}
	for i := range t.Events {
		if e := &t.Events[i]; e.Decision == t.Event.Decision && is(e) {
			return e
		}
	}
	return nil
}

// Dialed returns the actor that dialed a connection, by its number; empty if unknown.
func (t *Choice) Dialed(conn int) string {
	for i := range t.Events {
		if e := &t.Events[i]; e.Conn == conn && e.Kind == sim.EventDial {
			return e.Peer // the other end logs first
		}
	}
	return ""
}

// Cancelled returns the kind of the operation whose context ended at the event that shows the
// choice, "operation" if unknown.
func (t *Choice) Cancelled() string {
	for i := range t.History.Operations {
		if op := &t.History.Operations[i]; t.Event != nil && op.Cancelled.Seq == t.Event.Seq {
			return string(op.Kind)
		}
	}
	return "operation"
}
