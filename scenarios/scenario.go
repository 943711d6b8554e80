package scenarios

import (
	"errors"
	"slices"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/internal/wording"
	"github.com/lockpick-dev/lockpick/model"
	"github.com/lockpick-dev/lockpick/scenarios/stage"
)

// Scenario is a named situation for a lock: a topology and a workload (by its parameters),
// a fault budget, and the happenings without which a search means nothing. It fixes no
// interleaving; the search picks it.
type Scenario struct {
	// ID is the scenario's name. It never changes.
	ID string
	// Summary describes the scenario in one line. It and the names of the happenings may
	// use the store's terms: see [stage.Terms].
	Summary string
	// Params are the defaults.
	Params Params
	// Lacks says why the scenario does not apply to a store although its faults could strike
	// it, empty if it applies; nil if no trait is needed. The text may use the store's terms.
	Lacks func(stage.Traits) string
	// Happenings must each occur at least once in a search; otherwise the search is
	// vacuous.
	Happenings []Happening
	// Remedies are changes that might prevent its counterexamples; each is tried on them.
	Remedies []Remedy
}

// Happening is something that may occur in a run of any lock.
type Happening struct {
	Name string
	In   func(h *model.History) bool
	// Where reports whether it can occur with a store; nil stands for all stores.
	Where func(stage.Traits) bool
}

// Properties are the ids of the properties that are judged by default: all but the weak
// ones.
func (s *Scenario) Properties() []string { return slices.DeleteFunc(checker.IDs(), checker.Weak) }

// Weaker reports whether sound locks may violate a property. Such a property is judged
// only with the parameter weak.
func Weaker(property string) bool { return checker.Weak(property) && property != checker.FairOrder }

// All returns the scenarios in listing order.
func All() []*Scenario {
	return []*Scenario{
		contention, failoverLoss, gcPause, twoStepRelease, holderCrash, clockSkew, serverClockJump,
		lostReply, lateReply, lateRequest, hungNode, partition, nodeRestart, cancelled,
		watchdogLate, lostWakeup, storm, sessionExpiry, staleFollower, election, lostCommit, poolExhausted, deadlock,
	}
}

// Summary describes the cell's scenario in one line.
func (c Cell) Summary() string { return c.Lock.store().Terms().Fill(c.Scenario.Summary) }

// Happenings are what must happen at least once in a search of the cell, in the terms
// of its store.
func (c Cell) Happenings() []Happening {
	list := c.happenings()
	for i := range list {
		list[i].Name = c.Lock.store().Terms().Fill(list[i].Name)
	}
	return list
}

// happenings are the same in the terms of no store.
func (c Cell) happenings() []Happening {
	return slices.DeleteFunc(slices.Clone(c.Scenario.Happenings), func(h Happening) bool {
		return h.Where != nil && !h.Where(c.Lock.store().Traits())
	})
}

// Find returns the scenario with the given id.
func Find(id string) (*Scenario, error) {
	var ids []string
	for _, s := range All() {
		if s.ID == id {
			return s, nil
		}
		ids = append(ids, s.ID)
	}
	return nil, errors.New(wording.Unknown("scenario", id, ids))
}
