package stage

import (
	"strings"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/sim"
)

// Telling is a choice of a recorded run, with what came of it.
type Telling struct {
	sim.Choice
	// Event is the event in which the choice shows, nil if none does. Who tells of it
	// may put another one here in which it shows better.
	Event *sim.Event
	// Events and History are the run's.
	Events  []sim.Event
	History *model.History
	// Store is the id of the store, and Terms are what things are called there.
	Store string
	Terms Terms
}

// Struck reports whether the fault shows in an event of its own, of a kind.
func (t *Telling) Struck(kind sim.FaultKind) bool {
	return t.Event != nil && t.Event.Kind == sim.EventFault && strings.HasPrefix(t.Event.Detail, string(kind))
}

// Observed is what was observed at the event in which the choice shows, the zero
// Observation if nothing was.
func (t *Telling) Observed() model.Observation {
	if t.Event == nil {
		return model.Observation{}
	}
	return t.At(t.Event.Seq)
}

// At is what was observed at an event, by its number.
func (t *Telling) At(seq int64) (none model.Observation) {
	for _, o := range t.History.Observations {
		if o.Seq == seq {
			return o
		}
	}
	return none
}

// Strike is the first event of the strike that the choice made, or is a part of,
// that is as asked for; nil if there is none.
func (t *Telling) Strike(is func(*sim.Event) bool) *sim.Event {
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

// Dialed is who has dialed a connection, by its number; empty if that is not known.
func (t *Telling) Dialed(conn int) string {
	for i := range t.Events {
		if e := &t.Events[i]; e.Conn == conn && e.Kind == sim.EventDial {
			return e.Peer // the other end logs first
		}
	}
	return ""
}

// Cancelled is the kind of the operation whose context ended at the event in which
// the choice shows, "operation" if that is not known.
func (t *Telling) Cancelled() string {
	for i := range t.History.Operations {
		if op := &t.History.Operations[i]; t.Event != nil && op.Cancelled.Seq == t.Event.Seq {
			return string(op.Kind)
		}
	}
	return "operation"
}
