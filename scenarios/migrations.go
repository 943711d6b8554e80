package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// This file has the scenario of records that move from one server to another.

// migrating moves the lock's part of the store from one server to another, step by step, while clients ask for the lock,
// hold it and give it back. The server that it comes from sends clients on for records that it does not have: those that
// have been moved, and those that are new. A client that has been sent on and is late reaches a server that grants it
// the lock, which the other one has granted meanwhile, because the operator has given the migration up.
var migrating = &cell.Scenario{
	ID:      "migration",
	Summary: "the {record}s of the lock move from one server to another, step by step, while clients use them",
	Params: cell.Params{
		Clients: 3, Rounds: 2, Sizes: stage.AllSizes, Followers: 1, TTL: 2 * time.Second,
		Faults: stage.Times(2, faults.Migrations).With(faults.LateRequests, 1),
	},
	Lacks: unless(moves, "the {record}s of {store} do not move from one server to another"),
	Happenings: []cell.Happening{
		{Name: "a client was sent to the other server for the lock's {record}", In: sentOn},
	},
	Remedies: []cell.Remedy{fencedLock},
}

// sentOn: a client asked a server for a record that was at another, or was to be created there.
func sentOn(h *model.History) bool {
	for i := range h.Observations {
		if h.Observations[i].Event() == stage.SentOn {
			return true
		}
	}
	return false
}

func moves(t stage.Traits) bool { return t.Moves }
