package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// sessionExpiry cuts a client off from the store for longer than its session, while it holds
// the lock, while it waits, or in the middle of a request that creates its record. The store
// ends the session and removes the record; the client learns of that when it is back. What
// it had asked for before may be carried out in its next session, or not at all.
var sessionExpiry = &Scenario{
	ID:      "session-expiry",
	Summary: "a client is cut off from {store} for longer than its session: while it holds the lock, waits, or asks for it",
	Params:  Params{Clients: 3, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Once(faults.CutOffs)},
	Lacks:   unless(hasSessions, "no {record} in {store} lives with a session"),
	Happenings: []Happening{
		{Name: "a client was cut off for longer than its lease while it held the lock", In: cutOffHolding},
		{Name: "a client was cut off for longer than its lease while it waited for the lock", In: cutOffWaiting},
	},
	Remedies: []Remedy{fencedLock, longerLeases},
}

// cutOffHolding: the holder was cut off for longer than a lease.
func cutOffHolding(h *model.History) bool {
	return observed(h, func(o *model.Observation, s span) bool {
		return cutsOff(h, o, s.acquisition.Client) && s.contains(o.Seq)
	})
}

// cutOffWaiting: a client was cut off for longer than a lease during an Acquire.
func cutOffWaiting(h *model.History) bool {
	for i := range h.Observations {
		for j := range h.Operations {
			o, op := &h.Observations[i], &h.Operations[j]
			if waits(op) && cutsOff(h, o, op.Client) && op.Call.Seq < o.Seq && (!op.Return.Happened() || op.Return.Seq > o.Seq) {
				return true
			}
		}
	}
	return false
}

// cutsOff reports whether a partition leaves a client alone for longer than a lease.
func cutsOff(h *model.History, o *model.Observation, client string) bool {
	return o.Kind == model.Parted && o.For > h.TTL && o.Sides != nil && len(o.Sides.A) == 1 && o.Sides.A[0] == client
}
