package cell

import (
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Scenario is a named situation for a lock: a topology and a workload (by its parameters), a
// fault budget, and the happenings without which a search means nothing. It does not fix the
// interleaving; the search does.
//
// ID, Summary, Clients, Rounds and TTL of Params must be given. The ID has lower-case letters,
// digits and hyphens. The budget may have faults that no other scenario has.
type Scenario struct {
	// ID is the scenario's name. It never changes.
	ID string
	// Summary describes the scenario in one line. It and the names of the happenings may
	// use the store's terms: see [stage.Terms].
	Summary string
	// Params are the defaults.
	Params Params
	// Lacks says why the scenario does not apply to a store with the given parameters, although its faults
	// could strike it; it returns "" if it applies. Lacks is nil if no trait is needed. The text may use the
	// store's terms.
	Lacks func(stage.Store, Params) string
	// Happenings must each occur at least once in a search; otherwise the search is
	// vacuous.
	Happenings []Happening
	// Remedies are changes that might prevent its counterexamples; each is tried on them.
	Remedies []Remedy
	// Combines is set if each of its faults occurs in another scenario too: what is expected of a lock in those may be
	// found in this one.
	Combines bool
}

// Happening is something that may occur in a run of any lock.
type Happening struct {
	// Name says what happened, such as "a client crashed while it held the lock".
	Name string
	// In reports whether it happened in a run. It must not change the history.
	In func(h *model.History) bool
	// Reads replaces In for a happening that needs more than the history.
	Reads func(h *model.History, run RunContext) bool
	// Where reports whether it can occur with a store; nil stands for all stores.
	Where func(stage.Traits) bool
	// Somewhere is set if it need not happen in a search of each scenario that has it: one is
	// enough.
	Somewhere bool
}

// RunContext has what a Happening may read of a run besides its history.
type RunContext struct {
	// View is the lock's view of its records, nil if it has none.
	View model.Ownership
	// Servers are the names of the nodes of each independent server.
	Servers [][]string
	// Abandoned is set if a request changed a record when its client had hung up.
	Abandoned bool
}

// Remedy is a change that might prevent a counterexample: another lock, a longer lease,
// or other settings of the servers.
type Remedy struct {
	// Cure selects another lock by its capability; empty for the same lock.
	Cure Cure
	// Lease is the factor by which the lease grows, 0 for no change.
	Lease int
	// Guarded selects the servers' safer settings, if the store has such: see [stage.Guarding].
	Guarded bool
	// Text describes the remedy. It is empty for another lock, or other servers, which bring their own.
	Text string
}

// Cure is a capability of a lock that might prevent a counterexample ([Lock].Cures).
type Cure string

// The cures that scenarios name.
const (
	Fences  Cure = "fences"  // its leases have tokens, and the resource refuses old ones
	Waits   Cure = "waits"   // followers have the record before Acquire returns
	Atomic  Cure = "atomic"  // its release compares and deletes in one step
	Expires Cure = "expires" // the store ends its leases
	Polls   Cure = "polls"   // its waiters poll
)

// Params are the parameters of a scenario: its size and its fault budget.
type Params = stage.Params

// OwnSetting is the value of a setting that is specific to a store.
type OwnSetting = stage.OwnSetting
