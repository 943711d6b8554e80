package scenarios

import (
	"time"

	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// deadlock ends transactions that wait for a lock or ask for one, with all that they had
// locked and changed: other programs use the same records and lock them in another
// order, and a client cannot foresee which of those that wait for each other is ended. It
// has to begin its transaction anew. A client that repeats the statement alone goes on
// without the locks of the statements before.
var deadlock = &Scenario{
	ID:      "deadlock",
	Summary: "{store} ends a transaction that waits for a lock, or asks for one, because of a deadlock with others",
	Params:  Params{Clients: 3, Rounds: 2, TTL: 2 * time.Second, Faults: stage.Times(2, faults.Deadlocks)},
	Happenings: []Happening{
		{Name: "a transaction that was to take the lock ended in a deadlock", In: deadlockTaking},
	},
}

// deadlockTaking: an operation that takes the object was in a deadlock.
func deadlockTaking(h *model.History) bool {
	for i := range h.Observations {
		o := &h.Observations[i]
		if op := h.Operation(o.Owner.Op); o.Kind == model.TransactionDeadlocked && op != nil && takes(h, op) {
			return true
		}
	}
	return false
}
