package scenarios

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/model"
)

// poolExhausted gives each client fewer connections than its threads want. A thread that
// wants one waits until another gives its own back. A lock that keeps a connection and
// asks for another, to acquire or to release, may wait for itself for ever: what it keeps
// is what it waits for. Nothing else fails.
var poolExhausted = &Scenario{
	ID:      "pool-exhausted",
	Summary: "the threads of a client want more connections to {store} than their pool has",
	Params:  Params{Clients: 2, Rounds: 2, Threads: 2, Connections: 1, TTL: 2 * time.Second},
	Lacks:   unless(pools, "clients of {store} have as many connections as they want"),
	Happenings: []Happening{
		{Name: "two threads of a client were busy with the lock at once", In: busyAtOnce},
	},
	Remedies: []Remedy{expiringLock},
}

// busyAtOnce: operations of two threads of a client overlap.
func busyAtOnce(h *model.History) bool {
	return slices.ContainsFunc(h.Operations, func(a model.Operation) bool {
		return slices.ContainsFunc(h.Operations, func(b model.Operation) bool {
			return a.Client == b.Client && a.Thread != b.Thread && a.Call.Seq < b.Call.Seq && (!a.Return.Happened() || b.Call.Seq < a.Return.Seq)
		})
	})
}
