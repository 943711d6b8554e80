package scenarios

import (
	"slices"
	"time"

	"github.com/lockpick-dev/lockpick/cell"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/faults"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// All returns the scenarios in listing order.
func All() []*cell.Scenario {
	return []*cell.Scenario{
		contention, failoverLoss, gcPause, twoStepRelease, holderCrash, clockSkew, serverClockJump,
		lostReply, lateReply, lateRequest, hungNode, partition, nodeRestart, cancelled,
		watchdogLate, lostWakeup, storm, sessionExpiry, staleFollower, election, lostCommit, poolExhausted, deadlock,
		doubleServing, switchover, migrating, serverErrors,
	}
}

// Calm returns the scenario in which nothing fails and nothing is late.
func Calm() *cell.Scenario { return contention }

// Find returns the scenario with the given id.
func Find(id string) (*cell.Scenario, error) { return Registry(nil).Scenario(id) }

// Registry has all scenarios of this package and the added ones, and the given locks. See
// [Validate] for what may be added.
func Registry(locks []cell.Lock, added ...*cell.Scenario) cell.Registry {
	return cell.Registry{Scenarios: append(All(), added...), Locks: locks}
}

// The remedies that scenarios name.
var (
	fencedLock   = cell.Remedy{Cure: cell.Fences}
	waitingLock  = cell.Remedy{Cure: cell.Waits}
	atomicLock   = cell.Remedy{Cure: cell.Atomic}
	expiringLock = cell.Remedy{Cure: cell.Expires}
	pollingLock  = cell.Remedy{Cure: cell.Polls}
	guarded      = cell.Remedy{Guarded: true}
	longerLeases = cell.Remedy{Lease: 4, Text: "a lease four times as long"}
)

// contention is the calm scenario: several clients want the lock at once, and nothing
// fails. Segments have ordinary latencies, in any order. Holds and round trips stay well
// under the TTL for any tape, but for holds of a lock that is kept alive.
var contention = &cell.Scenario{
	ID:      "contention",
	Summary: "several clients want the lock at once; nothing fails and nothing is late",
	Params:  cell.Params{Clients: 3, Rounds: 2, Sizes: stage.AllSizes, Followers: 1, TTL: 2 * time.Second},
	Happenings: []cell.Happening{
		{Name: "a client waited while another held the lock", In: waitedForHolder},
	},
	Remedies: []cell.Remedy{fencedLock},
}

// Storm is the id of the scenario that combines faults of all kinds.
const Storm = "storm"

// storm combines kinds of faults. A client pauses while another is killed; an answer is
// lost and then its node fails over; a request is late and then its node restarts. The
// other scenarios have few kinds of faults each, so that their findings are easy to
// understand, but they cannot show a bug that needs two kinds: simrun list says which pairs
// storm alone has. An example is a lock that takes over from a dead holder, with state from
// before its own pause.
//
// There is at most one fault of each kind. Few schedules have them all: the search varies
// which kinds a schedule has, because too many faults hide each other's bugs.
var storm = &cell.Scenario{
	ID:      Storm,
	Summary: "each kind of fault may strike once; two or three together do harm that none does alone",
	Params: cell.Params{
		Clients: 3, Rounds: 2, Sizes: stage.AllSizes, Followers: 1, TTL: 2 * time.Second,
		Faults: stage.Once(
			faults.Pauses, faults.Crashes, faults.Skews, faults.ClockJumps, faults.Cancels,
			faults.Delays, faults.LateReplies, faults.LateRequests, faults.LostReplies, faults.Resets, faults.Partitions,
			faults.Failovers, faults.Restarts, faults.Hangs, faults.ServerClockJumps,
		),
	},
	Happenings: []cell.Happening{
		{Name: "faults of two kinds struck while a client held the lock", In: struckTwice},
		{Name: "a client crashed and another was paused for longer than its lease", In: crashedAndPaused},
	},
	Remedies: []cell.Remedy{fencedLock, waitingLock, longerLeases},
	Combines: true,
}

// struckTwice: faults of two kinds struck during one hold.
func struckTwice(h *model.History) bool {
	troubles := []model.ObservationKind{
		model.Paused, model.Crashed, model.Delayed, model.ReplyLost, model.ClockJumped,
		model.Parted, model.Promoted, model.Returned,
	}
	for _, s := range spans(h) {
		first := model.ObservationKind("")
		for i := range h.Observations {
			o := &h.Observations[i]
			switch {
			case !s.contains(o.Seq) || o.Unread || !slices.Contains(troubles, o.Kind):
			case first != "" && o.Kind != first:
				return true
			default:
				first = o.Kind
			}
		}
	}
	return false
}

// crashedAndPaused: a client crashed, and another one was paused for longer than
// a lease lasts.
func crashedAndPaused(h *model.History) bool {
	crashed, paused := "", ""
	for i := range h.Observations {
		switch o := &h.Observations[i]; {
		case o.Kind == model.Crashed:
			crashed = o.Node
		case o.Kind == model.Paused && o.For > h.TTL:
			paused = o.Node
		}
	}
	return crashed != "" && paused != "" && crashed != paused
}

// The traits that scenarios and happenings ask for.
func splits(t stage.Traits) bool       { return t.Splits }
func abandons(t stage.Traits) bool     { return t.Abandons }
func hasSessions(t stage.Traits) bool  { return t.Sessions }
func readsLocally(t stage.Traits) bool { return t.LocalReads }
func elects(t stage.Traits) bool       { return t.Elects }

// unless returns a Lacks function of a scenario: lacks, unless a store has the trait.
func unless(has func(stage.Traits) bool, lacks string) func(stage.Store, stage.Params) string {
	return func(s stage.Store, p stage.Params) string {
		if has(s.Traits(p)) {
			return ""
		}
		return lacks
	}
}

// unlessSet returns the same for a setting that the store has among its own.
func unlessSet(name, lacks string) func(stage.Store, stage.Params) string {
	return func(s stage.Store, _ stage.Params) string {
		if slices.ContainsFunc(s.Shape(), func(d stage.Setting) bool { return d.Name == name }) {
			return ""
		}
		return lacks
	}
}
