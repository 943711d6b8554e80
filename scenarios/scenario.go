package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lockpick-dev/lockpick/checker"
	"github.com/lockpick-dev/lockpick/model"
)

// Scenario is a named situation to put a lock into: a topology and a workload
// (through its parameters), a budget of faults, the properties that are judged
// and what must have happened for the search to mean anything. It scripts no
// interleaving: the search finds the story.
type Scenario struct {
	// ID is the scenario's name, which stays.
	ID string
	// Summary says in one line what it is about. It, and the names of the happenings,
	// may name things of the store: see [stage.Terms].
	Summary string
	// Params are the defaults.
	Params Params
	// Happenings must each come about at least once in a search. If one does
	// not, the search was vacuous.
	Happenings []Happening
	// Remedies are what might help against what the scenario does: they are
	// tried on its counterexamples.
	Remedies []Remedy
}

// Happening is something that may come about in a run, said in terms that
// hold for any lock.
type Happening struct {
	Name string
	In   func(h *model.History) bool
}

// Properties are the ids of the properties that are judged: all but the weak
// ones.
func (s *Scenario) Properties() []string { return slices.DeleteFunc(checker.IDs(), checker.Weak) }

// Weaker reports whether a property is one that sound locks may violate, and that
// is judged only where the parameter weak says so.
func Weaker(property string) bool { return checker.Weak(property) && property != checker.FairOrder }

// All are the scenarios, in the order in which they are listed.
func All() []*Scenario {
	return []*Scenario{
		contention, failoverLoss, gcPause, twoStepRelease, holderCrash, clockSkew, serverClockJump,
		lostReply, lateReply, lateRequest, hungNode, partition, nodeRestart, cancelled,
		watchdogLate, lostWakeup, storm,
	}
}

// Summary says in one line what the cell's scenario is about.
func (c Cell) Summary() string { return c.Lock.store().Terms().Fill(c.Scenario.Summary) }

// Happening is the name of the i-th happening of the cell's scenario.
func (c Cell) Happening(i int) string {
	return c.Lock.store().Terms().Fill(c.Scenario.Happenings[i].Name)
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
	return nil, fmt.Errorf("there is no scenario %q; there are %s", id, strings.Join(ids, ", "))
}
