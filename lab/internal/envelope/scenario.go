package envelope

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
	"github.com/lockpick-dev/lockpick/sim/explore"
)

// prefix begins the ids of the scenarios that are searched. Such a scenario is one of Lockpick with other happenings: its own are
// about faults that outlive a lease, which nothing does on one side of a border. Runs are the same.
const prefix = "envelope:"

// The happenings, by their places.
const (
	struckHolding = iota // needed if anything but a wrong clock may strike
	clockHolding         // needed if clocks may be wrong
)

var happenings = []cell.Happening{
	struckHolding: {Name: "a fault struck a holder, a server or the network while a client held the lock", In: struckWhileHeld},
	clockHolding:  {Name: "a client held the lock while the clock that it reads was off", In: heldByWrongClock},
}

// derived returns a scenario with the happenings of maps.
func derived(s *cell.Scenario) *cell.Scenario {
	d := *s
	d.ID, d.Happenings = prefix+s.ID, happenings
	return &d
}

// registry has the derived scenarios.
func registry(locks []cell.Lock) (r cell.Registry) {
	for _, s := range scenarios.All() {
		r.Scenarios = append(r.Scenarios, derived(s))
	}
	r.Locks = locks
	return r
}

// Runner returns the runner of a cell of a map, nil for another job of a worker process.
func Runner(raw json.RawMessage, locks []cell.Lock) (explore.Runner, error) {
	var of struct {
		Scenario string `json:"scenario"`
	}
	if json.Unmarshal(raw, &of) != nil || !strings.HasPrefix(of.Scenario, prefix) {
		return nil, nil // another command, or the program, takes the job
	}
	return registry(locks).Resolve(raw)
}

// needed returns the happenings without which a point is vacuous, by their places.
func needed(c cell.Cell) (list []int) {
	if slices.ContainsFunc(c.Params.Faults, func(a stage.Allowed) bool { return a.Fault != faults.Skews }) {
		list = append(list, struckHolding)
	}
	if c.Params.Faults.Of(faults.Skews) > 0 {
		list = append(list, clockHolding)
	}
	return list
}

// struck are the kinds of observations of faults.
var struck = []model.ObservationKind{model.Paused, model.Crashed, model.Promoted, model.Delayed, model.Parted, model.ReplyLost, model.ClockJumped}

// struckWhileHeld: a pause of the holder, or a fault of a server or the network.
func struckWhileHeld(h *model.History) bool {
	return whileHeld(h, func(o *model.Observation, grant *model.Operation, within bool) bool {
		other := o.Node != grant.Client && slices.ContainsFunc(h.Operations, func(op model.Operation) bool { return op.Client == o.Node })
		return within && !other && !o.Unread && slices.Contains(struck, o.Kind)
	})
}

func heldByWrongClock(h *model.History) bool {
	return whileHeld(h, func(o *model.Observation, grant *model.Operation, _ bool) bool {
		return o.Kind == model.ClockOff && !o.Unread && o.Node == grant.Client
	})
}

// whileHeld reports whether any observation and any hold fit. Within is set if the observation lies between the return of the
// Acquire and the call of its Release.
func whileHeld(h *model.History, fits func(o *model.Observation, grant *model.Operation, within bool) bool) bool {
	for i := range h.Operations {
		grant := &h.Operations[i]
		if grant.Kind != model.Acquire || grant.Result != model.OK {
			continue
		}
		end := h.End.Seq + 1
		for j := range h.Operations {
			if op := &h.Operations[j]; op.Kind == model.Release && op.Acquisition == grant.ID {
				end = min(end, op.Call.Seq)
			}
		}
		for j := range h.Observations {
			o := &h.Observations[j]
			if fits(o, grant, grant.Return.Seq < o.Seq && o.Seq < end) {
				return true
			}
		}
	}
	return false
}

// Scenarios returns the ids of the scenarios that can be mapped.
func Scenarios() (ids []string) {
	for _, s := range scenarios.All() {
		ids = append(ids, s.ID)
	}
	return ids
}
